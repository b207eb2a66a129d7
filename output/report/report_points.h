/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Points of a plot in bounded memory. A small number of points is kept completely. Of a larger one, the lowest, the highest and some
 * intermediate points of each of a number of equal time slices are kept. So all points kept are original ones, isolated points are never
 * lost, and the shape is preserved.
 */
#ifndef OUTPUT_REPORT_REPORT_POINTS_H
#define OUTPUT_REPORT_REPORT_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First member of each kind of point. */
struct report_spot {
	int64_t time_ns;
	int64_t place;      /* on the other axis */
};

#define REPORT_MOST_SLICES 256

/* Initialise size and slices; the other members with zero. */
struct report_points {
	size_t size;        /* bytes of one point */
	uint32_t slices;    /* time slices, at most REPORT_MOST_SLICES; thinning starts at four times as many points */
	void *list;
	uint32_t count, room;
	uint64_t seen;      /* all points added */
	bool thinned;
	uint64_t refused;   /* points lost for lack of memory, only counted */
};

/* Adds a copy of a point, which begins with a struct report_spot. */
void report_points_add(struct report_points *points, const void *point);

/* Moves all points of `other`, which is empty afterwards. Times need not be in order. */
void report_points_merge(struct report_points *points, struct report_points *other);

/* Thins the points to the final number if any were omitted already. Call it after the last point. */
void report_points_finish(struct report_points *points);

/* The point at an index from 0. */
const void *report_points_at(const struct report_points *points, uint32_t index);

/* Frees the points; empty afterwards. */
void report_points_clear(struct report_points *points);

#endif
