/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting, and allocation within the memory limit.
 */
#include "config.h"

#include <stdlib.h>

#include "output/stats/stats_count.h"

void stats_count(struct stats_occurrences *occurrences, uint64_t frame, int64_t time_ns)
{
	if (!occurrences->count++ || frame < occurrences->first_frame) {
		occurrences->first_frame = frame;
		occurrences->first_ns = time_ns;
	}
	if (frame > occurrences->last_frame) {
		occurrences->last_frame = frame;
		occurrences->last_ns = time_ns;
	}
}

void stats_occurrences_merge(struct stats_occurrences *occurrences, const struct stats_occurrences *other)
{
	if (!other->count)
		return;
	if (!occurrences->count || other->first_frame < occurrences->first_frame) {
		occurrences->first_frame = other->first_frame;
		occurrences->first_ns = other->first_ns;
	}
	if (other->last_frame > occurrences->last_frame) {
		occurrences->last_frame = other->last_frame;
		occurrences->last_ns = other->last_ns;
	}
	occurrences->count += other->count;
}

void *stats_allocate(struct stats *stats, size_t size)
{
	void *memory = size <= stats->options.max_memory - stats->memory ? calloc(1, size) : NULL;

	if (memory)
		stats->memory += size;
	return memory;
}

void stats_free(struct stats *stats, void *memory, size_t size)
{
	stats->memory -= memory ? size : 0;
	free(memory);
}

void stats_add_value(struct stats *stats, struct histogram *histogram, uint64_t value)
{
	histogram_add(histogram, value, &stats->values);
}
