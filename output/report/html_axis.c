/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <math.h>

#include "output/report/html.h"
#include "output/report/html_axis.h"

/* Pixels between two numbers on the time axis; upper limit of numbers on any axis, despite rounding. */
#define TICK_PIXELS 90
#define MOST_TICKS 24

double html_place(const struct html_axis *axis, double value)
{
	double low = axis->low, high = axis->high;

	if (axis->is_logarithmic) {
		value = log10(value > low ? value : low);
		low = log10(low);
		high = log10(high);
	}
	return axis->begin + (high > low ? (value - low) / (high - low) : 0) * (axis->end - axis->begin);
}

double html_step(double span, unsigned most)
{
	double step;

	if (!(span > 0))
		return 1;
	step = pow(10, floor(log10(span / most)));
	return span / (step * 1) <= most ? step : span / (step * 2) <= most ? step * 2 : span / (step * 5) <= most ? step * 5 : step * 10;
}

void html_round_up(struct html_axis *axis, unsigned most)
{
	double step = html_step(axis->high - axis->low, most);

	axis->high = axis->low + ceil((axis->high - axis->low) / step - 1e-9) * step;
}

void html_round_decades(struct html_axis *axis)
{
	axis->low = pow(10, floor(log10(axis->low > 1 ? axis->low : 1)));
	axis->high = pow(10, ceil(log10(axis->high > 1 ? axis->high : 1)));
	if (axis->high <= axis->low)
		axis->high = axis->low * 10;
}

void html_pixel(struct line *line, double place)
{
	html_fixed(line, place, 1);
}

#define SIGN_HALF 8

void html_area_begin(struct line *line, double left, double right, double top, double bottom)
{
	for (int i = 0; i < 2; i++) {
		line_text(line, i ? "viewBox=\"" : "<svg class=\"area\" x=\"");
		html_pixel(line, left - SIGN_HALF);
		line_text(line, i ? " " : "\" y=\"");
		html_pixel(line, top - SIGN_HALF);
		line_text(line, i ? " " : "\" width=\"");
		html_pixel(line, right - left + 2 * SIGN_HALF);
		line_text(line, i ? " " : "\" height=\"");
		html_pixel(line, bottom - top + 2 * SIGN_HALF);
		line_text(line, i ? "\">\n" : "\" ");
	}
}

void html_stretch_begin(struct line *line, const struct html_axis *x, double top, double bottom)
{
	for (int i = 0; i < 2; i++) {
		line_text(line, i ? " viewBox=\"" : "<svg x=\"");
		html_pixel(line, x->begin);
		line_text(line, i ? " " : "\" y=\"");
		html_pixel(line, top);
		line_text(line, i ? " " : "\" width=\"");
		html_pixel(line, x->end - x->begin);
		line_text(line, i ? " " : "\" height=\"");
		html_pixel(line, bottom - top);
		line_char(line, '"');
	}
	line_text(line, "><g class=\"stretch\">");
}

void html_stretch_end(struct line *line)
{
	line_text(line, "</g></svg>");
}

void html_area_data(struct line *line, const struct html_axis *x, double top, double bottom, struct html_unit unit, int64_t start_ns)
{
	const double box[] = { x->begin, x->end, bottom, top };

	line_text(line, " data-box=\"");
	for (unsigned i = 0; i < 4; i++) {
		line_text(line, i ? " " : "");
		html_pixel(line, box[i]);
	}
	line_text(line, "\" data-x=\"");
	html_fixed(line, x->low, 0);
	line_char(line, ' ');
	html_fixed(line, x->high, 0);
	line_text(line, "\" data-unit=\"");
	html_fixed(line, unit.size, 0);
	line_text(line, "\" data-start=\"");
	line_seconds(line, start_ns);
	line_char(line, '"');
}

void html_label(struct line *line, const char *name, double x, double y)
{
	line_text(line, "<text class=\"");
	line_text(line, name);
	line_text(line, "\" x=\"");
	html_pixel(line, x);
	line_text(line, "\" y=\"");
	html_pixel(line, y);
	line_text(line, "\">");
}

/* Number of decimals that distinguishes ticks. */
static unsigned decimals_of(double step)
{
	unsigned decimals = 0;

	for (; step < 0.999 && decimals < 9; decimals++)
		step *= 10;
	return decimals;
}

static void grid_line(struct line *line, double x1, double y1, double x2, double y2)
{
	line_text(line, "<path class=\"grid\" d=\"M");
	html_pixel(line, x1);
	line_char(line, ' ');
	html_pixel(line, y1);
	line_char(line, 'L');
	html_pixel(line, x2);
	line_char(line, ' ');
	html_pixel(line, y2);
	line_text(line, "\"/>");
}

void html_ticks_x(struct line *line, const struct html_axis *axis, struct html_unit unit, double from, double to)
{
	double low = axis->low / unit.size, high = axis->high / unit.size;
	double step = html_step(high - low, (unsigned)((axis->end - axis->begin) / TICK_PIXELS)), first = ceil(low / step - 1e-9);

	line_text(line, "<g class=\"ticks-x\">");
	for (unsigned i = 0; i < MOST_TICKS && (first + i) * step <= high + step * 1e-9; i++) {
		double x = html_place(axis, (first + i) * step * unit.size);

		grid_line(line, x, from, x, to);
		html_label(line, "tx", x, to + 15);
		html_fixed(line, (first + i) * step, decimals_of(step));
		line_text(line, "</text>");
	}
	line_text(line, "</g>\n");
}

void html_ticks_y(struct line *line, const struct html_axis *axis, struct html_unit unit, double from, double to, unsigned most)
{
	double low = axis->low / unit.size, high = axis->high / unit.size;
	double step = html_step(high - low, most), first = ceil(low / step - 1e-9);

	line_text(line, "<g class=\"ticks-y\">");
	for (unsigned i = 0; i < MOST_TICKS && (first + i) * step <= high + step * 1e-9; i++) {
		double y = html_place(axis, (first + i) * step * unit.size);

		grid_line(line, from, y, to, y);
		html_label(line, "ty", from - 6, y + 4);
		html_fixed(line, (first + i) * step, decimals_of(step));
		line_text(line, first + i != 0 ? unit.name : "");
		line_text(line, "</text>");
	}
	line_text(line, "</g>\n");
}

unsigned html_rows_take(struct html_rows *rows, double begin, double end)
{
	unsigned row = 0;

	while (row < rows->count && rows->ends[row] > begin)
		row++;
	if (row == HTML_ROWS)
		row = HTML_ROWS - 1;
	if (row == rows->count)
		rows->count++;
	if (end > rows->ends[row])
		rows->ends[row] = end;
	return row;
}
