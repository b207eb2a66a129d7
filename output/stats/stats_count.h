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

#endif
