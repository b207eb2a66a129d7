/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting, and allocation within the memory limit.
 */
#ifndef OUTPUT_STATS_STATS_COUNT_H
#define OUTPUT_STATS_STATS_COUNT_H

#include "output/stats/stats.h"

/* Allocates zeroed memory; NULL: out of memory or over the limit. Histograms in it are charged as they grow (stats->values). */
void *stats_allocate(struct stats *stats, size_t size);

/* Frees memory of stats_allocate(). NULL is ignored. */
void stats_free(struct stats *stats, void *memory, size_t size);

/* Adds a value to a histogram of these statistics. */
void stats_add_value(struct stats *stats, struct histogram *histogram, uint64_t value);

void stats_count(struct stats_occurrences *occurrences, uint64_t frame, int64_t time_ns);

void stats_occurrences_merge(struct stats_occurrences *occurrences, const struct stats_occurrences *other);

/* Adds the earliest and the latest time of some packets to those so far. is_first: there are none yet. */
static inline void stats_add_times(int64_t *first_ns, int64_t *last_ns, bool is_first, int64_t earliest_ns, int64_t latest_ns)
{
	if (is_first || earliest_ns < *first_ns)
		*first_ns = earliest_ns;
	if (is_first || latest_ns > *last_ns)
		*last_ns = latest_ns;
}

#endif
