/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/map.h"
#include "output/compare/align.h"

/* A sequence without the elements that the other one lacks. */
struct sequence {
	uint64_t *keys;
	uint32_t *places; /* index in the whole sequence */
	int64_t count;
};

struct search {
	struct sequence a, b;
	/*
	 * Furthest points reached with the current number of differences, by diagonal (index in a minus index in b): forward from the
	 * beginning and backward from the end. Both have room for all diagonals and one more on each side.
	 */
	int64_t *ahead, *back;
	uint32_t *match;
};

/* A part of both sequences: a from a_begin to before a_end, b likewise. */
struct box {
	int64_t a_begin, a_end, b_begin, b_end;
};

struct point {
	int64_t a, b;
};

static bool is_same(const struct search *search, int64_t a, int64_t b)
{
	return search->a.keys[a] == search->b.keys[b];
}

static void pair(struct search *search, int64_t a, int64_t b)
{
	search->match[search->a.places[a]] = search->b.places[b];
}

/* Matches equal elements at both ends of the box and removes them from it. */
static void trim(struct search *search, struct box *box)
{
	while (box->a_begin < box->a_end && box->b_begin < box->b_end && is_same(search, box->a_begin, box->b_begin))
		pair(search, box->a_begin++, box->b_begin++);
	while (box->a_begin < box->a_end && box->b_begin < box->b_end && is_same(search, box->a_end - 1, box->b_end - 1))
		pair(search, --box->a_end, --box->b_end);
}

/* The diagonals reached by one of the two searches, without those outside of the box. */
struct reach {
	int64_t low, high;
};

static void widen(struct reach *reach, const struct box *box, int64_t *furthest, int64_t nothing)
{
	if (reach->low > box->a_begin - box->b_end)
		furthest[--reach->low - 1] = nothing;
	else
		reach->low++;
	if (reach->high < box->a_end - box->b_begin)
		furthest[++reach->high + 1] = nothing;
	else
		reach->high--;
}

/* Extends the forward search by one difference. True: it met the backward search, at `meeting`. */
static bool step_ahead(struct search *search, const struct box *box, struct reach *ahead, const struct reach *back, bool may_meet,
		       struct point *meeting)
{
	widen(ahead, box, search->ahead, INT64_MIN);
	for (int64_t diagonal = ahead->high; diagonal >= ahead->low; diagonal -= 2) {
		int64_t below = search->ahead[diagonal - 1], above = search->ahead[diagonal + 1];
		int64_t a = below < above ? above : below + 1, b = a - diagonal;

		while (a < box->a_end && b < box->b_end && is_same(search, a, b)) {
			a++;
			b++;
		}
		search->ahead[diagonal] = a;
		if (may_meet && back->low <= diagonal && diagonal <= back->high && search->back[diagonal] <= a) {
			*meeting = (struct point){ a, b };
			return true;
		}
	}
	return false;
}

static bool step_back(struct search *search, const struct box *box, struct reach *back, const struct reach *ahead, bool may_meet,
		      struct point *meeting)
{
	widen(back, box, search->back, INT64_MAX);
	for (int64_t diagonal = back->high; diagonal >= back->low; diagonal -= 2) {
		int64_t below = search->back[diagonal - 1], above = search->back[diagonal + 1];
		int64_t a = below < above ? below : above - 1, b = a - diagonal;

		while (a > box->a_begin && b > box->b_begin && is_same(search, a - 1, b - 1)) {
			a--;
			b--;
		}
		search->back[diagonal] = a;
		if (may_meet && ahead->low <= diagonal && diagonal <= ahead->high && a <= search->ahead[diagonal]) {
			*meeting = (struct point){ a, b };
			return true;
		}
	}
	return false;
}

/* The furthest point of the forward search inside the box. */
static struct point furthest_ahead(const struct search *search, const struct box *box, const struct reach *ahead)
{
	struct point best = { box->a_begin, box->b_begin };

	for (int64_t diagonal = ahead->low; diagonal <= ahead->high; diagonal += 2) {
		int64_t a = search->ahead[diagonal] < box->a_end ? search->ahead[diagonal] : box->a_end, b = a - diagonal;

		if (b > box->b_end) {
			b = box->b_end;
			a = b + diagonal;
		}
		if (a >= box->a_begin && b >= box->b_begin && a + b > best.a + best.b)
			best = (struct point){ a, b };
	}
	return best;
}

/*
 * A point that splits the box into two, which are searched separately: the middle of a shortest path or, if that takes too much effort,
 * the furthest point reached.
 */
static struct point find_cut(struct search *search, const struct box *box)
{
	int64_t first = box->a_begin - box->b_begin, last = box->a_end - box->b_end;
	struct reach ahead = { first, first }, back = { last, last };
	bool odd = (first - last) & 1;
	struct point cut;

	search->ahead[first] = box->a_begin;
	search->back[last] = box->a_end;
	for (int effort = 0; effort < ALIGN_MOST_EFFORT; effort++)
		if (step_ahead(search, box, &ahead, &back, odd, &cut) || step_back(search, box, &back, &ahead, !odd, &cut))
			return cut;
	return furthest_ahead(search, box, &ahead);
}

static int64_t size_of(const struct box *box)
{
	return box->a_end - box->a_begin + box->b_end - box->b_begin;
}

/* Recursion handles the smaller part and iteration the larger one, so the recursion depth is at most log2 of the size. */
static void search_box(struct search *search, struct box box)
{
	for (;;) {
		struct point cut;
		struct box before, after;
		bool before_is_larger;

		trim(search, &box);
		if (box.a_begin == box.a_end || box.b_begin == box.b_end)
			return;
		cut = find_cut(search, &box);
		before = (struct box){ box.a_begin, cut.a, box.b_begin, cut.b };
		after = (struct box){ cut.a, box.a_end, cut.b, box.b_end };
		if (size_of(&before) == 0 || size_of(&after) == 0)
			return;
		before_is_larger = size_of(&before) > size_of(&after);
		search_box(search, before_is_larger ? after : before);
		box = before_is_larger ? before : after;
	}
}

static bool is_key(const void *value, const void *key)
{
	return *(const uint64_t *)value == *(const uint64_t *)key;
}

static bool has_key(const struct map *map, const uint64_t *key)
{
	return map_find(map, map_hash(key, 1), is_key, key);
}

static int note_keys(struct map *map, const uint64_t *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!has_key(map, &keys[i]) && !map_add(map, map_hash(&keys[i], 1), (void *)(uintptr_t)&keys[i]))
			return -ENOMEM;
	return 0;
}

/* Keeps the elements that `other` also has. */
static int take(struct sequence *sequence, const uint64_t *keys, size_t count, size_t skipped, const struct map *other)
{
	sequence->keys = malloc((count + 1) * sizeof *sequence->keys);
	sequence->places = malloc((count + 1) * sizeof *sequence->places);
	if (!sequence->keys || !sequence->places)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!has_key(other, &keys[i]))
			continue;
		sequence->keys[sequence->count] = keys[i];
		sequence->places[sequence->count++] = (uint32_t)(i + skipped);
	}
	return 0;
}

static int search_middle(struct search *search, const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, size_t skipped)
{
	struct map of_a = { .room = 0 }, of_b = { .room = 0 };
	int64_t *ahead = NULL, *back = NULL;
	size_t diagonals;
	int result = note_keys(&of_a, a, a_count);

	if (!result)
		result = note_keys(&of_b, b, b_count);
	if (!result)
		result = take(&search->a, a, a_count, skipped, &of_b);
	if (!result)
		result = take(&search->b, b, b_count, skipped, &of_a);
	map_fini(&of_a);
	map_fini(&of_b);
	if (result)
		goto out;
	diagonals = (size_t)(search->a.count + search->b.count) + 3;
	ahead = malloc(diagonals * sizeof *ahead);
	back = malloc(diagonals * sizeof *back);
	if (!ahead || !back) {
		result = -ENOMEM;
		goto out;
	}
	search->ahead = ahead + search->b.count + 1;
	search->back = back + search->b.count + 1;
	search_box(search, (struct box){ 0, search->a.count, 0, search->b.count });
out:
	free(ahead);
	free(back);
	free(search->a.keys);
	free(search->a.places);
	free(search->b.keys);
	free(search->b.places);
	return result;
}

int align(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, uint32_t *match)
{
	struct search search = { .match = match };
	size_t skipped = 0;

	if (a_count > INT32_MAX || b_count > INT32_MAX)
		return -EFBIG;
	for (size_t i = 0; i < a_count; i++)
		match[i] = ALIGN_NONE;
	while (skipped < a_count && skipped < b_count && a[skipped] == b[skipped]) {
		match[skipped] = (uint32_t)skipped;
		skipped++;
	}
	while (a_count > skipped && b_count > skipped && a[a_count - 1] == b[b_count - 1])
		match[--a_count] = (uint32_t)--b_count;
	if (a_count == skipped || b_count == skipped)
		return 0;
	return search_middle(&search, a + skipped, a_count - skipped, b + skipped, b_count - skipped, skipped);
}
