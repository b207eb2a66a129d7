/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How values are distributed, in memory of a limited size. The first values are kept, so percentiles are exact. Of more than that,
 * values below 64 are counted one by one, each power of two above in 32 parts of equal width: a percentile is at most
 * 1/64 (1.6 %) from the exact one. Count, sum, least and largest are always exact. Most distributions are of few powers of two:
 * only those have counters.
 */
#ifndef OUTPUT_STATS_HISTOGRAM_H
#define OUTPUT_STATS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_PART_BITS 5
#define HISTOGRAM_VALUE_BITS 44 /* nanoseconds: 4.8 hours; bytes: 16 TiB. What is larger counts as the largest value */
#define HISTOGRAM_GROUPS (HISTOGRAM_VALUE_BITS - HISTOGRAM_PART_BITS + 1)
#define HISTOGRAM_BUCKETS (HISTOGRAM_GROUPS << HISTOGRAM_PART_BITS)

/* The buckets of a power of two; the first group is of all values below the parts. */
struct histogram_group {
	uint32_t counts[1 << HISTOGRAM_PART_BITS]; /* a full one takes no more */
};

/* The most memory that the counters of one take, in bytes. */
#define HISTOGRAM_MEMORY (HISTOGRAM_GROUPS * sizeof(struct histogram_group))

/* So many values are kept, at most. */
#define HISTOGRAM_VALUES 4096

struct histogram_values {
	uint32_t room;
	bool sorted;
	uint64_t list[];
};

/* Memory that the values of several histograms may take together, in bytes. */
struct histogram_memory {
	uint64_t used, most;
	uint64_t refused;          /* times the system had none: percentiles that would be exact are not */
};

/* All zero: empty. */
struct histogram {
	uint64_t count, sum, least, largest; /* sum: no more than UINT64_MAX, of times 584 years */
	struct histogram_values *values;   /* all of them; NULL: they are in buckets, or there are none */
	uint64_t unplaced;                 /* values of these for which memory was out: they are in no bucket and no percentile */
	struct histogram_group *groups;    /* in the order in which they were needed */
	uint8_t group_count, group_room;
	uint8_t places[HISTOGRAM_GROUPS];  /* of each power of two its place in `groups`, from 1; 0: it has none */
};

/* False: memory is out; the value is unplaced. `memory`: what values may take; NULL: as much as they need. */
bool histogram_add(struct histogram *histogram, uint64_t value, struct histogram_memory *memory);

/* Adds all values of another. Returns how many of those that it had are unplaced now. */
uint64_t histogram_merge(struct histogram *histogram, const struct histogram *other, struct histogram_memory *memory);

/* How many values a bucket has counted. */
uint64_t histogram_bucket(const struct histogram *histogram, unsigned bucket);

/* The least value that a bucket counts. */
uint64_t histogram_begin(unsigned bucket);

/* How many values are this large or larger; those in buckets by the middles of them. At least 1 if the largest is. */
uint64_t histogram_above(const struct histogram *histogram, uint64_t value);

/* The value that `permille` of 1000 values do not exceed (the nearest rank); 0 of an empty histogram. */
uint64_t histogram_percentile(const struct histogram *histogram, unsigned permille);

/* The same for several at once, the least first. */
void histogram_percentiles(const struct histogram *histogram, const unsigned *permilles, unsigned count, uint64_t *values);

/* Frees what it holds, and leaves it empty. */
void histogram_fini(struct histogram *histogram, struct histogram_memory *memory);

#endif
