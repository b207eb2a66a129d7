/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/message/connections.h"
#include "output/report/html.h"
#include "output/report/html_axis.h"
#include "output/report/report_internal.h"
#include "output/report/report_throughput.h"

#define LEFT 90
#define RIGHT 985
#define TOP 14
#define HEIGHT 90
#define TICKS 3
#define LEAST_WIDTH_NS 1000

static void halve(struct report_throughput *throughput)
{
	for (int side = 0; side < 2; side++) {
		uint64_t *bytes = throughput->bytes[side];

		for (unsigned i = 0; i < REPORT_THROUGHPUT_SLICES / 2; i++)
			bytes[i] = bytes[2 * i] + bytes[2 * i + 1];
		memset(bytes + REPORT_THROUGHPUT_SLICES / 2, 0, REPORT_THROUGHPUT_SLICES / 2 * sizeof *bytes);
	}
	throughput->width_ns *= 2;
}

void report_throughput_add(struct report_throughput *throughput, int64_t time_ns, int side, uint64_t bytes)
{
	uint64_t after_ns;

	if (!throughput->width_ns) {
		throughput->begin_ns = time_ns;
		throughput->width_ns = LEAST_WIDTH_NS;
	}
	after_ns = time_ns > throughput->begin_ns ? (uint64_t)time_ns - (uint64_t)throughput->begin_ns : 0;
	while (after_ns / (uint64_t)throughput->width_ns >= REPORT_THROUGHPUT_SLICES)
		halve(throughput);
	throughput->bytes[side][after_ns / (uint64_t)throughput->width_ns] += bytes;
}

/* The bytes of a slice count for its beginning. */
static void add_all(struct report_throughput *throughput, const struct report_throughput *other, bool turned)
{
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < REPORT_THROUGHPUT_SLICES; i++)
			if (other->bytes[side][i])
				report_throughput_add(throughput, (int64_t)((uint64_t)other->begin_ns + (uint64_t)other->width_ns * (unsigned)i), side ^ turned,
						      other->bytes[side][i]);
}

void report_throughput_merge(struct report_throughput *throughput, const struct report_throughput *other, bool turned)
{
	struct report_throughput sum = { .width_ns = 0 };

	if (!other->width_ns)
		return;
	sum.begin_ns = !throughput->width_ns || other->begin_ns < throughput->begin_ns ? other->begin_ns : throughput->begin_ns;
	sum.width_ns = throughput->width_ns > other->width_ns ? throughput->width_ns : other->width_ns;
	add_all(&sum, throughput, false);
	add_all(&sum, other, turned);
	*throughput = sum;
}

static unsigned used_slices(const struct report_throughput *throughput)
{
	unsigned count = REPORT_THROUGHPUT_SLICES;

	while (count && !throughput->bytes[0][count - 1] && !throughput->bytes[1][count - 1])
		count--;
	return count;
}

static double bits_per_second(const struct report_throughput *throughput, uint64_t bytes)
{
	return (double)bytes * 8e9 / (double)throughput->width_ns;
}

static void curve(const struct report_throughput *throughput, int side, unsigned count, const struct html_axis *x,
		  const struct html_axis *y, struct line *line)
{
	html_stretch_begin(line, x, y->end - 2, y->begin + 1);
	line_text(line, side ? "<path class=\"rate messages\" d=\"M" : "<path class=\"rate bits\" d=\"M");
	html_pixel(line, x->begin);
	line_char(line, ' ');
	html_pixel(line, y->begin);
	for (unsigned i = 0; i < count; i++) {
		line_char(line, 'V');
		html_pixel(line, html_place(y, bits_per_second(throughput, throughput->bytes[side][i])));
		line_char(line, 'H');
		html_pixel(line, html_place(x, (double)throughput->width_ns * (i + 1)));
	}
	line_char(line, 'V');
	html_pixel(line, y->begin);
	line_text(line, "Z\"/>");
	html_stretch_end(line);
}

/* "a 10.0.0.2 qp 0x1a sent 4,210,000 bytes, peak 48.90 Mbit/s" */
static void title(const struct report_page *page, const struct report_throughput *throughput, int side, uint64_t most,
		  struct html_unit unit, double y, struct line *line)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < REPORT_THROUGHPUT_SLICES; i++)
		sum += throughput->bytes[side][i];
	html_label(line, "name", LEFT, y);
	line_text(line, side ? "b " : "a ");
	end_text(side ? &page->connection->shown.b : &page->connection->shown.a, line);
	line_text(line, " sent ");
	html_count(line, sum);
	line_text(line, " bytes, peak ");
	html_fixed(line, bits_per_second(throughput, most) / unit.size, unit.size > 1 ? 2 : 0);
	line_char(line, ' ');
	line_text(line, unit.name);
	line_text(line, "bit/s</text>");
}

static void side_plot(const struct report_page *page, const struct report_throughput *throughput, int side, unsigned count, const struct html_axis *x,
		      struct line *line)
{
	double top = TOP + side * (HEIGHT + 26.0);
	struct html_axis y = { 0, 1, top + HEIGHT, top + 8, false };
	struct html_unit unit;
	uint64_t most = 0;

	for (unsigned i = 0; i < count; i++)
		most = throughput->bytes[side][i] > most ? throughput->bytes[side][i] : most;
	if (most)
		y.high = bits_per_second(throughput, most);
	unit = html_count_unit(y.high);
	html_round_up(&y, TICKS);
	title(page, throughput, side, most, unit, top, line);
	html_ticks_y(line, &y, unit, LEFT, RIGHT, TICKS);
	curve(throughput, side, count, x, &y, line);
}

void report_throughput(const void *what, struct line *line)
{
	const struct report_page *page = what;
	const struct report_trace *trace = report_trace_of(page->report, page->connection->shown.number);
	unsigned count = trace ? used_slices(&trace->throughput) : 0;
	struct html_axis x = { 0, 0, LEFT, RIGHT, false };
	double bottom = TOP + 2 * (HEIGHT + 26) - 26;
	struct html_unit unit;
	int64_t start_ns;

	if (!count)
		return;
	start_ns = (int64_t)((uint64_t)trace->throughput.begin_ns - (uint64_t)page->stats->begin_ns);
	x.high = (double)trace->throughput.width_ns * count;
	unit = html_time_unit(x.high);
	line_text(line, "<figure><figcaption><b>Throughput,</b> all bytes on the wire; one step is ");
	html_duration(line, trace->throughput.width_ns);
	line_text(line, "</figcaption>\n<svg class=\"plot throughput\" viewBox=\"0 0 1000 ");
	html_pixel(line, bottom + 36);
	line_text(line, "\" data-step=\"");
	line_seconds(line, trace->throughput.width_ns);
	line_text(line, "\" role=\"img\"");
	html_area_data(line, &x, TOP, bottom, unit, start_ns);
	line_text(line, "><title>Throughput over time</title><desc>A step curve for each end; the titles have the sums.</desc>\n");
	html_ticks_x(line, &x, unit, TOP, bottom);
	for (int side = 0; side < 2; side++)
		side_plot(page, &trace->throughput, side, count, &x, line);
	html_label(line, "tx", (LEFT + RIGHT) / 2.0, bottom + 32);
	line_text(line, unit.name);
	line_text(line, " since ");
	html_offset(line, start_ns);
	line_text(line, " (");
	html_moment(line, trace->throughput.begin_ns);
	line_text(line, ")</text></svg></figure>\n");
}
