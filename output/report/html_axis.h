/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Axes of plots.
 */
#ifndef OUTPUT_REPORT_HTML_AXIS_H
#define OUTPUT_REPORT_HTML_AXIS_H

#include "output/report/html.h"

/* Begins the drawing area of a plot, which clips marks outside of it beyond half their size; ends with "</svg>". */
void html_area_begin(struct line *line, double left, double right, double top, double bottom);

/* Begins a part of a plot that the script stretches along the time axis; what leaves the axis is clipped. */
void html_stretch_begin(struct line *line, const struct html_axis *x, double top, double bottom);
void html_stretch_end(struct line *line);

/* Attributes for the script: position of the area, times at its left and right edges, their unit, and the time since the capture's beginning. */
void html_area_data(struct line *line, const struct html_axis *x, double top, double bottom, struct html_unit unit, int64_t start_ns);

/* <text class="..." x="..." y="...">, to be closed by the caller. */
void html_label(struct line *line, const char *name, double x, double y);

/* A coordinate with one decimal. */
void html_pixel(struct line *line, double place);
double html_place(const struct html_axis *axis, double value);

/* Extends a logarithmic axis to powers of ten. */
void html_round_decades(struct html_axis *axis);

/* Raises an axis's `high` to the next tick, so that no value touches the corner of the frame. */
void html_round_up(struct html_axis *axis, unsigned most);

/* A step of 1, 2 or 5 times a power of ten, such that at most `most` steps fit into the span. */
double html_step(double span, unsigned most);

#define HTML_ROWS 6

/* Rows of bars, so that those of one row do not overlap. All zero: none. */
struct html_rows {
	unsigned count;
	double ends[HTML_ROWS]; /* pixels up to which a row is occupied */
};

/* The first row free at `begin`, which is occupied up to `end` then; the last if none is. */
unsigned html_rows_take(struct html_rows *rows, double begin, double end);

/* Grid lines, from pixel `from` to `to`, with their numbers in `unit`. The page's script redraws them. */
void html_ticks_x(struct line *line, const struct html_axis *axis, struct html_unit unit, double from, double to);
void html_ticks_y(struct line *line, const struct html_axis *axis, struct html_unit unit, double from, double to, unsigned most);

#endif
