/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>

#include <criterion/criterion.h>

#include "reassembly/region.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ROOM 400
#define OPERATIONS 120
#define BASE (UINT64_C(0x7f) << 40)

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % below;
}

/* What was found, as text: "m1+0:10 -:5". */
struct found {
	char text[512];
	uint64_t next;
	unsigned pieces;
};

static void note(void *owner, const struct region_piece *piece)
{
	struct found *found = owner;
	size_t length = strlen(found->text);

	cr_assert_eq(piece->address, found->next);
	cr_assert_gt(piece->length, 0);
	found->next += piece->length;
	found->pieces++;
	if (length > sizeof found->text - 80)
		return;
	if (piece->is_hole)
		snprintf(found->text + length, sizeof found->text - length, " -:%lu", (unsigned long)piece->length);
	else
		snprintf(found->text + length, sizeof found->text - length, " m%lu+%lu:%lu", (unsigned long)piece->message,
			 (unsigned long)piece->offset, (unsigned long)piece->length);
}

static const char *look(const struct regions *regions, uint32_t r_key, uint64_t order, uint64_t address, uint64_t length)
{
	static struct found found;

	found = (struct found){ .next = address };
	cr_assert(region_find(regions, r_key, order, address, length, note, &found));
	cr_assert_eq(found.next, address + length);
	return found.text;
}

static void add(struct regions *regions, uint32_t r_key, uint64_t address, uint64_t length, uint64_t message, uint64_t order)
{
	cr_assert(region_add(regions, r_key, address, length, message, 0, order));
}

Test(region, pieces_and_holes_follow_each_other)
{
	struct regions regions = { .memory = 0 };

	cr_expect_str_eq(look(&regions, 1, 0, 100, 50), " -:50");
	add(&regions, 1, 110, 10, 1, 5);
	cr_expect_str_eq(look(&regions, 1, 0, 100, 50), " -:10 m1+0:10 -:30");
	cr_expect_str_eq(look(&regions, 1, 0, 115, 5), " m1+5:5");
	cr_expect_str_eq(look(&regions, 2, 0, 115, 5), " -:5");
	add(&regions, 1, 120, 10, 2, 6);
	cr_expect_str_eq(look(&regions, 1, 0, 115, 10), " m1+5:5 m2+0:5");
	cr_expect_str_eq(look(&regions, 1, 0, 115, 0), "");
	regions_fini(&regions);
	cr_expect_eq(regions.memory, 0);
}

Test(region, the_last_operation_counts_in_any_order_of_arrival)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct regions regions = { .memory = 0 };

		for (int i = 0; i < 2; i++)
			if (i == swapped)
				add(&regions, 7, 100, 30, 1, 10);
			else
				add(&regions, 7, 110, 10, 2, 11);
		cr_expect_str_eq(look(&regions, 7, 0, 100, 30), " m1+0:10 m2+0:10 m1+20:10");
		regions_fini(&regions);
	}
}

Test(region, of_the_same_order_the_first_copy_counts)
{
	struct regions regions = { .memory = 0 };

	add(&regions, 7, 100, 30, 1, 10);
	add(&regions, 7, 90, 50, 2, 10);
	cr_expect_str_eq(look(&regions, 7, 0, 90, 50), " m2+0:10 m1+0:30 m2+40:10");
	regions_fini(&regions);
}

Test(region, a_key_used_again_is_another_region)
{
	struct regions regions = { .memory = 0 };

	add(&regions, 7, 100, 30, 1, 10);
	add(&regions, 7, 100, 20, 2, 30); /* arrived before the reply that closes */
	cr_assert(region_close(&regions, 7, 20));
	add(&regions, 7, 130, 10, 3, 15); /* arrived after it */
	cr_expect_str_eq(look(&regions, 7, 19, 100, 40), " m1+0:30 m3+0:10");
	cr_expect_str_eq(look(&regions, 7, 20, 100, 40), " m2+0:20 -:20");
	cr_assert(region_close(&regions, 7, 20));
	cr_assert(region_close(&regions, 7, 40));
	cr_expect_str_eq(look(&regions, 7, 39, 100, 40), " m2+0:20 -:20");
	cr_expect_str_eq(look(&regions, 7, 40, 100, 40), " -:40");
	region_forget(&regions, 7, 20);
	cr_expect_str_eq(look(&regions, 7, 19, 100, 40), " -:40");
	cr_expect_str_eq(look(&regions, 7, 39, 100, 40), " m2+0:20 -:20");
	add(&regions, 7, 100, 30, 4, 12); /* of a forgotten one */
	cr_expect_str_eq(look(&regions, 7, 12, 100, 40), " -:40");
	region_forget(&regions, 7, UINT64_MAX);
	cr_expect_str_eq(look(&regions, 7, 39, 100, 40), " -:40");
	cr_expect_str_eq(look(&regions, 7, 50, 100, 40), " -:40");
	regions_fini(&regions);
}

Test(region, the_end_of_the_address_space_is_no_trap)
{
	struct regions regions = { .memory = 0 };

	add(&regions, 1, UINT64_MAX - 10, 1000, 1, 1);
	cr_expect_str_eq(look(&regions, 1, 1, UINT64_MAX - 20, 20), " -:10 m1+0:10");
	add(&regions, 1, 0, UINT64_MAX, 2, 0);
	cr_expect_str_eq(look(&regions, 1, 1, UINT64_MAX - 20, 20), " m2+18446744073709551595:10 m1+0:10");
	regions_fini(&regions);
}

/* Operations as they were, to be asked byte by byte. */
struct operation {
	uint32_t at, length, order;
};

struct model {
	struct operation operations[OPERATIONS];
	uint32_t count;
	uint32_t closes[OPERATIONS];
	uint32_t close_count;
};

static uint32_t generation_of(const struct model *model, uint32_t order)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < model->close_count; i++)
		if (model->closes[i] <= order && model->closes[i] > last)
			last = model->closes[i];
	return last;
}

/* Number of the operation that a byte is of, from 1; 0: none. */
static uint32_t owner_of(const struct model *model, uint32_t generation, uint32_t at)
{
	uint32_t owner = 0;

	for (uint32_t i = 0; i < model->count; i++) {
		const struct operation *operation = &model->operations[i];

		if (at < operation->at || at >= operation->at + operation->length || generation_of(model, operation->order) != generation)
			continue;
		if (!owner || operation->order > model->operations[owner - 1].order)
			owner = i + 1;
	}
	return owner;
}

struct check {
	const struct model *model;
	uint32_t generation;
	uint64_t next;
};

static void check_piece(void *owner, const struct region_piece *piece)
{
	struct check *check = owner;

	cr_assert_eq(piece->address, check->next);
	cr_assert_gt(piece->length, 0);
	for (uint64_t i = 0; i < piece->length; i++) {
		uint32_t at = (uint32_t)(piece->address - BASE + i), expected = owner_of(check->model, check->generation, at);

		cr_assert_eq(piece->is_hole, !expected);
		if (!expected)
			continue;
		cr_assert_eq(piece->message, expected);
		cr_assert_eq(piece->offset + i, 1000 + at - check->model->operations[expected - 1].at);
	}
	check->next += piece->length;
}

static void step(struct regions *regions, struct model *model)
{
	struct operation *operation = &model->operations[model->count];

	if (!draw(12)) {
		uint32_t order = 1 + draw(100);

		model->closes[model->close_count++] = order;
		cr_assert(region_close(regions, 5, order));
		return;
	}
	*operation = (struct operation){ .at = draw(ROOM), .order = draw(100) };
	operation->length = 1 + draw(draw(4) ? 20 : ROOM);
	if (operation->length > ROOM - operation->at)
		operation->length = ROOM - operation->at;
	cr_assert(region_add(regions, 5, BASE + operation->at, operation->length, ++model->count, 1000, operation->order));
}

Test(region, any_operations_in_any_order_are_as_byte_by_byte)
{
	for (uint32_t seed = 0; seed < 300; seed++) {
		struct regions regions = { .memory = 0 };
		struct model model = { .count = 0 };

		random_state = seed;
		for (int i = 0; i < OPERATIONS; i++) {
			uint32_t order = draw(110), at = draw(ROOM), length = draw(ROOM - at);
			struct check check = { &model, 0, BASE + at };

			step(&regions, &model);
			if (i % 4)
				continue;
			check.generation = generation_of(&model, order);
			cr_assert(region_find(&regions, 5, order, BASE + at, length, check_piece, &check));
			cr_assert_eq(check.next, BASE + at + length);
		}
		regions_fini(&regions);
	}
}

static void count_piece(void *owner, const struct region_piece *piece)
{
	*(uint64_t *)owner += !piece->is_hole;
}

/* Far below a second each; quadratic ways would take minutes. */
Test(region, hundreds_of_thousands_of_pieces_are_found_fast, .timeout = 20)
{
	enum { PIECES = 300000 };
	struct regions regions = { .memory = 0 };
	uint64_t pieces = 0;

	for (uint32_t i = 0; i < PIECES; i++) /* descending, of one key */
		add(&regions, 1, BASE - i * 64, 64, i, i);
	for (uint32_t i = 0; i < PIECES; i++)
		cr_assert(region_find(&regions, 1, 0, BASE - i * 64, 64, count_piece, &pieces));
	cr_expect_eq(pieces, PIECES);
	cr_assert(region_find(&regions, 1, 0, BASE - (PIECES - 1) * 64, PIECES * 64, count_piece, &pieces));
	cr_expect_eq(pieces, 2 * PIECES);
	for (uint32_t i = 0; i < PIECES; i++) /* many keys */
		add(&regions, 100 + i, BASE, 64, i, i);
	for (uint32_t i = 0; i < PIECES; i++) /* all over each other */
		add(&regions, 2, BASE + draw(1000), 64 + draw(1000), i, draw(PIECES));
	cr_assert(region_find(&regions, 2, 0, BASE, 3000, count_piece, &pieces));
	for (uint32_t i = 0; i < PIECES; i++) { /* one key used again and again, never forgotten */
		add(&regions, 3, BASE, 64, i, 2 * i);
		cr_assert(region_close(&regions, 3, 2 * i + 1));
		cr_assert(region_find(&regions, 3, 2 * i, BASE, 64, count_piece, &pieces));
	}
	regions_fini(&regions);
	cr_expect_eq(regions.memory, 0);
}

Test(region, memory_goes_with_what_is_forgotten)
{
	struct regions regions = { .memory = 0 };
	uint64_t before;

	add(&regions, 1, BASE, 64, 1, 0);
	before = regions.memory;
	cr_expect_gt(before, 0);
	for (uint32_t i = 1; i < 1000; i++) {
		cr_assert(region_close(&regions, 1, 10 * i));
		add(&regions, 1, BASE, 64, 1, 10 * i + 1);
		region_forget(&regions, 1, 10 * i);
		cr_assert_eq(regions.memory, before);
	}
	regions_fini(&regions);
}
