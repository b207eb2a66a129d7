/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "output/report/report_points.h"

#define FIRST_ROOM 16

static char *place_of(const struct report_points *points, uint32_t index)
{
	return (char *)points->list + index * points->size;
}

const void *report_points_at(const struct report_points *points, uint32_t index)
{
	return place_of(points, index);
}

static const struct report_spot *spot(const struct report_points *points, uint32_t index)
{
	return report_points_at(points, index);
}

/* Time stamps can be centuries apart: their difference needs all 64 bits. */
static uint32_t slice_of(const struct report_points *points, int64_t time_ns, int64_t first_ns, int64_t last_ns)
{
	double part = (double)((uint64_t)time_ns - (uint64_t)first_ns) / ((double)((uint64_t)last_ns - (uint64_t)first_ns) + 1);
	uint32_t slice = (uint32_t)(part * points->slices);

	return slice < points->slices ? slice : points->slices - 1;
}

static void thin(struct report_points *points)
{
	uint32_t lowest[REPORT_MOST_SLICES], highest[REPORT_MOST_SLICES], extremes = 0, between = 0, every, kept = 0;
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;

	memset(lowest, 0xff, sizeof lowest);
	for (uint32_t i = 0; i < points->count; i++) {
		first_ns = spot(points, i)->time_ns < first_ns ? spot(points, i)->time_ns : first_ns;
		last_ns = spot(points, i)->time_ns > last_ns ? spot(points, i)->time_ns : last_ns;
	}
	for (uint32_t i = 0; i < points->count; i++) {
		uint32_t slice = slice_of(points, spot(points, i)->time_ns, first_ns, last_ns);

		if (lowest[slice] == UINT32_MAX) {
			lowest[slice] = highest[slice] = i;
			continue;
		}
		if (spot(points, i)->place < spot(points, lowest[slice])->place)
			lowest[slice] = i;
		if (spot(points, i)->place > spot(points, highest[slice])->place)
			highest[slice] = i;
	}
	for (uint32_t i = 0; i < points->slices; i++)
		if (lowest[i] != UINT32_MAX)
			extremes += lowest[i] != highest[i] ? 2 : 1;
	every = (points->count - extremes) / (points->slices * 3 - extremes) + 1;
	for (uint32_t i = 0; i < points->count; i++) {
		uint32_t slice = slice_of(points, spot(points, i)->time_ns, first_ns, last_ns);

		if (i == lowest[slice] || i == highest[slice] || ++between % every == 0)
			memmove(place_of(points, kept++), place_of(points, i), points->size);
	}
	points->thinned |= kept < points->count;
	points->count = kept;
}

static bool make_room(struct report_points *points)
{
	uint32_t most = points->slices * 4;
	void *larger;

	if (points->room == most) {
		thin(points);
		return true;
	}
	larger = array_reserve(points->list, &points->room, points->room + 1, FIRST_ROOM, most, points->size);
	if (!larger)
		return false;
	points->list = larger;
	return true;
}

void report_points_add(struct report_points *points, const void *point)
{
	points->seen++;
	if (points->count == points->room && !make_room(points)) {
		points->thinned = true;
		points->refused++;
		return;
	}
	memcpy(place_of(points, points->count++), point, points->size);
}

void report_points_merge(struct report_points *points, struct report_points *other)
{
	uint64_t seen = points->seen + other->seen;

	for (uint32_t i = 0; i < other->count; i++)
		report_points_add(points, report_points_at(other, i));
	points->seen = seen;
	points->thinned |= other->thinned;
	points->refused += other->refused;
	report_points_clear(other);
}

void report_points_finish(struct report_points *points)
{
	if (points->thinned && points->count)
		thin(points);
}

void report_points_clear(struct report_points *points)
{
	free(points->list);
	*points = (struct report_points){ .size = points->size, .slices = points->slices };
}
