/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Plots of the whole capture: rates and events over time, latencies by operation.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/rpc/rpc_programs.h"
#include "output/report/html.h"
#include "output/report/html_axis.h"
#include "output/report/report_internal.h"

#define LEFT 90
#define RIGHT 985
#define MOST_COLUMNS 240
#define RATE_HEIGHT 110
#define RATE_TICKS 4
#define EVENT_HEIGHT 34

/* Several intervals of the statistics merged. */
struct column {
	uint64_t bytes, messages, events[4];
};

static const struct { const char *name, *words; } events[4] = {
	{ "again", "retransmissions" }, { "nak", "NAKs" }, { "ce", "CE marks" }, { "cnp", "CNPs" },
};

struct columns {
	struct column list[MOST_COLUMNS];
	unsigned count;
	int64_t width_ns;
	double most_bits, most_messages;     /* per second */
	uint64_t events[4], most_events[4];
	uint64_t packets;
};

static void gather(const struct stats *stats, struct columns *columns)
{
	uint64_t together = (stats->interval_count + MOST_COLUMNS - 1) / MOST_COLUMNS;

	*columns = (struct columns){ .width_ns = (int64_t)((uint64_t)stats->interval_ns * (together ? together : 1)) };
	for (uint64_t i = 0; i < stats->interval_count; i++) {
		const struct stats_interval *interval = &stats->intervals[i];
		struct column *column = &columns->list[i / together];
		const uint64_t happened[4] = { interval->retransmissions, interval->naks, interval->ce_marks, interval->cnps };

		columns->count = (unsigned)(i / together) + 1;
		columns->packets += interval->packets;
		column->bytes += interval->bytes;
		column->messages += interval->messages;
		for (int event = 0; event < 4; event++)
			column->events[event] += happened[event];
	}
	for (unsigned i = 0; i < columns->count; i++) {
		const struct column *column = &columns->list[i];
		double bits = (double)column->bytes * 8e9 / (double)columns->width_ns;
		double messages = (double)column->messages * 1e9 / (double)columns->width_ns;

		columns->most_bits = bits > columns->most_bits ? bits : columns->most_bits;
		columns->most_messages = messages > columns->most_messages ? messages : columns->most_messages;
		for (int event = 0; event < 4; event++) {
			columns->events[event] += column->events[event];
			if (column->events[event] > columns->most_events[event])
				columns->most_events[event] = column->events[event];
		}
	}
}

/* A step curve with the area below it. */
static void steps(const struct columns *columns, bool is_bits, const struct html_axis *x, const struct html_axis *y, struct line *line)
{
	line_text(line, is_bits ? "<path class=\"rate bits\" d=\"M" : "<path class=\"rate messages\" d=\"M");
	html_pixel(line, x->begin);
	line_char(line, ' ');
	html_pixel(line, y->begin);
	for (unsigned i = 0; i < columns->count; i++) {
		uint64_t number = is_bits ? columns->list[i].bytes * 8 : columns->list[i].messages;

		line_char(line, 'V');
		html_pixel(line, html_place(y, (double)number * 1e9 / (double)columns->width_ns));
		line_char(line, 'H');
		html_pixel(line, html_place(x, (double)columns->width_ns * (i + 1)));
	}
	line_char(line, 'V');
	html_pixel(line, y->begin);
	line_text(line, "Z\"/>\n");
}

static void rate(const struct columns *columns, bool is_bits, const struct html_axis *x, double top, struct line *line)
{
	struct html_axis y = { 0, is_bits ? columns->most_bits : columns->most_messages, top + RATE_HEIGHT, top + 8, false };
	struct html_unit unit = html_count_unit(y.high);

	if (!(y.high > 0))
		y.high = 1;
	html_round_up(&y, RATE_TICKS);
	html_label(line, "name", LEFT, top);
	line_text(line, is_bits ? "throughput, bit/s, peak " : "messages/s, peak ");
	html_fixed(line, (is_bits ? columns->most_bits : columns->most_messages) / unit.size, unit.size > 1 ? 2 : 0);
	line_text(line, unit.name);
	line_text(line, "</text>");
	html_ticks_y(line, &y, unit, LEFT, RIGHT, RATE_TICKS);
	html_stretch_begin(line, x, y.end, y.begin);
	steps(columns, is_bits, x, &y, line);
	html_stretch_end(line);
}

/* One row per kind of event; the height of a bar shows the number of events. */
static void event_row(const struct columns *columns, int event, const struct html_axis *x, double top, struct line *line)
{
	struct html_axis y = { 0, (double)columns->most_events[event], top + EVENT_HEIGHT - 8, top + 6, false };

	html_label(line, "name", LEFT, top);
	html_count(line, columns->events[event]);
	line_char(line, ' ');
	line_text(line, events[event].words);
	line_text(line, ", at most ");
	html_count(line, columns->most_events[event]);
	line_text(line, " in one step</text>");
	html_stretch_begin(line, x, y.end - 6, y.begin);
	line_text(line, "<path class=\"bars ");
	line_text(line, events[event].name);
	line_text(line, "\" d=\"");
	for (unsigned i = 0; i < columns->count; i++) {
		if (!columns->list[i].events[event])
			continue;
		line_char(line, 'M');
		html_pixel(line, html_place(x, (double)columns->width_ns * (i + 0.5)));
		line_char(line, ' ');
		html_pixel(line, y.begin);
		line_char(line, 'V');
		html_pixel(line, html_place(&y, (double)columns->list[i].events[event]) - 1);
	}
	line_text(line, "\"/>");
	html_stretch_end(line);
	line_text(line, "<path class=\"grid\" d=\"M");
	html_pixel(line, LEFT);
	line_char(line, ' ');
	html_pixel(line, y.begin);
	line_char(line, 'H');
	html_pixel(line, RIGHT);
	line_text(line, "\"/>\n");
}

void report_rates(const void *what, struct line *line)
{
	const struct report_page *page = what;
	struct html_axis x = { 0, 0, LEFT, RIGHT, false };
	struct columns columns;
	double bottom = 22 + 2 * (RATE_HEIGHT + 26);
	struct html_unit unit;
	unsigned rows = 0;

	gather(page->stats, &columns);
	if (!columns.count)
		return;
	for (int i = 0; i < 4; i++)
		rows += columns.events[i] != 0;
	bottom += rows * (EVENT_HEIGHT + 8);
	x.high = (double)columns.width_ns * columns.count;
	unit = html_time_unit(x.high);
	line_text(line, "<section id=\"rates\"><h2>Throughput and message rate</h2>\n<figure><svg class=\"plot\" viewBox=\"0 0 1000 ");
	html_pixel(line, bottom + 26);
	line_text(line, "\" data-step=\"");
	line_seconds(line, columns.width_ns);
	line_char(line, '"');
	html_area_data(line, &x, 12, bottom - 8, unit, 0);
	line_text(line, " role=\"img\" aria-labelledby=\"rates-t rates-d\"><title id=\"rates-t\">Throughput and messages over time</title>"
		  "<desc id=\"rates-d\">All packets of the capture, as they were on the wire; the table of connections has the sums.</desc>\n");
	html_ticks_x(line, &x, unit, 12, bottom - 8);
	rate(&columns, true, &x, 14, line);
	rate(&columns, false, &x, 14 + RATE_HEIGHT + 26, line);
	bottom = 22 + 2 * (RATE_HEIGHT + 26);
	for (int i = 0; i < 4; i++)
		if (columns.events[i]) {
			event_row(&columns, i, &x, bottom, line);
			bottom += EVENT_HEIGHT + 8;
		}
	html_label(line, "tx", (LEFT + RIGHT) / 2.0, bottom + 24);
	line_text(line, unit.name);
	line_text(line, " since ");
	html_moment(line, page->stats->begin_ns);
	line_text(line, "</text></svg><figcaption>One step is ");
	html_duration(line, columns.width_ns);
	line_text(line, ". Messages are SENDs, WRITEs, READs, atomics and datagrams; RPCs, which consist of them, are not counted.");
	if (columns.packets < page->stats->packets) {
		line_char(line, ' ');
		html_counted(line, page->stats->packets - columns.packets, "packet");
		line_text(line, " not counted in them for lack of memory (raise --max-memory).");
	}
	line_text(line, "</figcaption></figure></section>\n");
}

/* A group of messages with a latency plot. */
struct latency {
	const struct histogram *histogram;
	const struct stats_rpc *rpc;   /* NULL: a verb or a management datagram */
	const struct stats_mad *mad;   /* NULL: a verb or an RPC */
	enum rtap_message_kind kind;
	const struct stats_work_row *work; /* operations of another upper layer; NULL: something else */
};

#define MOST_LATENCIES 16
#define ROW_HEIGHT 40
#define LATENCY_LEFT 250

static void latency_mad_name(const struct stats_mad *mad, struct line *line)
{
	if (mad->method_name)
		html_text(line, mad->method_name);
	else
		line_hex(line, mad->method, 2);
	line_char(line, ' ');
	if (mad->attribute_name)
		html_text(line, mad->attribute_name);
	else
		line_hex(line, mad->attribute, 4);
}

static void latency_name(const struct latency *row, struct line *line)
{
	struct rtap_rpc_facts facts;

	if (row->mad) {
		latency_mad_name(row->mad, line);
		return;
	}
	if (row->work) {
		html_text(line, row->work->layer);
		line_char(line, ' ');
		html_text(line, *row->work->name ? row->work->name : "unknown");
		return;
	}
	if (!row->rpc) {
		html_text(line, rtap_message_kind_name(row->kind));
		return;
	}
	facts = (struct rtap_rpc_facts){ .program = row->rpc->program, .version = row->rpc->version, .procedure = row->rpc->procedure };
	if (row->rpc->is_operation) {
		line_text(line, "… ");
		html_text(line, row->rpc->name ? row->rpc->name : "an operation without a name");
	} else if (row->rpc->program_known) {
		rpc_line_program(&facts, line);
		line_char(line, ' ');
		rpc_line_procedure(&facts, line);
	} else {
		line_text(line, "RPC of unknown program");
	}
}

static void tick(const struct html_axis *x, const char *name, uint64_t value, double y, double height, struct line *line)
{
	line_text(line, "<path class=\"");
	line_text(line, name);
	line_text(line, "\" d=\"M");
	html_pixel(line, html_place(x, (double)value));
	line_char(line, ' ');
	html_pixel(line, y - height);
	line_char(line, 'v');
	html_pixel(line, height);
	line_text(line, "\"><title>");
	line_text(line, name);
	line_char(line, ' ');
	html_duration(line, (int64_t)value);
	line_text(line, "</title></path>");
}

/* Four buckets cover a quarter of a power of two: bars of nearly equal width on a logarithmic axis. */
#define BUCKETS_TOGETHER 4

static void bars(const struct histogram *histogram, const struct html_axis *x, double y, double height, struct line *line)
{
	uint64_t most = 1;

	for (int pass = 0; pass < 2; pass++) {
		if (pass)
			line_text(line, "<path class=\"spread\" d=\"");
		for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i += BUCKETS_TOGETHER) {
			uint64_t sum = 0;

			for (unsigned bucket = i; bucket < i + BUCKETS_TOGETHER; bucket++)
				sum += histogram_bucket(histogram, bucket);
			most = sum > most ? sum : most;
			if (!pass || !sum)
				continue;
			line_char(line, 'M');
			html_pixel(line, html_place(x, (double)histogram_begin(i)));
			line_char(line, ' ');
			html_pixel(line, y);
			line_char(line, 'v');
			html_pixel(line, -1 - (double)sum / (double)most * (height - 1));
			line_char(line, 'H');
			html_pixel(line, html_place(x, (double)histogram_begin(i + BUCKETS_TOGETHER)));
			line_char(line, 'V');
			html_pixel(line, y);
			line_char(line, 'Z');
		}
	}
	line_text(line, "\"/>");
}

static void latency_row(const struct latency *row, const struct html_axis *x, double top, struct line *line)
{
	const struct histogram *histogram = row->histogram;
	double y = top + ROW_HEIGHT - 6;

	html_label(line, "ty", LATENCY_LEFT - 10, y - 12);
	latency_name(row, line);
	line_text(line, "</text>");
	html_label(line, "ty small", LATENCY_LEFT - 10, y + 2);
	html_counted(line, histogram->count, "time");
	/* same methods and attributes as with LIDs */
	if (row->mad && row->mad->management_class == MAD_CLASS_SUBNET_DIRECTED)
		line_text(line, ", directed route");
	line_text(line, "</text>");
	bars(histogram, x, y, ROW_HEIGHT - 14, line);
	tick(x, "p50", histogram_percentile(histogram, 500), y, ROW_HEIGHT - 10, line);
	tick(x, "p99", histogram_percentile(histogram, 990), y, ROW_HEIGHT / 2, line);
	tick(x, "max", histogram->largest, y, 0, line);
	line_char(line, '\n');
}

/* Powers of ten, with light lines between them. */
static void decades(const struct html_axis *x, double bottom, struct line *line)
{
	for (double value = 1; value <= x->high * 1.01; value *= 10) {
		struct html_unit unit = html_time_unit(value);

		if (value < x->low * 0.99)
			continue;
		line_text(line, "<path class=\"grid\" d=\"M");
		html_pixel(line, html_place(x, value));
		line_text(line, " 4V");
		html_pixel(line, bottom);
		line_text(line, "\"/>");
		html_label(line, "tx", html_place(x, value), bottom + 16);
		html_fixed(line, value / unit.size, 0);
		line_char(line, ' ');
		line_text(line, unit.name);
		line_text(line, "</text>");
	}
}

static bool is_verb(const struct latency *row)
{
	return !row->rpc && !row->mad && !row->work;
}

/* The groups with the most values, after the verbs. */
static void enter(struct latency *rows, unsigned *count, const struct latency *row, uint64_t *left_out)
{
	unsigned place = *count;

	if (!row->histogram->count)
		return;
	*left_out += *count == MOST_LATENCIES;
	if (*count < MOST_LATENCIES)
		++*count;
	else if (is_verb(&rows[--place]) || rows[place].histogram->count >= row->histogram->count)
		return;
	for (; place && !is_verb(&rows[place - 1]) && rows[place - 1].histogram->count < row->histogram->count; place--)
		rows[place] = rows[place - 1];
	rows[place] = *row;
}

/* Latencies of each kind of message, over all connections, merged in the page's memory. */
static unsigned choose(const struct report_page *page, struct latency *rows, uint64_t *left_out)
{
	const struct stats_work_table *names = &stats_work_tables(page->stats)->names;
	unsigned count = 0;

	*left_out = 0;
	for (int kind = 0; kind < RTAP_KIND_COUNT; kind++)
		if (page->latencies[kind].count)
			rows[count++] = (struct latency){ &page->latencies[kind], NULL, NULL, (enum rtap_message_kind)kind, NULL };
	for (unsigned i = 0; i < page->stats->rpc_count; i++) {
		const struct stats_rpc *rpc = page->stats->rpcs[i];

		enter(rows, &count, &(struct latency){ &rpc->latency_ns, rpc, NULL, RTAP_KIND_RPC_REPLY, NULL }, left_out);
	}
	for (size_t i = 0; i < names->count; i++) {
		const struct stats_work_row *work = names->rows[i];

		enter(rows, &count, &(struct latency){ &work->work.latency_ns, NULL, NULL, RTAP_KIND_COUNT, work }, left_out);
	}
	for (unsigned i = 0; i < page->stats->mad_count; i++) {
		const struct stats_mad *mad = page->stats->mads[i];

		enter(rows, &count, &(struct latency){ &mad->latency_ns, NULL, mad, RTAP_KIND_MAD, NULL }, left_out);
	}
	return count;
}

void report_latencies(const void *what, struct line *line)
{
	const struct report_page *page = what;
	struct latency rows[MOST_LATENCIES];
	struct html_axis x = { 1e18, 1, LATENCY_LEFT, RIGHT - 20, true };
	uint64_t left_out;
	unsigned count = choose(page, rows, &left_out);
	double bottom = 10 + count * (double)ROW_HEIGHT;

	if (!count)
		return;
	for (unsigned i = 0; i < count; i++) {
		x.low = (double)rows[i].histogram->least < x.low ? (double)rows[i].histogram->least : x.low;
		x.high = (double)rows[i].histogram->largest > x.high ? (double)rows[i].histogram->largest : x.high;
	}
	html_round_decades(&x);
	line_text(line, "<section id=\"latencies\"><h2>Latencies</h2>\n<figure><svg class=\"plot\" viewBox=\"0 0 1000 ");
	html_pixel(line, bottom + 24);
	line_text(line, "\" role=\"img\" aria-labelledby=\"lat-t lat-d\"><title id=\"lat-t\">Latency distributions</title>"
		  "<desc id=\"lat-d\">The tables of operations and RPCs have the numbers.</desc>\n");
	decades(&x, bottom, line);
	for (unsigned i = 0; i < count; i++)
		latency_row(&rows[i], &x, 4 + i * (double)ROW_HEIGHT, line);
	line_text(line, "</svg><figcaption><span class=\"key p50\">p50</span> <span class=\"key p99\">p99</span> <span class=\"key max\">longest.</span> "
		  "Each row is scaled to its own maximum. Verbs (of all connections): from the request's first frame to its acknowledgement or response; "
		  "operations of upper layers: from the request's first frame to the response's last; RPCs: from the call's first frame "
		  "to the reply's last; “…” marks an operation within a compound, with the latency of the compound. "
		  "Management datagrams: from the first frame of the request to the first of the response.");
	if (left_out) {
		line_text(line, " The ");
		html_count(line, left_out);
		line_text(line, " rarest kinds are not drawn.");
	}
	line_text(line, "</figcaption></figure></section>\n");
}
