/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <criterion/criterion.h>

#include "output/compare/align.h"

#define MOST 64

static size_t keys_of(const char *text, uint64_t *keys)
{
	for (size_t i = 0; text[i]; i++)
		keys[i] = (uint64_t)text[i];
	return strlen(text);
}

/* Pairs found; each must be of equals, and their indices must rise. */
static size_t check(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, const uint32_t *match)
{
	int64_t last = -1;
	size_t found = 0;

	for (size_t i = 0; i < a_count; i++) {
		if (match[i] == ALIGN_NONE)
			continue;
		cr_assert_lt(match[i], b_count);
		cr_assert_eq(a[i], b[match[i]]);
		cr_assert_gt((int64_t)match[i], last);
		last = match[i];
		found++;
	}
	return found;
}

/* The length of a longest common subsequence by the textbook's table. */
static size_t longest(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
	static size_t table[MOST + 1][MOST + 1];

	memset(table, 0, sizeof table);
	for (size_t i = 1; i <= a_count; i++)
		for (size_t j = 1; j <= b_count; j++) {
			size_t best = table[i - 1][j] > table[i][j - 1] ? table[i - 1][j] : table[i][j - 1];

			table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : best;
		}
	return table[a_count][b_count];
}

TestSuite(align, .timeout = HANG_SECONDS);

Test(align, finds_equal_elements)
{
	static const struct {
		const char *a, *b;
		size_t pairs;
	} cases[] = {
		{ "", "", 0 }, { "", "abc", 0 }, { "abc", "", 0 }, { "abc", "abc", 3 }, { "abc", "xyz", 0 },
		{ "abcdef", "abdef", 5 }, { "abdef", "abcdef", 5 }, { "abcdef", "abccdef", 6 }, { "aaaa", "aaa", 3 },
		{ "abcabba", "cbabac", 4 }, { "abcdefgh", "hgfedcba", 1 }, { "xaxbxcx", "yaybycy", 3 }, { "abcd", "bcda", 3 },
		{ "abababab", "babababa", 7 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint64_t a[MOST], b[MOST];
		uint32_t match[MOST];
		size_t a_count = keys_of(cases[i].a, a), b_count = keys_of(cases[i].b, b);

		cr_assert_eq(align(a, a_count, b, b_count, match), 0);
		cr_assert_eq(check(a, a_count, b, b_count, match), cases[i].pairs, "%s %s", cases[i].a, cases[i].b);
	}
}

Test(align, is_as_good_as_the_textbook)
{
	srand(7);
	for (int round = 0; round < 20000; round++) {
		uint64_t a[MOST], b[MOST];
		uint32_t match[MOST];
		size_t a_count = (size_t)rand() % MOST, b_count = (size_t)rand() % MOST;
		int letters = 1 + rand() % 12;

		for (size_t i = 0; i < a_count; i++)
			a[i] = (uint64_t)(rand() % letters);
		for (size_t i = 0; i < b_count; i++)
			b[i] = (uint64_t)(rand() % letters);
		cr_assert_eq(align(a, a_count, b, b_count, match), 0);
		cr_assert_eq(check(a, a_count, b, b_count, match), longest(a, a_count, b, b_count));
	}
}

/* Sequences made by a rule. */
enum { MANY = 1000000, UNLIKE = MANY / 8 };

static void make(uint64_t *keys, size_t count, unsigned letters, unsigned seed)
{
	srand(seed);
	for (size_t i = 0; i < count; i++)
		keys[i] = (uint64_t)rand() % letters;
}

static double timed(const uint64_t *a, const uint64_t *b, size_t count, uint32_t *match)
{
	clock_t begin = clock();

	cr_assert_eq(align(a, count, b, count, match), 0);
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* `count` elements may take three times as long as half of them. */
static void expect_linear(const uint64_t *a, const uint64_t *b, size_t count, uint32_t *match, const char *what)
{
	double half = 1e9, all = 1e9;

	/* the least of several: others may have the processor */
	for (int attempt = 0; attempt < 10 && (!attempt || all >= 3 * half); attempt++) {
		half = fmin(half, timed(a, b, count / 2, match));
		all = fmin(all, timed(a, b, count, match));
	}
	cr_expect_lt(all, 3 * half, "%s: half of them take %.3f s, all %.3f s", what, half, all);
}

Test(align, twice_as_many_that_differ_take_no_more_than_three_times_as_long)
{
	uint64_t *a = malloc(UNLIKE * sizeof *a), *b = malloc(UNLIKE * sizeof *b);
	uint32_t *match = malloc(UNLIKE * sizeof *match);
	static const struct { const char *name; unsigned letters; } cases[] = { { "2 letters", 2 }, { "10 letters", 10 }, { "100,000 letters", 100000 } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		make(a, UNLIKE, cases[i].letters, 1);
		make(b, UNLIKE, cases[i].letters, 2);
		expect_linear(a, b, UNLIKE, match, cases[i].name);
		check(a, UNLIKE, b, UNLIKE, match);
	}
	free(a);
	free(b);
	free(match);
}

Test(align, of_a_million_elements_names_the_few_that_differ)
{
	uint64_t *a = malloc(MANY * sizeof *a), *b = malloc(MANY * sizeof *b);
	uint32_t *match = malloc(MANY * sizeof *match);

	make(a, MANY, 10, 3);
	memcpy(b, a, MANY * sizeof *b);
	/* one of each ten thousand is another one, and one is lost near the beginning */
	for (size_t i = 5000; i < MANY; i += 10000)
		b[i] = 77;
	memmove(b + 100, b + 101, (MANY - 101) * sizeof *b);
	b[MANY - 1] = 78;
	expect_linear(a, b, MANY, match, "nearly equal");
	cr_assert_eq(check(a, MANY, b, MANY, match), MANY - MANY / 10000 - 1);
	free(a);
	free(b);
	free(match);
}
