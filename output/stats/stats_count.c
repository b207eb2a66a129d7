/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting, and allocation within the memory limit.
 */
#include "config.h"

#include <stdlib.h>

#include "output/stats/stats_count.h"

void stats_count(struct stats_tally *tally, uint64_t frame)
{
	if (!tally->count++ || frame < tally->first_frame)
		tally->first_frame = frame;
	if (frame > tally->last_frame)
		tally->last_frame = frame;
}

void stats_tally_merge(struct stats_tally *tally, const struct stats_tally *other)
{
	if (!other->count)
		return;
	if (!tally->count || other->first_frame < tally->first_frame)
		tally->first_frame = other->first_frame;
	if (other->last_frame > tally->last_frame)
		tally->last_frame = other->last_frame;
	tally->count += other->count;
}

void *stats_take_most(struct stats *stats, size_t size, uint64_t most)
{
	void *memory = most <= stats->options.max_memory - stats->memory ? calloc(1, size) : NULL;

	if (memory)
		stats->memory += most;
	return memory;
}

void *stats_take(struct stats *stats, size_t size, unsigned histograms)
{
	return stats_take_most(stats, size, size + histograms * HISTOGRAM_MEMORY);
}

void stats_give_most(struct stats *stats, void *memory, uint64_t most)
{
	stats->memory -= memory ? most : 0;
	free(memory);
}

void stats_give(struct stats *stats, void *memory, size_t size, unsigned histograms)
{
	stats_give_most(stats, memory, size + histograms * HISTOGRAM_MEMORY);
}

void stats_add_value(struct stats *stats, struct histogram *histogram, uint64_t value)
{
	if (!histogram_add(histogram, value, &stats->values))
		stats->unplaced_values++;
}
