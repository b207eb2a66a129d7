/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/compare/align.h"
#include "output/compare/diff_align.h"

/* Equal lines further apart than this are one removed and one added, not one moved. */
#define FURTHEST_MOVE 64

struct matching {
	struct diff_matches *matches;
	const struct canon_line *a, *b;
	size_t a_count, b_count;
	uint64_t *keys[2];
	uint32_t *found;
	const struct diff_slide *texts;
};

/* An alternative to enum canon_key: RPC messages of the same length whose operations differ or are unknown for one of them. */
#define KEY_OF_RPC CANON_KEYS

static void match(struct matching *matching, size_t a, size_t b, enum diff_place place)
{
	matching->matches->of_a[a] = (uint32_t)b;
	matching->matches->of_b[b] = (uint32_t)a;
	matching->matches->places[a] = (uint8_t)place;
}

static bool is_named(const struct canon_token *token, const char *name)
{
	return token->name_length == strlen(name) && !memcmp(token->name, name, token->name_length);
}

/* A unique number unless the line is an RPC message. */
static uint64_t key_of_rpc(const struct canon_file *file, const struct canon_line *line)
{
	const char *text = file->text + line->offset, *end = text + line->length, *at = canon_line_values(text, end);
	uint64_t key = (unsigned char)line->direction;
	struct canon_token token;
	bool is_rpc = false;

	while (canon_token_next(&at, end, &token)) {
		bool is_kind = is_named(&token, "kind");

		if (is_kind)
			is_rpc = token.value_length > 4 && !memcmp(token.value, "rpc_", 4);
		if (is_kind || is_named(&token, "length") || is_named(&token, "inline"))
			key = canon_mark(key, token.value, token.value_length);
	}
	return is_rpc ? key : (uintptr_t)line;
}

static uint64_t key_of(const struct matching *matching, unsigned key, int side, size_t index)
{
	const struct canon_line *line = side ? &matching->b[index] : &matching->a[index];

	return key == KEY_OF_RPC ? key_of_rpc(matching->texts->files[side], line) : line->keys[key];
}

/* Aligns a part of both by a key. */
static int align_part(struct matching *matching, unsigned key, size_t a_begin, size_t a_end, size_t b_begin, size_t b_end)
{
	uint64_t *a = matching->keys[0], *b = matching->keys[1];
	size_t a_free = 0, b_free = 0;
	uint32_t *a_places = matching->found + matching->a_count, *b_places = a_places + matching->a_count;
	int result;

	for (size_t i = a_begin; i < a_end; i++)
		if (matching->matches->of_a[i] == DIFF_NONE) {
			a_places[a_free] = (uint32_t)i;
			a[a_free++] = key_of(matching, key, 0, i);
		}
	for (size_t i = b_begin; i < b_end; i++)
		if (matching->matches->of_b[i] == DIFF_NONE) {
			b_places[b_free] = (uint32_t)i;
			b[b_free++] = key_of(matching, key, 1, i);
		}
	if (!a_free || !b_free)
		return 0;
	result = align(a, a_free, b, b_free, matching->found);
	for (size_t i = 0; !result && i < a_free; i++)
		if (matching->found[i] != ALIGN_NONE)
			match(matching, a_places[i], b_places[matching->found[i]], DIFF_IN_ORDER);
	return result;
}

/* Aligns the remaining lines between matched ones. */
static int align_gaps(struct matching *matching, unsigned key)
{
	size_t a_begin = 0, b_begin = 0;

	for (size_t i = 0; i <= matching->a_count; i++) {
		uint32_t other = i < matching->a_count ? matching->matches->of_a[i] : (uint32_t)matching->b_count;
		int result;

		if (i < matching->a_count && (other == DIFF_NONE || matching->matches->places[i] != DIFF_IN_ORDER))
			continue;
		result = align_part(matching, key, a_begin, i, b_begin, other);
		if (result)
			return result;
		a_begin = i + 1;
		b_begin = (size_t)other + 1;
	}
	return 0;
}

/* Matches equal lines that the alignment left unmatched, near their position. */
static int pair_moved(struct matching *matching)
{
	struct canon_numbers heads = { .unused = 0 };
	uint32_t *next = malloc((matching->b_count + 1) * sizeof *next);
	size_t expected = 0;
	int result = next ? 0 : -ENOMEM;

	/* lists of equal lines of b, each in order */
	for (size_t i = matching->b_count; !result && i--;) {
		uint64_t key = matching->b[i].keys[CANON_KEY_ALL], *head;

		if (matching->matches->of_b[i] != DIFF_NONE)
			continue;
		head = canon_numbers_find(&heads, 0, key);
		next[i] = head ? (uint32_t)*head : DIFF_NONE;
		if (!canon_numbers_set(&heads, 0, key, i))
			result = -ENOMEM;
	}
	for (size_t i = 0; !result && i < matching->a_count; i++) {
		uint64_t *head;

		if (matching->matches->of_a[i] != DIFF_NONE) {
			if (matching->matches->places[i] == DIFF_IN_ORDER)
				expected = (size_t)matching->matches->of_a[i] + 1;
			continue;
		}
		head = canon_numbers_find(&heads, 0, matching->a[i].keys[CANON_KEY_ALL]);
		/* lines too far back cannot be matched any more */
		while (head && *head != DIFF_NONE && *head + FURTHEST_MOVE < expected)
			*head = next[*head];
		if (!head || *head == DIFF_NONE || *head > expected + FURTHEST_MOVE)
			continue;
		match(matching, i, *head, DIFF_ELSEWHERE);
		*head = next[*head];
	}
	canon_numbers_fini(&heads);
	free(next);
	return result;
}

/* Lines with equal keys are interchangeable: match them in order. */
static int uncross(struct matching *matching)
{
	struct canon_numbers last = { .unused = 0 };
	uint32_t *queue = matching->found;
	size_t b = matching->b_count;
	int result = 0;

	/* lists of matched lines of b by key, in order: `queue` holds the next one */
	while (!result && b--) {
		uint64_t key = matching->b[b].keys[CANON_KEY_ALL], *head;

		if (matching->matches->of_b[b] == DIFF_NONE)
			continue;
		head = canon_numbers_find(&last, 0, key);
		queue[b] = head ? (uint32_t)*head : DIFF_NONE;
		if (!canon_numbers_set(&last, 0, key, b))
			result = -ENOMEM;
	}
	for (size_t a = 0; !result && a < matching->a_count; a++) {
		uint64_t *head;

		if (matching->matches->of_a[a] == DIFF_NONE)
			continue;
		head = canon_numbers_find(&last, 0, matching->a[a].keys[CANON_KEY_ALL]);
		if (!head || *head == DIFF_NONE)
			continue; /* cannot happen: equally many lines of a and b are matched */
		b = (size_t)*head;
		*head = queue[b];
		match(matching, a, b, DIFF_ELSEWHERE);
	}
	canon_numbers_fini(&last);
	return result;
}

/*
 * Finds the lines in order: a longest increasing subsequence of the lines of b (C. Schensted, "Longest Increasing and Decreasing
 * Subsequences", 1961). tails[n] is the line of a that ends a sequence of n + 1 with the smallest line of b.
 */
static void find_order(struct matching *matching)
{
	struct diff_matches *matches = matching->matches;
	uint32_t *tails = matching->found, *before = tails + matching->a_count;
	size_t length = 0;
	uint32_t at;

	for (size_t i = 0; i < matching->a_count; i++) {
		uint32_t other = matches->of_a[i];
		size_t low = 0, high = length;

		if (other == DIFF_NONE)
			continue;
		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (matches->of_a[tails[middle]] < other)
				low = middle + 1;
			else
				high = middle;
		}
		before[i] = low ? tails[low - 1] : DIFF_NONE;
		tails[low] = (uint32_t)i;
		length += low == length;
	}
	for (at = length ? tails[length - 1] : DIFF_NONE; at != DIFF_NONE; at = before[at])
		matches->places[at] = DIFF_IN_ORDER;
}

/*
 * A line that moved only past lines of other lanes did so by chance. `bound` is, by lane, the line of b that matches the nearest line in
 * order: among the preceding lines when walking up, among the following ones when walking down.
 */
static void judge_moved(struct matching *matching)
{
	int64_t bound[CANON_LANES] = { -1, -1, -1, -1 };
	uint8_t *places = matching->matches->places;

	for (size_t i = 0; i < matching->a_count; i++) {
		int64_t *last = &bound[matching->a[i].lane];
		uint32_t other = matching->matches->of_a[i];

		if (other == DIFF_NONE || (places[i] != DIFF_IN_ORDER && other < *last))
			continue;
		*last = other;
		if (places[i] != DIFF_IN_ORDER)
			places[i] = DIFF_BY_CHANCE;
	}
	for (int lane = 0; lane < CANON_LANES; lane++)
		bound[lane] = (int64_t)matching->b_count;
	for (size_t i = matching->a_count; i--;) {
		int64_t *next = &bound[matching->a[i].lane];
		uint32_t other = matching->matches->of_a[i];

		if (other == DIFF_NONE || places[i] == DIFF_ELSEWHERE)
			continue;
		if (places[i] == DIFF_BY_CHANCE && other > *next)
			places[i] = DIFF_ELSEWHERE;
		else
			*next = other;
	}
}

/* Determines which of the matched lines are in order. */
static void place_all(struct matching *matching, bool order)
{
	for (size_t i = 0; i < matching->a_count; i++)
		matching->matches->places[i] = DIFF_ELSEWHERE;
	find_order(matching);
	if (!order)
		judge_moved(matching);
}

static bool prepare(struct matching *matching)
{
	struct diff_matches *matches = matching->matches;
	size_t a = matching->a_count, b = matching->b_count;

	if (a >= INT32_MAX || b >= INT32_MAX)
		return false;
	matches->of_a = malloc((a + 1) * sizeof *matches->of_a);
	matches->of_b = malloc((b + 1) * sizeof *matches->of_b);
	matches->places = calloc(a + 1, 1);
	matching->keys[0] = malloc((a + 1) * sizeof *matching->keys[0]);
	matching->keys[1] = malloc((b + 1) * sizeof *matching->keys[1]);
	matching->found = malloc((2 * a + b + 1) * sizeof *matching->found);
	if (!matches->of_a || !matches->of_b || !matches->places || !matching->keys[0] || !matching->keys[1] || !matching->found)
		return false;
	memset(matches->of_a, 0xff, (a + 1) * sizeof *matches->of_a);
	memset(matches->of_b, 0xff, (b + 1) * sizeof *matches->of_b);
	return true;
}

/* Borrows memory that alignment no longer needs. */
static int slide(struct matching *matching, bool order)
{
	struct diff_slide slide = *matching->texts;

	slide.lines[0] = matching->a;
	slide.lines[1] = matching->b;
	slide.counts[0] = matching->a_count;
	slide.counts[1] = matching->b_count;
	slide.of[0] = matching->matches->of_a;
	slide.of[1] = matching->matches->of_b;
	slide.lists[0] = matching->found;
	slide.lists[1] = matching->found + matching->a_count;
	slide.at[0] = (uint32_t *)matching->keys[0];
	slide.at[1] = (uint32_t *)matching->keys[1];
	slide.order = order;
	return diff_slide(&slide);
}

int diff_match(struct diff_matches *matches, const struct canon_line *a, size_t a_count, const struct canon_line *b, size_t b_count,
	       bool order, const struct diff_slide *texts)
{
	struct matching matching = { .matches = matches, .a = a, .b = b, .a_count = a_count, .b_count = b_count,
				     .texts = texts };
	int result = -ENOMEM;

	*matches = (struct diff_matches){ .of_a = NULL };
	if (prepare(&matching))
		result = align_part(&matching, CANON_KEY_ALL, 0, a_count, 0, b_count);
	if (!result)
		result = pair_moved(&matching);
	if (!result)
		result = uncross(&matching);
	if (!result && texts)
		result = slide(&matching, order);
	if (result >= 0) {
		place_all(&matching, order);
		result = align_gaps(&matching, CANON_KEY_NEAR);
	}
	if (!result)
		result = align_gaps(&matching, CANON_KEY_CLASS);
	/* of several similar lines the first one was matched; the names around it may fit another better */
	if (!result && texts)
		result = slide(&matching, order);
	if (result > 0)
		place_all(&matching, order);
	if (result >= 0 && texts)
		result = align_gaps(&matching, KEY_OF_RPC);
	free(matching.keys[0]);
	free(matching.keys[1]);
	free(matching.found);
	return result;
}

void diff_matches_fini(struct diff_matches *matches)
{
	free(matches->of_a);
	free(matches->of_b);
	free(matches->places);
}
