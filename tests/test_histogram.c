/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include <criterion/criterion.h>

#include "output/stats/histogram.h"

static const unsigned permilles[] = { 0, 1, 500, 900, 990, 999, 1000 };

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* The nearest rank among values that are all there. */
static uint64_t exact(const uint64_t *sorted, uint64_t count, unsigned permille)
{
	uint64_t rank = (count * permille + 999) / 1000;

	return sorted[rank ? rank - 1 : 0];
}

static void check(uint64_t *values, uint64_t count)
{
	struct histogram histogram = { 0 };
	uint64_t sum = 0, together[sizeof permilles / sizeof permilles[0]];

	for (uint64_t i = 0; i < count; i++) {
		histogram_add(&histogram, values[i], NULL);
		sum += values[i];
	}
	qsort(values, count, sizeof values[0], compare);
	cr_assert_eq(histogram.count, count);
	cr_assert_eq(histogram.sum, sum);
	cr_assert_eq(histogram.least, values[0]);
	cr_assert_eq(histogram.largest, values[count - 1]);
	histogram_percentiles(&histogram, permilles, sizeof permilles / sizeof permilles[0], together);
	for (unsigned i = 0; i < sizeof permilles / sizeof permilles[0]; i++) {
		uint64_t wanted = exact(values, count, permilles[i]), found = histogram_percentile(&histogram, permilles[i]);
		uint64_t error = found > wanted ? found - wanted : wanted - found;

		cr_assert(count <= HISTOGRAM_VALUES ? !error : error * 64 <= wanted, "%u of 1000 of %lu: %lu, not %lu", permilles[i],
			  (unsigned long)count, (unsigned long)found, (unsigned long)wanted);
		cr_assert_eq(together[i], found);
	}
	histogram_fini(&histogram, NULL);
	cr_assert_eq(histogram.count, 0);
}

TestSuite(histogram, .timeout = HANG_SECONDS);

Test(histogram, reports_percentiles_within_the_error_that_it_states)
{
	static uint64_t values[100000];
	uint64_t state = 1;

	for (unsigned bits = 1; bits < 44; bits++) {
		for (uint64_t count = 1; count <= 100000; count = count * 7 + 1) {
			for (uint64_t i = 0; i < count; i++) {
				state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
				values[i] = state >> 20 >> (44 - bits) >> (state >> 8 & 7);
			}
			check(values, count);
		}
	}
}

Test(histogram, is_exact_for_one_value_and_for_small_ones)
{
	for (uint64_t value = 0; value < 32; value++) {
		uint64_t values[] = { value, 31 - value, value };
		struct histogram histogram = { 0 };

		check(values, 3);
		for (unsigned i = 0; i < 3; i++)
			histogram_add(&histogram, values[i], NULL);
		cr_assert_eq(histogram_percentile(&histogram, 500), value);
	}
	for (unsigned bit = 0; bit < 44; bit++) {
		uint64_t value = (UINT64_C(1) << bit) + 5;
		struct histogram histogram = { 0 };

		histogram_add(&histogram, value, NULL);
		cr_assert_eq(histogram_percentile(&histogram, 999), value);
	}
}

Test(histogram, reports_the_largest_value_of_those_beyond_its_range)
{
	struct histogram histogram = { 0 };

	histogram_add(&histogram, UINT64_C(1) << 50, NULL);
	histogram_add(&histogram, UINT64_C(1) << 51, NULL);
	cr_assert_eq(histogram_percentile(&histogram, 1000), UINT64_C(1) << 51);
	cr_assert_eq(histogram.least, UINT64_C(1) << 50);
}

static void check_same(const struct histogram *histogram, const struct histogram *other)
{
	cr_assert_eq(histogram->count, other->count);
	cr_assert_eq(histogram->sum, other->sum);
	cr_assert_eq(histogram->least, other->least);
	cr_assert_eq(histogram->largest, other->largest);
	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
		cr_assert_eq(histogram_bucket(histogram, bucket), histogram_bucket(other, bucket), "bucket %u", bucket);
}

Test(histogram, merging_equals_adding_all_values)
{
	static struct histogram parts[2], whole;
	struct histogram empty = { 0 };

	for (uint64_t i = 0; i < 1000; i++) {
		histogram_add(&parts[i % 3 == 0], i * i * i, NULL);
		histogram_add(&whole, i * i * i, NULL);
	}
	histogram_merge(&parts[0], &parts[1], NULL);
	histogram_merge(&parts[0], &empty, NULL);
	check_same(&parts[0], &whole);
	histogram_merge(&empty, &whole, NULL);
	check_same(&empty, &whole);
}

Test(histogram, has_counters_only_for_the_powers_of_two_that_came)
{
	struct histogram histogram = { 0 };
	struct histogram_memory memory = { .most = 1 << 20, .most_by_values = 1 << 20 };

	for (uint64_t value = 4096; value < 8192; value++)
		histogram_add(&histogram, value, &memory);
	cr_assert_null(histogram.buckets);
	histogram_add(&histogram, 4096, &memory);
	cr_assert_eq(histogram.buckets->count, 1);
	cr_assert_null(histogram.values);
	for (unsigned bit = 0; bit < 64; bit++)
		histogram_add(&histogram, UINT64_C(1) << bit, &memory);
	cr_assert_eq(histogram.buckets->count, HISTOGRAM_GROUPS);
	cr_assert_eq(memory.used, HISTOGRAM_MEMORY);
	cr_assert_eq(memory.unplaced, 0);
	cr_assert_eq(histogram_bucket(&histogram, HISTOGRAM_BUCKETS - 1), 20);
	histogram_fini(&histogram, &memory);
	cr_assert_eq(memory.used, 0);
}

/* Sizes of messages are mostly equal. */
Test(histogram, of_equal_values_takes_no_memory_until_another_value_is_added)
{
	static struct histogram few, many, other;
	struct histogram_memory memory = { .most = 1 << 20, .most_by_values = 1 << 20 };

	for (unsigned i = 0; i < 10000; i++) {
		histogram_add(&many, 4096, &memory);
		if (i < 100)
			histogram_add(&few, 4096, &memory);
	}
	cr_assert_eq(memory.used, 0);
	cr_assert_eq(histogram_percentile(&many, 500), 4096);
	cr_assert_eq(histogram_above(&many, 4096), 10000);
	cr_assert_eq(histogram_above(&many, 4097), 0);
	histogram_add(&few, 1, &memory);
	histogram_add(&many, 1, &memory);
	cr_assert_eq(histogram_percentile(&few, 9), 1);
	cr_assert_eq(histogram_percentile(&few, 10), 4096);
	cr_assert_eq(histogram_bucket(&many, 1), 1);
	cr_assert_leq(memory.used, 2000);
	for (unsigned i = 0; i < 5000; i++)
		histogram_add(&other, 70, &memory);
	histogram_merge(&other, &many, &memory);
	cr_assert_eq(other.count, 15001);
	cr_assert_eq(histogram_above(&other, 1000), 10000);
	histogram_merge(&few, &other, &memory);
	cr_assert_eq(histogram_above(&few, 1000), 10100);
	cr_assert_eq(memory.unplaced, 0);
	histogram_fini(&few, &memory);
	histogram_fini(&many, &memory);
	histogram_fini(&other, &memory);
	cr_assert_eq(memory.used, 0);
}

Test(histogram, counts_values_for_which_there_is_no_memory)
{
	struct histogram histogram = { 0 };
	struct histogram_memory memory = { .most = 300, .most_by_values = 100 };

	for (uint64_t value = 1; value < 1 << 12; value++) {
		histogram_add(&histogram, value, &memory);
		cr_assert_leq(memory.used, memory.most);
	}
	cr_assert_eq(histogram.count, (1 << 12) - 1);
	cr_assert_gt(memory.unplaced, 0);
	cr_assert_eq(memory.unplaced, histogram.unplaced);
	histogram_fini(&histogram, &memory);
	cr_assert_eq(memory.used, 0);
}

Test(histogram, keeps_values_only_within_the_memory_for_them)
{
	struct histogram_memory memory = { .most = 4000, .most_by_values = 1000 };
	struct histogram histograms[2] = { { 0 }, { 0 } };

	for (uint64_t i = 0; i < 1000; i++) {
		histogram_add(&histograms[i & 1], 1000 + i, &memory);
		cr_assert_leq(memory.used_by_values, memory.most_by_values);
		if (i == 60)
			cr_assert_eq(histogram_percentile(&histograms[0], 500), 1030);
	}
	for (int i = 0; i < 2; i++)
		cr_assert_leq(llabs((long long)histogram_percentile(&histograms[i], 500) - 1499), 1499 / 64);
	histogram_fini(&histograms[0], &memory);
	histogram_merge(&histograms[0], &histograms[1], &memory);
	cr_assert_eq(histograms[0].count, 500);
	for (int i = 0; i < 2; i++)
		histogram_fini(&histograms[i], &memory);
	cr_assert_eq(memory.used, 0);
}

/* Latencies of a capture whose clock jumped by centuries: the mean is then too small, but not arbitrary. */
Test(histogram, has_a_sum_that_does_not_wrap)
{
	struct histogram one = { 0 }, other = { 0 };

	for (int i = 0; i < 3; i++)
		histogram_add(&one, INT64_MAX, NULL);
	cr_expect_eq(one.sum, UINT64_MAX);
	histogram_add(&other, INT64_MAX, NULL);
	histogram_add(&other, INT64_MAX, NULL);
	cr_expect_eq(other.sum, UINT64_MAX - 1);
	histogram_add(&other, 1, NULL);
	cr_expect_eq(other.sum, UINT64_MAX);
	histogram_merge(&other, &one, NULL);
	cr_expect_eq(other.sum, UINT64_MAX);
	cr_expect_eq(other.count, 6);
	histogram_fini(&one, NULL);
	histogram_fini(&other, NULL);
}

Test(histogram, of_nothing_reports_zero)
{
	struct histogram empty = { 0 };

	cr_assert_eq(histogram_percentile(&empty, 500), 0);
}
