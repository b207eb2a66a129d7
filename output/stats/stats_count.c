/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting, and allocation within the memory limit.
 */
#include "config.h"

#include <stdlib.h>

#include "output/stats/stats_count.h"

void stats_count(struct stats_occurrences *occurrences, uint64_t frame)
{
	if (!occurrences->count++ || frame < occurrences->first_frame)
		occurrences->first_frame = frame;
	if (frame > occurrences->last_frame)
		occurrences->last_frame = frame;
}

void stats_occurrences_merge(struct stats_occurrences *occurrences, const struct stats_occurrences *other)
{
	if (!other->count)
		return;
	if (!occurrences->count || other->first_frame < occurrences->first_frame)
		occurrences->first_frame = other->first_frame;
	if (other->last_frame > occurrences->last_frame)
		occurrences->last_frame = other->last_frame;
	occurrences->count += other->count;
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
