/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/histogram.h"

#define PARTS (UINT64_C(1) << HISTOGRAM_PART_BITS)

static unsigned bucket_of(uint64_t value)
{
	unsigned shift;

	if (value < PARTS)
		return (unsigned)value;
	if (value >> HISTOGRAM_VALUE_BITS)
		return HISTOGRAM_BUCKETS - 1;
	shift = 63 - HISTOGRAM_PART_BITS - (unsigned)__builtin_clzll(value);
	return (shift + 1) << HISTOGRAM_PART_BITS | (unsigned)(value >> shift & (PARTS - 1));
}

uint64_t histogram_begin(unsigned bucket)
{
	return bucket < PARTS ? bucket : (PARTS | (bucket & (PARTS - 1))) << ((bucket >> HISTOGRAM_PART_BITS) - 1);
}

/* The middle of its values. */
static uint64_t value_of(unsigned bucket)
{
	unsigned shift = (bucket >> HISTOGRAM_PART_BITS) - 1;

	if (bucket < PARTS)
		return bucket;
	return ((PARTS | (bucket & (PARTS - 1))) << shift) + ((UINT64_C(1) << shift) - 1) / 2;
}

static void bucket_add(uint32_t *bucket, uint32_t count)
{
	*bucket = *bucket > UINT32_MAX - count ? UINT32_MAX : *bucket + count;
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
	if (!histogram->count || value < histogram->least)
		histogram->least = value;
	if (value > histogram->largest)
		histogram->largest = value;
	histogram->count++;
	histogram->sum += value;
	bucket_add(&histogram->buckets[bucket_of(value)], 1);
}

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
	if (!other->count)
		return;
	if (!histogram->count || other->least < histogram->least)
		histogram->least = other->least;
	if (other->largest > histogram->largest)
		histogram->largest = other->largest;
	histogram->count += other->count;
	histogram->sum += other->sum;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		bucket_add(&histogram->buckets[i], other->buckets[i]);
}

uint64_t histogram_above(const struct histogram *histogram, uint64_t value)
{
	uint64_t count = 0;

	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
		count += value_of(bucket) >= value ? histogram->buckets[bucket] : 0;
	return count || histogram->largest < value ? count : 1;
}

uint64_t histogram_percentile(const struct histogram *histogram, unsigned permille)
{
	uint64_t rank = histogram->count / 1000 * permille + (histogram->count % 1000 * permille + 999) / 1000, below = 0, value;
	unsigned bucket = bucket_of(histogram->least);

	if (!histogram->count)
		return 0;
	for (; bucket < HISTOGRAM_BUCKETS - 1; bucket++) {
		below += histogram->buckets[bucket];
		if (below >= rank)
			break;
	}
	/* the last bucket holds what no other does */
	value = bucket < HISTOGRAM_BUCKETS - 1 ? value_of(bucket) : histogram->largest;
	if (value < histogram->least)
		return histogram->least;
	return value > histogram->largest ? histogram->largest : value;
}
