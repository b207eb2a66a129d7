/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Axes of plots.
 */
#ifndef OUTPUT_REPORT_HTML_AXIS_H
#define OUTPUT_REPORT_HTML_AXIS_H

#include "output/report/html.h"

/* The drawing area of a plot, which cuts off what is outside but for half a sign; ends with "</svg>". */
void html_area_begin(struct line *line, double left, double right, double top, double bottom);

/* Attributes for the script: where the area is, what its edges on the axis of time stand for, and the units. */
void html_area_data(struct line *line, const struct html_axis *x, double top, double bottom, struct html_unit unit);

/* <text class="..." x="..." y="...">, to be closed by the caller. */
void html_label(struct line *line, const char *name, double x, double y);

/* A coordinate, with one decimal. */
void html_pixel(struct line *line, double place);
double html_place(const struct html_axis *axis, double value);

/* Widens a logarithmic axis to powers of ten. */
void html_round_decades(struct html_axis *axis);

/* Raises an axis' high to the next tick, so that nothing stands in the frame's corner. */
void html_round_up(struct html_axis *axis, unsigned most);

/* 1, 2 or 5 times a power of ten, of which at most `most` fit into the span. */
double html_step(double span, unsigned most);

/* Lines of the grid with their numbers in this unit; across: from pixel `from` to `to`. The script in the page draws them anew. */
void html_ticks_x(struct line *line, const struct html_axis *axis, struct html_unit unit, double from, double to);
void html_ticks_y(struct line *line, const struct html_axis *axis, struct html_unit unit, double from, double to, unsigned most);

#endif
