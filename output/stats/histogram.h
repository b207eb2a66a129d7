/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Distributions of values in bounded memory. A limited number of values is stored, and percentiles are exact. With more values, those
 * below 64 are counted individually, and each power of two above is divided into 32 buckets of equal width: a percentile then differs
 * from the exact one by at most 1/64 (1.6 %). Count, sum, least and largest are always exact. Counters are allocated only for the powers
 * of two that occur, usually few.
 */
#ifndef OUTPUT_STATS_HISTOGRAM_H
#define OUTPUT_STATS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_PART_BITS 5
#define HISTOGRAM_VALUE_BITS 44 /* nanoseconds: 4.8 hours; bytes: 16 TiB. Larger values count as the largest one */
#define HISTOGRAM_GROUPS (HISTOGRAM_VALUE_BITS - HISTOGRAM_PART_BITS + 1)
#define HISTOGRAM_BUCKETS (HISTOGRAM_GROUPS << HISTOGRAM_PART_BITS)

/* The buckets of a power of two; those of the first group count the values below 32. */
struct histogram_group {
	uint32_t counts[1 << HISTOGRAM_PART_BITS]; /* saturating */
};

/* The most memory for the counters of one histogram, in bytes. */
#define HISTOGRAM_MEMORY (sizeof(struct histogram_buckets) + HISTOGRAM_GROUPS * sizeof(struct histogram_group))

/* The groups that have values. */
struct histogram_buckets {
	uint8_t count, room;
	uint8_t places[HISTOGRAM_GROUPS];  /* index in `groups` of each power of two, from 1; 0: none */
	struct histogram_group groups[];   /* in order of first use */
};

/* The most values stored. */
#define HISTOGRAM_VALUES 4096

struct histogram_values {
	uint32_t room;
	bool sorted;
	uint64_t list[];
};

/* Memory shared by several histograms: what they have allocated, and the limits, in bytes. */
struct histogram_memory {
	uint64_t used, most;
	uint64_t used_by_values, most_by_values; /* part of `used` for stored values; the rest is for counters */
	uint64_t refused;                  /* failed allocations: percentiles that could be exact are not */
	uint64_t unplaced;                 /* of all these histograms */
};

/* Zero-initialised: empty. */
struct histogram {
	uint64_t count, sum, least, largest; /* sum: saturates at UINT64_MAX, 584 years in nanoseconds */
	struct histogram_values *values;   /* all values; NULL: they are in buckets, all equal, or there are none */
	struct histogram_buckets *buckets; /* NULL: none */
	uint64_t unplaced;                 /* values lost for lack of memory: in no bucket and no percentile */
};

/* Adds a value. `memory`: shared with other histograms; NULL: unlimited. */
void histogram_add(struct histogram *histogram, uint64_t value, struct histogram_memory *memory);

/* Adds all values of `other`. */
void histogram_merge(struct histogram *histogram, const struct histogram *other, struct histogram_memory *memory);

/* Number of values in a bucket. */
uint64_t histogram_bucket(const struct histogram *histogram, unsigned bucket);

/* The lower bound of a bucket. */
uint64_t histogram_begin(unsigned bucket);

/* Number of values >= `value`; values in buckets count with the middle of the bucket. At least 1 if the largest value is. */
uint64_t histogram_above(const struct histogram *histogram, uint64_t value);

/* The percentile by nearest rank: `permille` of 1000 values do not exceed it; 0 for an empty histogram. */
uint64_t histogram_percentile(const struct histogram *histogram, unsigned permille);

/* Several percentiles at once, in ascending order. */
void histogram_percentiles(const struct histogram *histogram, const unsigned *permilles, unsigned count, uint64_t *values);

/* Frees the histogram's memory; empty afterwards. */
void histogram_fini(struct histogram *histogram, struct histogram_memory *memory);

#endif
