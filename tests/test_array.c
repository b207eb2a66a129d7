/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Growing arrays and heaps, against plain counting and qsort().
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "base/array.h"
#include "base/heap.h"

#define COUNT 1000

TestSuite(array, .timeout = HANG_SECONDS);

Test(array, keeps_its_elements_and_grows_as_wanted)
{
	uint32_t *numbers = NULL;
	size_t room = 0, moves = 0;

	for (uint32_t i = 0; i < COUNT; i++) {
		size_t before = room;
		uint32_t *larger = array_grow(numbers, &room, i + 1u, sizeof *numbers);

		cr_assert(larger && room > i);
		numbers = larger;
		numbers[i] = i;
		moves += room != before;
	}
	for (uint32_t i = 0; i < COUNT; i++)
		cr_assert_eq(numbers[i], i);
	/* doubling: no more than log2(1000) times */
	cr_assert_leq(moves, 10);
	numbers = array_grow(numbers, &room, 100 * COUNT, sizeof *numbers);
	cr_assert(numbers && room >= 100 * COUNT && numbers[COUNT - 1] == COUNT - 1);
	free(numbers);
}

Test(array, refuses_sizes_beyond_memory)
{
	size_t room = 0;
	char *bytes = array_grow(NULL, &room, 1, 1);
	size_t before = room;

	cr_assert(bytes);
	bytes[0] = 'x';
	cr_assert_null(array_grow(bytes, &room, SIZE_MAX / 8, 16));
	cr_assert_null(array_grow(bytes, &room, SIZE_MAX, 1));
	cr_assert_eq(room, before);
	cr_assert_eq(bytes[0], 'x');
	free(bytes);
}

static bool is_less(const void *one, const void *other)
{
	return *(const uint32_t *)one < *(const uint32_t *)other;
}

static int compare(const void *one, const void *other)
{
	return is_less(other, one) - is_less(one, other);
}

TestSuite(heap, .timeout = HANG_SECONDS);

Test(heap, returns_its_items_in_order)
{
	struct heap heap = { .before = is_less };
	uint32_t numbers[COUNT], sorted[COUNT], state = 1;

	cr_assert_null(heap_first(&heap));
	for (size_t i = 0; i < COUNT; i++) {
		state = state * 1664525 + 1013904223;
		numbers[i] = sorted[i] = state >> 22; /* with equal ones */
		cr_assert(heap_add(&heap, &numbers[i]));
	}
	qsort(sorted, COUNT, sizeof sorted[0], compare);
	for (size_t i = 0; i < COUNT; i++) {
		cr_assert_eq(heap.count, COUNT - i);
		cr_assert_eq(*(uint32_t *)heap_first(&heap), sorted[i]);
		cr_assert_eq(*(uint32_t *)heap_remove_first(&heap), sorted[i]);
	}
	cr_assert_null(heap_first(&heap));
	heap_fini(&heap);
}

Test(heap, puts_a_changed_first_item_in_its_place)
{
	struct heap heap = { .before = is_less };
	uint32_t numbers[] = { 4, 2, 6, 1, 7, 3 };

	for (size_t i = 0; i < 6; i++)
		cr_assert(heap_add(&heap, &numbers[i]));
	numbers[3] = 5;
	heap_settle_first(&heap);
	for (uint32_t i = 2; i < 8; i++)
		cr_assert_eq(*(uint32_t *)heap_remove_first(&heap), i);
	heap_fini(&heap);
}

/* An item that knows its place. */
struct placed {
	uint32_t number;
	size_t at;
};

static bool is_lower(const void *one, const void *other)
{
	return ((const struct placed *)one)->number < ((const struct placed *)other)->number;
}

static void note_place(void *item, size_t at)
{
	((struct placed *)item)->at = at;
}

Test(heap, items_know_their_places_and_leave_from_anywhere)
{
	struct heap heap = { .before = is_lower, .placed = note_place };
	struct placed items[COUNT];
	uint32_t state = 7, last = 0;

	for (size_t i = 0; i < COUNT; i++) {
		state = state * 1664525 + 1013904223;
		items[i].number = state >> 20;
		cr_assert(heap_add(&heap, &items[i]));
	}
	for (size_t i = 0; i < COUNT; i += 3)
		cr_assert_eq(heap_remove(&heap, items[i].at), &items[i]);
	for (size_t i = 0; i < heap.count; i++)
		cr_assert_eq(((struct placed *)heap.items[i])->at, i);
	for (size_t left = heap.count; left; left--) {
		const struct placed *first = heap_remove_first(&heap);

		cr_assert_neq((size_t)(first - items) % 3, 0);
		cr_assert_geq(first->number, last);
		last = first->number;
	}
	heap_fini(&heap);
}

Test(array, doubles_up_to_its_limit)
{
	uint32_t room = 0, *numbers = NULL, count = 0;
	static const uint32_t rooms[] = { 3, 6, 12, 20 };

	for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
		numbers = array_reserve(numbers, &room, room + 1, 3, 20, sizeof *numbers);
		cr_assert(numbers);
		cr_expect_eq(room, rooms[i]);
		for (; count < room; count++)
			numbers[count] = count;
	}
	cr_expect_null(array_reserve(numbers, &room, room + 1, 3, 20, sizeof *numbers));
	cr_expect_eq(room, 20);
	for (uint32_t i = 0; i < count; i++)
		cr_assert_eq(numbers[i], i);
	cr_expect_eq(array_reserve(numbers, &room, 20, 3, 20, sizeof *numbers), numbers);
	cr_expect_eq(array_reserve(NULL, &(uint32_t){ 0 }, 21, 3, 20, sizeof *numbers), NULL);
	cr_expect_null(array_reserve(numbers, &room, UINT32_MAX, 3, UINT32_MAX, SIZE_MAX / 2));
	free(numbers);
}
