/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How values are distributed, in memory of a fixed size: values below 32 are counted one by one, each power of two above in 16
 * parts of equal width. So a percentile is at most 1/32 (3.1 %) from the exact one; count, sum, least and largest are exact.
 */
#ifndef OUTPUT_HISTOGRAM_H
#define OUTPUT_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_PART_BITS 4
#define HISTOGRAM_VALUE_BITS 44 /* nanoseconds: 4.8 hours; bytes: 16 TiB. What is larger counts as the largest value */
#define HISTOGRAM_BUCKETS ((HISTOGRAM_VALUE_BITS - HISTOGRAM_PART_BITS + 1) << HISTOGRAM_PART_BITS)

/* All zero: empty. */
struct histogram {
	uint64_t count, sum, least, largest;
	uint32_t buckets[HISTOGRAM_BUCKETS]; /* a full one takes no more */
};

void histogram_add(struct histogram *histogram, uint64_t value);

/* Adds all values of another. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);

/* The least value that a bucket counts. */
uint64_t histogram_begin(unsigned bucket);

/* How many values are this large or larger, by the middles of their buckets. At least 1 if the largest is. */
uint64_t histogram_above(const struct histogram *histogram, uint64_t value);

/* The value that `permille` of 1000 values do not exceed (the nearest rank); 0 of an empty histogram. */
uint64_t histogram_percentile(const struct histogram *histogram, unsigned permille);

#endif
