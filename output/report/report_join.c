/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Results of rdmatap join: a table of hops between capture points, plots of delays over time, pauses.
 */
#include "config.h"

#include "output/join/join_form.h"
#include "output/join/join_stall_form.h"
#include "output/report/html.h"
#include "output/report/html_axis.h"
#include "output/report/report_internal.h"

#define HEADINGS(array) array, sizeof(array) / sizeof((array)[0])
#define PLOTTED 4      /* directions with the most packets */
#define PAUSES 200     /* rows */
#define ROW_BYTES 512

#define LEFT 90
#define RIGHT 985
#define TOP 14
#define HEIGHT 90
#define TICKS 3

/* The text that `write` writes, as HTML. */
static void put_text(void (*write)(const void *what, struct line *line), const void *what, struct line *line)
{
	char text[ROW_BYTES];
	struct line plain;
	char *begin = text;

	line_init(&plain, text, sizeof text);
	write(what, &plain);
	while (begin < plain.next && *begin == '\n')
		begin++;
	while (begin < plain.next && plain.next[-1] == '\n')
		plain.next--;
	html_bytes(line, begin, (size_t)(plain.next - begin));
}

static void left_out(uint64_t shown, uint64_t all, const char *what, struct line *line)
{
	if (shown >= all)
		return;
	line_text(line, "<p class=\"note\">");
	html_count(line, shown);
	line_text(line, " of ");
	html_counted(line, all, what);
	line_text(line, "; rdmatap join --json lists all.</p>\n");
}

static void write_ends(const void *what, struct line *line)
{
	join_ends_text(what, line);
}

static void cell_hop(const struct join_hop *hop, struct line *line)
{
	line_text(line, "<td>");
	line_dec(line, hop->from + 1);
	line_text(line, "→");
	line_dec(line, hop->to + 1);
	line_text(line, "</td>");
}

static void stretch_row(const struct join_direction *direction, unsigned index, struct line *line)
{
	static const unsigned permilles[] = { 500, 990 };
	struct join_hop hop = join_hop_of(direction, index);
	bool is_known = hop.delay_ns && hop.delay_ns->count;
	uint64_t values[2] = { 0, 0 };

	if (is_known)
		histogram_percentiles(hop.delay_ns, permilles, 2, values);
	line_text(line, "<tr><th scope=\"row\">");
	if (direction->connection)
		line_dec(line, direction->connection);
	line_text(line, "</th><td>");
	put_text(write_ends, direction, line);
	line_text(line, "</td>");
	cell_hop(&hop, line);
	html_cell_count(line, direction->packets);
	html_cell_count(line, hop.lost);
	html_cell_count(line, hop.uncaptured);
	html_cell_count(line, hop.doubled);
	html_cell_count(line, hop.reordered);
	html_cell_count(line, hop.marked);
	html_cell_time(line, is_known, is_known ? (int64_t)hop.delay_ns->least : 0);
	html_cell_time(line, is_known, (int64_t)values[0]);
	html_cell_time(line, is_known, (int64_t)values[1]);
	html_cell_time(line, is_known, is_known ? (int64_t)hop.delay_ns->largest : 0);
	line_text(line, "</tr>\n");
}

static void stretches(const struct join_form *form, struct line *line)
{
	static const char *const headings[] = { "connection|#", "ends|from, to", "points|points", "packets|packets", "lost|lost",
		"not_captured|not captured", "doubled|doubled", "reordered|reordered", "ce_marked|CE", "delay.min|delay, least", "delay.p50|p50",
		"delay.p99|p99", "delay.max|longest" };
	uint64_t rows = 0, all = 0;

	html_table(line, "join-table", "Stretches between two points, for each direction of a connection, with one-way delays.", HEADINGS(headings));
	for (size_t i = 0; i < form->join->direction_count; i++)
		for (unsigned at = 0; at + 1 < form->join->directions[i]->order_count; at++) {
			if (rows < REPORT_ROWS) {
				stretch_row(form->join->directions[i], at, line);
				rows++;
			}
			all++;
		}
	html_table_end(line);
	left_out(rows, all, "row", line);
}

static void pauses(const struct join_form *form, struct line *line)
{
	uint64_t shown = form->stall_count < PAUSES ? form->stall_count : PAUSES;

	if (!form->stall_count)
		return;
	line_text(line, "<p>");
	put_text(join_write_stalls, form, line);
	line_text(line, "</p>\n<ol class=\"note\">\n");
	for (size_t i = 0; i < shown; i++) {
		line_text(line, "<li>");
		put_text(join_write_stall, &(struct join_record){ .form = form, .stall = form->stalls[i] }, line);
		line_text(line, "</li>\n");
	}
	line_text(line, "</ol>\n");
	left_out(shown, form->stall_count, "pause", line);
}

static void bars(const struct join_delays *delays, unsigned count, const struct html_axis *x, const struct html_axis *y, struct line *line)
{
	html_stretch_begin(line, x, y->end - 2, y->begin + 1);
	line_text(line, "<path class=\"rate bits\" d=\"M");
	html_pixel(line, x->begin);
	line_char(line, ' ');
	html_pixel(line, y->begin);
	for (unsigned i = 0; i < count; i++) {
		line_char(line, 'V');
		html_pixel(line, html_place(y, (double)delays->intervals[i].largest));
		line_char(line, 'H');
		html_pixel(line, html_place(x, (double)delays->interval_ns * (i + 1)));
	}
	line_char(line, 'V');
	html_pixel(line, y->begin);
	line_text(line, "Z\"/>");
	html_stretch_end(line);
}

static unsigned used_intervals(const struct join_delays *delays, uint64_t *largest)
{
	unsigned count = 0;

	*largest = 0;
	for (unsigned i = 0; delays && i < JOIN_INTERVALS; i++) {
		if (delays->intervals[i].count)
			count = i + 1;
		if (delays->intervals[i].largest > *largest)
			*largest = delays->intervals[i].largest;
	}
	return count;
}

static void plot(const struct report_page *page, const struct join_direction *direction, struct line *line)
{
	const struct join_delays *delays = direction->over_time;
	uint64_t largest;
	unsigned count = used_intervals(delays, &largest);
	struct html_axis x = { 0, 0, LEFT, RIGHT, false }, y = { 0, 1, TOP + HEIGHT, TOP + 8, false };
	struct html_unit unit, time_unit;
	int64_t start_ns;

	if (!count)
		return;
	start_ns = (int64_t)((uint64_t)delays->begin_ns - (uint64_t)page->stats->begin_ns);
	x.high = (double)delays->interval_ns * count;
	y.high = largest ? (double)largest : 1;
	unit = html_time_unit(x.high);
	time_unit = html_time_unit(y.high);
	html_round_up(&y, TICKS);
	line_text(line, "<figure><figcaption><b>Longest one-way delay,</b> ");
	put_text(write_ends, direction, line);
	line_text(line, "; one step is ");
	html_duration(line, delays->interval_ns);
	line_text(line, "</figcaption>\n<svg class=\"plot throughput\" viewBox=\"0 0 1000 ");
	html_pixel(line, TOP + HEIGHT + 36);
	line_text(line, "\" data-step=\"");
	line_seconds(line, delays->interval_ns);
	line_text(line, "\" role=\"img\"");
	html_area_data(line, &x, TOP, TOP + HEIGHT, unit, start_ns);
	line_text(line, "><title>One-way delay over time</title><desc>A step curve of the longest delay in each interval.</desc>\n");
	html_ticks_x(line, &x, unit, TOP, TOP + HEIGHT);
	html_ticks_y(line, &y, time_unit, LEFT, RIGHT, TICKS);
	bars(delays, count, &x, &y, line);
	html_label(line, "tx", (LEFT + RIGHT) / 2.0, TOP + HEIGHT + 32);
	line_text(line, unit.name);
	line_text(line, " since ");
	html_offset(line, start_ns);
	line_text(line, " (");
	html_moment(line, delays->begin_ns);
	line_text(line, ")</text></svg></figure>\n");
}

/* Of the directions with a delay over time, those with the most packets. */
static void plots(const struct report_page *page, const struct join_form *form, struct line *line)
{
	const struct join_direction *chosen[PLOTTED];
	unsigned count = 0;

	for (size_t i = 0; i < form->join->direction_count; i++) {
		const struct join_direction *direction = form->join->directions[i];
		unsigned at = count;

		if (!direction->over_time)
			continue;
		count += count < PLOTTED;
		for (; at && chosen[at - 1]->packets < direction->packets; at--)
			if (at < PLOTTED)
				chosen[at] = chosen[at - 1];
		if (at < PLOTTED)
			chosen[at] = direction;
	}
	for (unsigned i = 0; i < count; i++)
		plot(page, chosen[i], line);
}

void report_join(const void *what, struct line *line)
{
	const struct report_page *page = what;
	const struct join_form *form = page->input->join;

	if (!form)
		return;
	line_text(line, "<section id=\"join\"><h2>Between the capture points</h2>\n<ol>\n");
	for (unsigned i = 0; i < form->point_count; i++) {
		line_text(line, "<li>");
		html_text(line, form->names[i]);
		line_text(line, ": ");
		html_counted(line, form->join->points[i].packets, "packet");
		if (form->clocks[i].is_known) {
			int64_t offset_ns = form->clocks[i].offset_ns;

			line_text(line, ", its clock ");
			html_duration(line, offset_ns < 0 ? -offset_ns : offset_ns);
			line_text(line, offset_ns < 0 ? " behind that of point " : " ahead of that of point ");
			line_dec(line, form->clocks[i].reference + 1);
		}
		line_text(line, "</li>\n");
	}
	line_text(line, "</ol>\n");
	stretches(form, line);
	plots(page, form, line);
	pauses(form, line);
	line_text(line, "</section>\n");
}
