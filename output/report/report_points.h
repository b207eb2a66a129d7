/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a plot is drawn from, in memory of a fixed size: all points as long as there are few of them; of more, in each of a number of
 * equal slices of time the lowest and the highest, and some of those between. So every point kept is one that was there, none that stood
 * alone is lost, and the shape of all of them is kept.
 */
#ifndef OUTPUT_REPORT_REPORT_POINTS_H
#define OUTPUT_REPORT_REPORT_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins each kind of point. */
struct report_spot {
	int64_t time_ns;
	int64_t place;      /* on the other axis */
};

#define REPORT_MOST_SLICES 256

/* Initialised with size and slices; the rest zero. */
struct report_points {
	size_t size;        /* bytes of one point */
	uint32_t slices;    /* of time, at most REPORT_MOST_SLICES; four times as many points are kept before they are thinned */
	void *list;
	uint32_t count, room;
	uint64_t seen;      /* all that there were */
	bool thinned;
	uint64_t refused;   /* points that were only counted, because the system had no memory */
};

/* Takes a copy of a point, which begins with a report_spot. */
void report_points_add(struct report_points *points, const void *point);

/* Takes all points of another, which is empty then. Times need not be in order. */
void report_points_merge(struct report_points *points, struct report_points *other);

/* If any were left out already: leaves as many out as that takes. For when no more come. */
void report_points_finish(struct report_points *points);

/* The point, from 0. */
const void *report_points_at(const struct report_points *points, uint32_t index);

/* Frees; empty then. */
void report_points_clear(struct report_points *points);

#endif
