/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Plots of one connection: its sequence numbers over time, its operations.
 */
#include "config.h"

#include <string.h>

#include "dissect/infiniband/ib.h"
#include "output/message/connections.h"
#include "output/report/html.h"
#include "output/report/html_axis.h"
#include "output/message/messages.h"
#include "output/report/report_internal.h"
#include "output/report/report_plots.h"

#define LEFT 90
#define RIGHT 985
#define TOP 12
#define BOTTOM 262
#define SEQUENCE_TICKS 6

static const char *const series_names[] = {
#define SERIES_NAME(identifier, name, words) name,
	REPORT_SERIES(SERIES_NAME)
#undef SERIES_NAME
};

static const char *const series_words[] = {
#define SERIES_WORDS(identifier, name, words) words,
	REPORT_SERIES(SERIES_WORDS)
#undef SERIES_WORDS
};

/* For TCP the first ones have other names. */
static const char *words_of(const struct report_page *page, int series)
{
	bool is_tcp = page->connection->shown.transport == RTAP_TRANSPORT_IWARP;

	return is_tcp && series == REPORT_REQUESTS ? "segments with data" : series_words[series];
}

/* The ranges of a plot: time and numbers. */
struct frame {
	int64_t first_ns, last_ns;
	struct html_axis x, y;
};

/* The plots of both ends show the same time range, for comparison. */
static bool frame_of(const struct report_trace *trace, int side, struct frame *frame)
{
	int64_t low = INT64_MAX, high = INT64_MIN;

	*frame = (struct frame){ .first_ns = INT64_MAX, .last_ns = INT64_MIN };
	for (int i = 0; i < 2 * REPORT_SERIES_COUNT; i++) {
		const struct report_points *points = &trace->sequences[i / REPORT_SERIES_COUNT].series[i % REPORT_SERIES_COUNT];

		for (uint32_t point = 0; point < points->count; point++) {
			const struct report_spot *spot = report_points_at(points, point);

			frame->first_ns = spot->time_ns < frame->first_ns ? spot->time_ns : frame->first_ns;
			frame->last_ns = spot->time_ns > frame->last_ns ? spot->time_ns : frame->last_ns;
			if (i / REPORT_SERIES_COUNT != side)
				continue;
			low = spot->place < low ? spot->place : low;
			high = spot->place > high ? spot->place : high;
		}
	}
	if (high < low)
		return false;
	frame->x = (struct html_axis){ 0, (double)ns_elapsed(frame->first_ns, frame->last_ns), LEFT, RIGHT, false };
	frame->y = (struct html_axis){ (double)low, (double)high, BOTTOM, TOP, false };
	if (frame->last_ns == frame->first_ns)
		frame->x.high = 1;
	/* numbers are integers */
	if (high - low < SEQUENCE_TICKS)
		frame->y.high = (double)low + SEQUENCE_TICKS;
	return true;
}

/* Precise enough for magnification. */
static void at(const struct frame *frame, const struct report_spot *spot, const char *between, struct line *line)
{
	html_fixed(line, html_place(&frame->x, (double)ns_elapsed(frame->first_ns, spot->time_ns)), 3);
	line_text(line, between);
	html_fixed(line, html_place(&frame->y, (double)spot->place), 2);
}

/* The opcode of each point as an index into a list of names. */
static void opcodes(const struct report_points *points, struct line *line)
{
	uint8_t index[256] = { 0 };
	unsigned count = 0;

	line_text(line, "\" data-names=\"");
	for (uint32_t i = 0; i < points->count; i++) {
		uint8_t opcode = ((const struct report_packet *)report_points_at(points, i))->opcode;
		const char *name = rtap_name_of(ib_opcode_names, opcode);

		if (index[opcode])
			continue;
		index[opcode] = (uint8_t)++count;
		if (count > 1)
			line_char(line, '|');
		if (name)
			line_text(line, name);
		else
			line_hex(line, opcode, 2);
	}
	line_text(line, "\" data-o=\"");
	for (uint32_t i = 0; i < points->count; i++) {
		if (i)
			line_char(line, ' ');
		line_dec(line, index[((const struct report_packet *)report_points_at(points, i))->opcode] - 1u);
	}
}

/* One path for all dots: lines of length 0 with round ends. Frame numbers and opcodes are for the script. */
static void dots(const struct report_points *points, const struct frame *frame, const char *name, bool is_ib, struct line *line)
{
	if (!points->count)
		return;
	line_text(line, "<path class=\"dots ");
	line_text(line, name);
	line_text(line, "\" data-f=\"");
	for (uint32_t i = 0; i < points->count; i++) {
		if (i)
			line_char(line, ' ');
		line_dec(line, ((const struct report_packet *)report_points_at(points, i))->frame);
	}
	if (is_ib)
		opcodes(points, line);
	line_text(line, "\" d=\"");
	for (uint32_t i = 0; i < points->count; i++) {
		line_char(line, 'M');
		at(frame, report_points_at(points, i), " ", line);
		line_text(line, "h0");
	}
	line_text(line, "\"/>\n");
}

static void marks(const struct report_page *page, const struct report_points *points, const struct frame *frame, int series,
		  struct line *line)
{
	if (!points->count)
		return;
	line_text(line, "<g class=\"mark ");
	line_text(line, series_names[series]);
	line_text(line, "\">");
	for (uint32_t i = 0; i < points->count; i++) {
		const struct report_packet *packet = report_points_at(points, i);

		line_text(line, "<use href=\"#m-");
		line_text(line, series_names[series]);
		line_text(line, "\" x=\"");
		at(frame, &packet->spot, "\" y=\"", line);
		line_text(line, "\"><title>frame ");
		line_dec(line, packet->frame);
		line_text(line, ": ");
		line_text(line, words_of(page, series));
		line_text(line, series == REPORT_CNP ? ", last PSN " : page->connection->shown.transport == RTAP_TRANSPORT_IWARP ? ", sequence " : ", PSN ");
		line_dec(line, packet->number);
		line_text(line, ", ");
		html_offset(line, (int64_t)((uint64_t)packet->spot.time_ns - (uint64_t)page->stats->begin_ns));
		line_text(line, "</title></use>");
	}
	line_text(line, "</g>\n");
}

/* The legend: the meaning of each mark, how many there are, and how many are drawn. */
static void legend(const struct report_page *page, const struct report_sequence *sequence, struct line *line)
{
	line_text(line, "<ul class=\"legend\">");
	for (int series = 0; series < REPORT_SERIES_COUNT; series++) {
		const struct report_points *points = &sequence->series[series];

		if (!points->seen)
			continue;
		line_text(line, "<li data-series=\"");
		line_text(line, series_names[series]);
		line_text(line, "\"><svg class=\"sign\" viewBox=\"-8 -8 16 16\" aria-hidden=\"true\"><g class=\"");
		line_text(line, series < REPORT_DOTS ? "dots " : "mark ");
		line_text(line, series_names[series]);
		line_text(line, "\">");
		if (series < REPORT_DOTS) {
			line_text(line, "<path d=\"M0 0h0\"/>");
		} else {
			line_text(line, "<use href=\"#m-");
			line_text(line, series_names[series]);
			line_text(line, "\"/>");
		}
		line_text(line, "</g></svg>");
		line_text(line, words_of(page, series));
		line_text(line, ": ");
		if (points->count < points->seen) {
			html_count(line, points->count);
			line_text(line, " drawn of ");
		}
		html_count(line, points->seen);
		line_text(line, "</li>");
	}
	line_text(line, "</ul>");
}

/* The title of the time axis, and the end of the drawing. */
static void time_label(const struct report_page *page, const struct frame *frame, struct html_unit unit, double x, double y,
		       struct line *line)
{
	html_label(line, "tx", x, y);
	line_text(line, unit.name);
	line_text(line, " since ");
	html_offset(line, (int64_t)((uint64_t)frame->first_ns - (uint64_t)page->stats->begin_ns));
	line_text(line, " (");
	html_moment(line, frame->first_ns);
	line_text(line, ")</text></svg>\n");
}

/* "10.0.0.1 qp 0x12" */
static void end_of(const struct report_page *page, int side, struct line *line)
{
	line_text(line, side ? "b " : "a ");
	end_text(side ? &page->connection->shown.b : &page->connection->shown.a, line);
}

/* Nanoseconds from the beginning of the capture to the left edge. */
static int64_t start_of(const struct report_page *page, const struct frame *frame)
{
	return (int64_t)((uint64_t)frame->first_ns - (uint64_t)page->stats->begin_ns);
}

static void plot_begin(const struct report_page *page, const struct frame *frame, int side, struct line *line)
{
	bool is_tcp = page->connection->shown.transport == RTAP_TRANSPORT_IWARP;

	line_text(line, is_tcp ? "<figure><figcaption><b>Data from " : "<figure><figcaption><b>Requests of ");
	end_of(page, side, line);
	line_text(line, is_tcp ? ",</b> by TCP sequence number" : " and their responses,</b> by PSN");
	line_text(line, "</figcaption>\n<svg class=\"plot sequence\" viewBox=\"0 0 1000 302\" role=\"img\" data-side=\"");
	line_text(line, side ? "b" : "a");
	line_char(line, '"');
	html_area_data(line, &frame->x, TOP, BOTTOM, html_time_unit(frame->x.high), start_of(page, frame));
	line_text(line, " data-y=\"");
	html_fixed(line, frame->y.low, 0);
	line_char(line, ' ');
	html_fixed(line, frame->y.high, 0);
	line_text(line, "\"><title>");
	line_text(line, is_tcp ? "Sequence numbers over time" : "PSNs over time");
	line_text(line, "</title><desc>The legend has the numbers of points; marks name their frames.</desc>\n");
}

static void sequence_plot(const struct report_page *page, const struct report_trace *trace, int side, struct line *line)
{
	const struct report_sequence *sequence = &trace->sequences[side];
	struct html_unit unit;
	struct frame frame;

	if (!frame_of(trace, side, &frame))
		return;
	unit = html_time_unit(frame.x.high);
	plot_begin(page, &frame, side, line);
	html_ticks_x(line, &frame.x, unit, TOP, BOTTOM);
	html_ticks_y(line, &frame.y, html_count_unit(frame.y.high - frame.y.low), LEFT, RIGHT, SEQUENCE_TICKS);
	html_area_begin(line, LEFT, RIGHT, TOP, BOTTOM);
	for (int series = REPORT_DOTS - 1; series >= 0; series--)
		dots(&sequence->series[series], &frame, series_names[series], page->connection->shown.transport != RTAP_TRANSPORT_IWARP, line);
	for (int series = REPORT_DOTS; series < REPORT_SERIES_COUNT; series++)
		marks(page, &sequence->series[series], &frame, series, line);
	line_text(line, "</svg><text class=\"name turned\" x=\"14\" y=\"137\" transform=\"rotate(-90 14 137)\">");
	line_text(line, page->connection->shown.transport == RTAP_TRANSPORT_IWARP ? "sequence − " : "PSN − ");
	line_dec(line, sequence->first);
	line_text(line, "</text>");
	time_label(page, &frame, unit, (LEFT + RIGHT) / 2.0, 296, line);
	legend(page, sequence, line);
	line_text(line, "</figure>\n");
}

void report_sequences(const void *what, struct line *line)
{
	const struct report_page *page = what;
	const struct report_trace *trace = report_trace_of(page->report, page->connection->shown.number);

	if (!trace) {
		line_text(line, "<p class=\"note\">No packets of this connection were kept for plots.</p>");
		return;
	}
	if (trace->missed) {
		line_text(line, "<p class=\"note\">The plots begin with frame ");
		line_dec(line, trace->first_frame);
		line_text(line, ": the first ");
		html_counted(line, trace->missed, "packet");
		line_text(line, " of this connection were not kept, because other connections ranked higher then.</p>\n");
	}
	for (int side = 0; side < 2; side++)
		sequence_plot(page, trace, side, line);
}

/* Calls of one kind share rows of the time line, as many as were outstanding at once, up to a limit. */
#define LANES 20
#define ROW_HEIGHT 11
#define LANE_GAP 12
#define CALL_LEFT 190
#define LEAST_WIDTH 2

struct lane {
	const struct report_call *call;     /* names the kind */
	struct html_rows rows;
	double top;
};

int report_compare_calls(const void *a, const void *b)
{
	const struct report_call *first = a, *second = b;

	if (first->spot.time_ns != second->spot.time_ns)
		return first->spot.time_ns < second->spot.time_ns ? -1 : 1;
	return (first->frame > second->frame) - (first->frame < second->frame);
}

/* For calls of kinds beyond the last lane. */
static struct lane *lane_of(struct lane *lanes, unsigned *count, const struct report_call *call)
{
	for (unsigned i = 0; i < *count; i++)
		if (!strcmp(lanes[i].call->kind, call->kind))
			return &lanes[i];
	if (*count == LANES)
		return &lanes[LANES - 1];
	lanes[*count] = (struct lane){ .call = call };
	return &lanes[(*count)++];
}

static double call_end(const struct report_call *call, const struct frame *frame)
{
	int64_t lasts_ns = call->spot.place < 0 ? 0 : call->spot.place;

	return html_place(&frame->x, (double)ns_elapsed(frame->first_ns, call->spot.time_ns) + (double)lasts_ns);
}

static void sign(const char *name, double x, double y, struct line *line)
{
	line_text(line, "<use href=\"#m-");
	line_text(line, name);
	line_text(line, "\" x=\"");
	html_pixel(line, x);
	line_text(line, "\" y=\"");
	html_pixel(line, y);
	line_text(line, "\"/>");
}

static void call_title(const struct report_page *page, const struct report_call *call, struct line *line)
{
	line_text(line, "<title>");
	html_text(line, call->kind);
	if (call->frame) {
		line_text(line, ", request in frame ");
		line_dec(line, call->frame);
	}
	line_text(line, *call->id ? ", " : "");
	html_text(line, call->id);
	line_text(line, ", ");
	html_offset(line, (int64_t)((uint64_t)call->spot.time_ns - (uint64_t)page->stats->begin_ns));
	if (call->spot.place < 0) {
		line_text(line, ", no response");
	} else if (call->reply_frame) {
		line_text(line, ", response in frame ");
		line_dec(line, call->reply_frame);
		line_text(line, " after ");
		html_duration(line, call->spot.place);
	} else {
		line_text(line, ", lasts ");
		html_duration(line, call->spot.place);
	}
	if (call->failed) {
		line_text(line, ", error ");
		html_text(line, *call->status ? call->status : "without a name");
	}
	line_text(line, call->has_reads ? ", data by RDMA READ" : "");
	line_text(line, call->has_writes ? ", data by RDMA WRITE" : "");
	line_text(line, call->has_reply_chunk ? ", reply chunk" : "");
	line_text(line, "</title>");
}

static void draw_call(const struct report_page *page, const struct report_call *call, const struct frame *frame, struct lane *lane,
		      struct line *line)
{
	double begin = html_place(&frame->x, (double)ns_elapsed(frame->first_ns, call->spot.time_ns)), end = call_end(call, frame);
	double y = lane->top + html_rows_take(&lane->rows, begin, end) * (double)ROW_HEIGHT, width = end - begin;

	/* a call too short to be visible is drawn longer, but shares its row with the next one */
	end = width < LEAST_WIDTH ? begin + LEAST_WIDTH : end;
	line_text(line, call->spot.place < 0 ? "<g class=\"call open\">" : call->failed ? "<g class=\"call failed\">" : "<g class=\"call\">");
	call_title(page, call, line);
	line_text(line, "<path d=\"M");
	html_fixed(line, begin, 3);
	line_char(line, ' ');
	html_pixel(line, y);
	line_char(line, 'h');
	html_fixed(line, end - begin, 3);
	line_text(line, "v8h");
	html_fixed(line, begin - end, 3);
	line_text(line, "z\" data-w=\"");
	html_fixed(line, width, 3);
	line_text(line, "\"/>");
	if (call->has_reads)
		sign("rc", begin + 1, y + 4, line);
	if (call->has_writes)
		sign("wc", end - 1, y + 4, line);
	if (call->has_reply_chunk)
		sign("pc", end - 1, y + 4, line);
	if (call->failed)
		sign("bad", end + 5, y + 4, line);
	if (call->spot.place < 0)
		sign("none", end + 5, y + 4, line);
	line_text(line, "</g>\n");
}

static void lane_names(const struct lane *lanes, unsigned count, struct line *line)
{
	for (unsigned i = 0; i < count; i++) {
		html_label(line, "ty", CALL_LEFT - 8, lanes[i].top + 9);
		if (i == LANES - 1)
			line_text(line, "all others");
		else
			html_text(line, lanes[i].call->kind);
		line_text(line, "</text><path class=\"grid\" d=\"M");
		html_pixel(line, 4);
		line_char(line, ' ');
		html_pixel(line, lanes[i].top - 5);
		line_char(line, 'H');
		html_pixel(line, RIGHT);
		line_text(line, "\"/>");
	}
}

static void calls_caption(const struct report_points *points, struct line *line)
{
	line_text(line, "<ul class=\"legend\">");
	for (unsigned i = 0; i < 5; i++) {
		static const char *const signs[][3] = { { "rc", "chunk", "RDMA READ (the responder fetches data, or read chunks)" },
			{ "wc", "chunk", "RDMA WRITE (it places data, or write chunks)" }, { "pc", "chunk", "reply chunk (it places the reply)" },
			{ "bad", "failed", "an error" }, { "none", "open", "no response" } };

		line_text(line, "<li><svg class=\"sign\" viewBox=\"-8 -8 16 16\" aria-hidden=\"true\"><g class=\"call ");
		line_text(line, signs[i][1]);
		line_text(line, "\"><use href=\"#m-");
		line_text(line, signs[i][0]);
		line_text(line, "\"/></g></svg>");
		line_text(line, signs[i][2]);
		line_text(line, "</li>");
	}
	line_text(line, "<li class=\"drawn\">");
	if (points->count < points->seen) {
		html_count(line, points->count);
		line_text(line, " of ");
		html_counted(line, points->seen, "operation");
		line_text(line, " drawn: of each of ");
		html_count(line, points->slices);
		line_text(line, " time slices the fastest and the slowest, and some of those between");
	} else {
		html_counted(line, points->seen, "operation");
	}
	line_text(line, "</li></ul></figure>\n");
}

/* Assigns the calls to lanes for drawing. */
static double lay_out(const struct report_points *points, const struct frame *frame, struct lane *lanes, unsigned *count)
{
	double top = TOP + 6;

	for (uint32_t i = 0; i < points->count; i++) {
		const struct report_call *call = report_points_at(points, i);
		double begin = html_place(&frame->x, (double)ns_elapsed(frame->first_ns, call->spot.time_ns));

		html_rows_take(&lane_of(lanes, count, call)->rows, begin, call_end(call, frame));
	}
	for (unsigned i = 0; i < *count; i++) {
		lanes[i].top = top;
		top += lanes[i].rows.count * (double)ROW_HEIGHT + LANE_GAP;
		memset(lanes[i].rows.ends, 0, sizeof lanes[i].rows.ends);
	}
	return top;
}

static struct frame calls_frame(const struct report_points *points)
{
	struct frame frame = { .first_ns = INT64_MAX, .last_ns = INT64_MIN };

	for (uint32_t i = 0; i < points->count; i++) {
		const struct report_spot *spot = report_points_at(points, i);
		int64_t end_ns = (int64_t)((uint64_t)spot->time_ns + (uint64_t)(spot->place > 0 ? spot->place : 0));

		frame.first_ns = spot->time_ns < frame.first_ns ? spot->time_ns : frame.first_ns;
		frame.last_ns = end_ns > frame.last_ns ? end_ns : frame.last_ns;
	}
	frame.x = (struct html_axis){ 0, (double)ns_elapsed(frame.first_ns, frame.last_ns), CALL_LEFT, RIGHT - 12, false };
	if (!(frame.x.high > 0))
		frame.x.high = 1;
	return frame;
}

void report_calls(const void *what, struct line *line)
{
	const struct report_page *page = what;
	struct report_trace *trace = report_trace_of(page->report, page->connection->shown.number);
	struct report_points *points = trace ? &trace->calls : NULL;
	struct lane lanes[LANES];
	unsigned count = 0;
	struct frame frame;
	struct html_unit unit;
	double bottom;

	if (!points || !points->count)
		return;
	frame = calls_frame(points);
	bottom = lay_out(points, &frame, lanes, &count);
	unit = html_time_unit(frame.x.high);
	line_text(line, "<figure><figcaption><b>Operations,</b> from request to response</figcaption>\n<svg class=\"plot calls\" viewBox=\"0 0 1000 ");
	html_pixel(line, bottom + 34);
	line_text(line, "\" role=\"img\"");
	html_area_data(line, &frame.x, TOP, bottom, unit, start_of(page, &frame));
	line_text(line, "><title>Operations over time</title><desc>A bar for each; its title names its frames. "
		  "The tables of operations and RPCs have the numbers.</desc>\n");
	html_ticks_x(line, &frame.x, unit, TOP, bottom);
	lane_names(lanes, count, line);
	html_area_begin(line, CALL_LEFT, RIGHT - 4, TOP, bottom);
	for (uint32_t i = 0; i < points->count; i++) {
		const struct report_call *call = report_points_at(points, i);

		draw_call(page, call, &frame, lane_of(lanes, &count, call), line);
	}
	line_text(line, "</svg>");
	time_label(page, &frame, unit, (CALL_LEFT + RIGHT) / 2.0, bottom + 30, line);
	calls_caption(points, line);
}
