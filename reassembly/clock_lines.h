/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All straight lines that samples of a clock's difference allow: a convex polygon, because each sample allows a half plane of them.
 */
#ifndef REASSEMBLY_CLOCK_LINES_H
#define REASSEMBLY_CLOCK_LINES_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_LINES_CORNERS 32
#define CLOCK_LINES_MOST_UNCERTAINTY 4e9 /* in seconds */

/* A line: `ahead` seconds at the first sample, and `drift`. */
struct clock_line {
	double drift, ahead;
};

struct clock_lines {
	struct clock_line corners[CLOCK_LINES_CORNERS + 1];
	unsigned count;
};

/* Without any sample, all lines with at most this drift are allowed. */
void clock_lines_allow_all(struct clock_lines *allowed, double drift);

/*
 * Cuts off the lines that a sample excludes: those above it, if its packet was captured later by this clock (is_later), else those below it. `time`
 * and `after`: seconds relative to the first sample. False: all of them, so that none was cut off.
 */
bool clock_lines_cut(struct clock_lines *allowed, double time, double after, bool is_later, double tolerance);

/* Cuts off the lines whose drift is not between these. */
void clock_lines_limit_drift(struct clock_lines *allowed, double least, double most);

/* The lines of this drift that are allowed: the range of `ahead`. */
void clock_lines_at(const struct clock_lines *allowed, double drift, double *least, double *most);

/* The range of drifts that are allowed. */
void clock_lines_drifts(const struct clock_lines *allowed, double *least, double *most);

/* The largest distance from a line to any allowed one with at most this drift, in the seconds up to `end`. */
int64_t clock_lines_uncertainty_ns(const struct clock_lines *allowed, const struct clock_line *chosen, double end, double limit);

#endif
