/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting, and memory for it within the limit.
 */
#ifndef OUTPUT_STATS_STATS_COUNT_H
#define OUTPUT_STATS_STATS_COUNT_H

#include "output/stats/stats.h"

/* Zeroed memory that may come to take `most` bytes with all that it will hold; NULL: there is none within the limit. */
void *stats_take_most(struct stats *stats, size_t size, uint64_t most);

/* Gives back what stats_take_most() gave. NULL is ignored. */
void stats_give_most(struct stats *stats, void *memory, uint64_t most);

/* Zeroed memory within the limit, with as much as the histograms in it can take; NULL: there is none. */
void *stats_take(struct stats *stats, size_t size, unsigned histograms);

/* Gives back what stats_take() gave. NULL is ignored. */
void stats_give(struct stats *stats, void *memory, size_t size, unsigned histograms);

/* Adds to a histogram of these counts. */
void stats_add_value(struct stats *stats, struct histogram *histogram, uint64_t value);

void stats_count(struct stats_tally *tally, uint64_t frame);

void stats_tally_merge(struct stats_tally *tally, const struct stats_tally *other);

#endif
