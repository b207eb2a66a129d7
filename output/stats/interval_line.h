/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Intervals of a live capture as lines of text with fixed columns.
 */
#ifndef OUTPUT_STATS_INTERVAL_LINE_H
#define OUTPUT_STATS_INTERVAL_LINE_H

#include "dissect/engine/line.h"
#include "output/stats/stats.h"

struct interval_line {
	const struct stats *stats;
	uint64_t index; /* of the interval, less than interval_count, or without packets */
};

/* Both for printer_write(); the heading ignores its argument, a line is of a struct interval_line. */
void interval_line_heading(const void *nothing, struct line *line);
void interval_line_write(const void *what, struct line *line);

#endif
