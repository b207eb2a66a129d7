/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time lost to recoveries: bars on the capture's time axis, and tables of recoveries, traffic classes and pauses.
 */
#include "config.h"

#include <string.h>

#include "dissect/flow.h"
#include "dissect/infiniband/ib.h"
#include "output/stats/congestion_form.h"
#include "output/stats/stats_work.h"
#include "output/report/html.h"
#include "output/report/html_axis.h"
#include "output/report/report_internal.h"
#include "output/report/report_recoveries.h"
#include "output/report/report_tables.h"

#define LEFT 190
#define RIGHT 985
#define TOP 12
/* A bar that ends where the next one begins shares its row. */
#define SHARED 0.01
#define ROW_HEIGHT 11
#define LANE_GAP 12
#define LEAST_WIDTH 2

/* Causes of InfiniBand, then TCP's. */
#define FIRST_TCP RTAP_RECOVERY_FAST_RETRANSMIT
#define CAUSES RTAP_RECOVERY_COUNT
#define LANES (CAUSES + 2) /* and pauses, and waits */

static const struct { const char *plural, *one, *style; } causes[LANES] = {
	[RTAP_RECOVERY_SEQUENCE_NAK] = { "sequence NAKs", "sequence NAK", "nak" },
	[RTAP_RECOVERY_IMPLIED_NAK] = { "missing READ responses", "missing READ response", "again" },
	[RTAP_RECOVERY_RNR] = { "RNR NAKs", "RNR NAK", "rnr" },
	[RTAP_RECOVERY_TIMEOUT] = { "timeouts", "timeout", "late" },
	[RTAP_RECOVERY_FAST_RETRANSMIT] = { "TCP fast retransmits", "TCP fast retransmit", "again" },
	[RTAP_RECOVERY_TCP_TIMEOUT] = { "TCP timeouts", "TCP timeout", "late" },
	[RTAP_RECOVERY_ZERO_WINDOW] = { "closed TCP windows", "closed TCP window", "rnr" },
	[REPORT_PAUSE] = { "PAUSE and PFC", "pause", "late" },
	[REPORT_WAIT] = { "slow replies, no loss", "slow reply", "wait" },
};

/* Number of recent recoveries searched for one that continues. */
#define LOOK_BACK 32

/* Extends the time lost until the retransmission of a READ request by that until its response. False: no such recovery. */
static bool extend(struct report *report, const struct report_recovery *recovery)
{
	struct report_recovery *list = report->recoveries.list;
	int64_t begin_ns = (int64_t)((uint64_t)recovery->spot.time_ns - (uint64_t)recovery->spot.place);

	for (uint32_t i = report->recoveries.count; i && report->recoveries.count - i < LOOK_BACK; i--) {
		struct report_recovery *last = &list[i - 1];

		if (last->connection != recovery->connection || last->from_a != recovery->from_a)
			continue;
		if (last->spot.time_ns != begin_ns)
			return false;
		last->spot.time_ns = recovery->spot.time_ns;
		last->spot.place += recovery->spot.place;
		return true;
	}
	return false;
}

static void take(struct report *report, const struct report_recovery *recovery)
{
	bool continues = !recovery->attempt && recovery->cause < FIRST_TCP;

	if (recovery->spot.place > 0 && !(continues && extend(report, recovery)))
		report_points_add(&report->recoveries, recovery);
}

static void take_tcp(struct report *report, const struct rtap_packet *packet)
{
	for (unsigned i = 0; i < packet->flow.tcp_recovery_count; i++) {
		const struct rtap_tcp_recovery *found = &packet->flow.tcp_recoveries[i];

		if (found->begins)
			continue;
		take(report, &(struct report_recovery){
			.spot = { found->end_ns, ns_elapsed(found->begin_ns, found->end_ns) },
			.frame = found->frame,
			.connection = packet->flow.connection,
			.from_a = found->from_a,
			.cause = found->cause,
		});
	}
}

void report_recovery(struct report *report, const struct rtap_packet *packet)
{
	const struct rtap_flow_facts *flow = &packet->flow;

	if (!packet->ib.has_bth) {
		take_tcp(report, packet);
		return;
	}
	if (flow->lost_to)
		take(report, &(struct report_recovery){
			.spot = { packet->frame->time_ns, flow->time_lost_ns },
			.frame = packet->frame->number,
			.connection = flow->connection,
			.from_a = flow->from_a != ib_opcodes[packet->ib.opcode].is_response,
			.cause = flow->lost_to,
			.attempt = flow->recovery ? flow->attempt : 0,
		});
}

/* Quanta: IEEE 802.3, 31B.2. A pause whose length is unknown is only in the table. */
void report_pause(struct report *report, const struct congestion_pause *pause)
{
	for (unsigned priority = 0; priority <= PAUSE_PRIORITIES && pause->bits_per_second; priority++) {
		uint64_t length_ns = pause->quanta[priority] * UINT64_C(512) * 1000000000 / pause->bits_per_second;

		if (pause->enabled >> priority & 1 && length_ns)
			report_points_add(&report->recoveries, &(struct report_recovery){
				.spot = { (int64_t)((uint64_t)pause->time_ns + length_ns), (int64_t)length_ns }, .frame = pause->frame, .cause = REPORT_PAUSE });
	}
}

void report_wait(struct report *report, const struct report_recovery *wait, int64_t lost_ns)
{
	const struct report_points *points = &report->recoveries;
	const struct report_recovery *last = points->count ? report_points_at(points, points->count - 1) : NULL;

	if (wait->spot.place < STATS_SLOW_NS || lost_ns >= wait->spot.place / 2)
		return;
	/* the operations of one message */
	if (last && last->cause == REPORT_WAIT && last->connection == wait->connection && last->frame == wait->frame)
		return;
	report_points_add(&report->recoveries, wait);
}

void report_operation(struct report *report, const struct rtap_operation *operation)
{
	int64_t from_ns = 0, to_ns = operation->latency_ns;

	/* those with costly bodies are recorded with their messages */
	if (!operation->has_latency || operation->flags & (RTAP_OPERATION_WAITS | RTAP_OPERATION_COSTLY))
		return;
	/* the longer one of before its data and after */
	if (operation->first_data_frame && operation->first_data_ns >= to_ns - operation->last_data_ns)
		to_ns = operation->first_data_ns;
	else if (operation->first_data_frame)
		from_ns = operation->last_data_ns;
	report_wait(report, &(struct report_recovery){
		.spot = { (int64_t)((uint64_t)operation->time_ns + (uint64_t)to_ns), to_ns - from_ns },
		.frame = to_ns == operation->latency_ns ? operation->response_frame : operation->first_data_frame,
		.connection = operation->connection->number, .from_a = operation->from_a, .cause = REPORT_WAIT,
	}, operation->time_lost_us * INT64_C(1000));
}

void report_closed_windows(const struct report_page *page)
{
	for (uint64_t i = 0; i < 2 * page->ranked_count; i++) {
		const struct stats_connection *connection = page->ranked[i / 2];
		const struct stats_incidents *sender = stats_incidents_of(&connection->directions[i % 2]);

		if (sender->closed)
			take(page->report, &(struct report_recovery){
				.spot = { page->stats->last_ns, ns_elapsed(sender->closed_ns, page->stats->last_ns) },
				.frame = sender->recoveries[RTAP_RECOVERY_ZERO_WINDOW].occurrences.last_frame,
				.connection = connection->shown.number,
				.from_a = i % 2 == 0,
				.cause = RTAP_RECOVERY_ZERO_WINDOW,
			});
	}
}

/* Bars of one cause. */
struct lane {
	uint64_t count;
	struct html_rows rows;
	double top;
};

static double end_of(const struct report_page *page, const struct html_axis *x, const struct report_recovery *recovery)
{
	return html_place(x, (double)ns_elapsed(page->stats->first_ns, recovery->spot.time_ns));
}

static double begin_of(const struct report_page *page, const struct html_axis *x, const struct report_recovery *recovery)
{
	int64_t begin_ns = (int64_t)((uint64_t)recovery->spot.time_ns - (uint64_t)recovery->spot.place);

	return html_place(x, (double)ns_elapsed(page->stats->first_ns, begin_ns));
}

static double lay_out(const struct report_page *page, const struct html_axis *x, struct lane lanes[LANES])
{
	const struct report_points *points = &page->report->recoveries;
	double top = TOP + 6;

	for (uint32_t i = 0; i < points->count; i++) {
		const struct report_recovery *recovery = report_points_at(points, i);
		struct lane *lane = &lanes[recovery->cause];

		lane->count++;
		html_rows_take(&lane->rows, begin_of(page, x, recovery) + SHARED, end_of(page, x, recovery));
	}
	for (unsigned i = 0; i < LANES; i++) {
		if (!lanes[i].count)
			continue;
		lanes[i].top = top;
		top += lanes[i].rows.count * (double)ROW_HEIGHT + LANE_GAP;
		memset(lanes[i].rows.ends, 0, sizeof lanes[i].rows.ends);
	}
	return top;
}

static void lane_names(const struct lane lanes[LANES], struct line *line)
{
	for (unsigned i = 0; i < LANES; i++) {
		if (!lanes[i].count)
			continue;
		html_label(line, "ty", LEFT - 8, lanes[i].top + 9);
		line_text(line, causes[i].plural);
		line_text(line, "</text><path class=\"grid\" d=\"M4 ");
		html_pixel(line, lanes[i].top - 5);
		line_char(line, 'H');
		html_pixel(line, RIGHT);
		line_text(line, "\"/>");
	}
}

/* "connection 3 a→b: 540.0 ms lost to a timeout, attempt 2, frame 12, +0.500000000 s to +1.040000000 s" */
static void title(const struct report_page *page, const struct report_recovery *recovery, struct line *line)
{
	int64_t end_ns = (int64_t)((uint64_t)recovery->spot.time_ns - (uint64_t)page->stats->begin_ns);

	line_text(line, "<title>");
	if (recovery->cause != REPORT_PAUSE) {
		line_text(line, "connection ");
		line_dec(line, recovery->connection);
		line_text(line, recovery->from_a ? " a→b: " : " b→a: ");
	}
	html_duration(line, recovery->spot.place);
	line_text(line, recovery->cause >= REPORT_PAUSE ? ", " : " lost, ");
	line_text(line, causes[recovery->cause].one);
	if (recovery->attempt > 1) {
		line_text(line, ", attempt ");
		line_dec(line, recovery->attempt);
	} else if (!recovery->attempt && recovery->cause < FIRST_TCP) {
		line_text(line, ", until the response came");
	}
	line_text(line, ", frame ");
	line_dec(line, recovery->frame);
	line_text(line, ", ");
	html_offset(line, end_ns - recovery->spot.place);
	line_text(line, " to ");
	html_offset(line, end_ns);
	line_text(line, "</title>");
}

static void draw(const struct report_page *page, const struct report_recovery *recovery, const struct html_axis *x, struct lane *lane,
		 struct line *line)
{
	double begin = begin_of(page, x, recovery), width = end_of(page, x, recovery) - begin;
	double y = lane->top + html_rows_take(&lane->rows, begin + SHARED, begin + width) * (double)ROW_HEIGHT;
	double drawn = width < LEAST_WIDTH ? LEAST_WIDTH : width;

	line_text(line, "<g class=\"call recovery ");
	line_text(line, causes[recovery->cause].style);
	line_text(line, "\">");
	title(page, recovery, line);
	line_text(line, "<path d=\"M");
	html_fixed(line, begin, 3);
	line_char(line, ' ');
	html_pixel(line, y);
	line_char(line, 'h');
	html_fixed(line, drawn, 3);
	line_text(line, "v8h");
	html_fixed(line, -drawn, 3);
	line_text(line, "z\" data-w=\"");
	html_fixed(line, width, 3);
	line_text(line, "\"/></g>\n");
}

static void plot(const struct report_page *page, struct line *line)
{
	const struct report_points *points = &page->report->recoveries;
	struct html_axis x = { 0, (double)ns_elapsed(page->stats->first_ns, page->stats->last_ns), LEFT, RIGHT - 12, false };
	struct html_unit unit = html_time_unit(x.high);
	struct lane lanes[LANES] = { 0 };
	double bottom;

	if (!points->count)
		return;
	if (!(x.high > 0))
		x.high = 1;
	bottom = lay_out(page, &x, lanes);
	line_text(line, "<figure><figcaption><b>Time lost</b> to recoveries, from the last progress to the packet that ended it; pauses and slow replies</figcaption>\n"
		  "<svg class=\"plot recoveries\" viewBox=\"0 0 1000 ");
	html_pixel(line, bottom + 34);
	line_text(line, "\" role=\"img\"");
	html_area_data(line, &x, TOP, bottom, unit, (int64_t)((uint64_t)page->stats->first_ns - (uint64_t)page->stats->begin_ns));
	line_text(line, "><title>Recoveries over time</title>"
		  "<desc>A bar each, by cause; its title names the connection, the time lost and the frame.</desc>\n");
	html_ticks_x(line, &x, unit, TOP, bottom);
	lane_names(lanes, line);
	html_area_begin(line, LEFT, RIGHT - 4, TOP, bottom);
	for (uint32_t i = 0; i < points->count; i++) {
		const struct report_recovery *recovery = report_points_at(points, i);

		draw(page, recovery, &x, &lanes[recovery->cause], line);
	}
	line_text(line, "</svg>");
	html_label(line, "tx", (LEFT + RIGHT) / 2.0, bottom + 30);
	line_text(line, unit.name);
	line_text(line, " since ");
	html_moment(line, page->stats->first_ns);
	line_text(line, "</text></svg>\n");
	if (points->count < points->seen) {
		line_text(line, "<ul class=\"legend\"><li class=\"drawn\">");
		html_count(line, points->count);
		line_text(line, " of ");
		html_count(line, points->seen);
		line_text(line, " bars drawn: of each of ");
		html_count(line, points->slices);
		line_text(line, " time slices the shortest and the longest, and some of those between</li></ul>");
	}
	line_text(line, "</figure>\n");
}

#define HEADINGS(array) array, sizeof(array) / sizeof((array)[0])

/* The first cells of a direction's row. */
static void row_begin(const struct stats_connection *connection, int side, struct line *line)
{
	line_text(line, "<tr><th scope=\"row\">");
	line_dec(line, connection->shown.number);
	line_text(line, side ? "</th><td data-v=\"b&gt;a\">b→a</td>" : "</th><td data-v=\"a&gt;b\">a→b</td>");
}

/* Text sorted by its name in stats --json. */
static void cell_named(const char *name, const char *words, struct line *line)
{
	line_text(line, "<td data-v=\"");
	line_text(line, name);
	line_text(line, "\">");
	line_text(line, words);
	line_text(line, "</td>");
}

static void none(unsigned cells, struct line *line)
{
	while (cells--)
		line_text(line, "<td class=\"n\" data-v=\"\">–</td>");
}

static bool recovery_row(const struct report_page *page, const struct stats_connection *connection, int side, unsigned cause, struct line *line)
{
	const struct stats_direction *direction = &connection->directions[side];
	const struct stats_recovery *counted = &stats_incidents_of(direction)->recoveries[cause];

	if (!counted->occurrences.count || !line)
		return counted->occurrences.count;
	row_begin(connection, side, line);
	cell_named(flow_recovery_name((uint8_t)cause), causes[cause].plural, line);
	html_cell_count(line, counted->occurrences.count);
	html_cell_time(line, true, stats_lost_to(page->stats, direction, (enum rtap_recovery)cause));
	if (cause < FIRST_TCP) {
		html_cell_time(line, counted->least_ns, counted->least_ns);
		html_cell_time(line, counted->least_ns, counted->most_ns);
		html_cell_count(line, counted->most_attempts);
	} else {
		none(3, line);
	}
	html_cell_count(line, counted->occurrences.first_frame);
	html_cell_count(line, counted->occurrences.last_frame);
	line_text(line, "</tr>\n");
	return true;
}

/* Writes all rows; only counts them if `line` is NULL. */
static uint64_t recovery_rows(const struct report_page *page, struct line *line)
{
	uint64_t rows = 0;

	for (uint64_t i = 0; i < page->ranked_count; i++)
		for (unsigned at = 0; at < 2 * CAUSES && (!line || rows < REPORT_ROWS); at++)
			rows += recovery_row(page, page->ranked[i], (int)(at / CAUSES), at % CAUSES, line);
	return rows;
}

void report_recoveries(const void *what, struct line *line)
{
	static const char *const headings[] = { "connection|#", "direction|retransmitted by", "cause|cause", "count|recoveries", "time_lost|time lost",
		"spacing_min|shortest wait before an attempt", "spacing_max|longest", "attempts_max|most attempts without progress", "first_frame|first frame",
		"last_frame|last frame" };
	const struct report_page *page = what;
	uint64_t rows = recovery_rows(page, NULL);

	if (!rows && !page->report->recoveries.count)
		return;
	line_text(line, rows ? "<section id=\"recoveries\"><h2>Recoveries</h2>\n" : "<section id=\"recoveries\"><h2>Pauses over time</h2>\n");
	plot(page, line);
	if (!rows) {
		line_text(line, "</section>\n");
		return;
	}
	html_table(line, "recovery-table", "Recoveries by connection, retransmitting end and cause", HEADINGS(headings));
	recovery_rows(page, line);
	html_table_end(line);
	report_left_out(rows < REPORT_ROWS ? rows : REPORT_ROWS, rows, "rows", line);
	line_text(line, "</section>\n");
}

static void cell_if(bool known, unsigned value, struct line *line)
{
	if (known)
		html_cell_count(line, value);
	else
		none(1, line);
}

/* Rows of one direction; none if all packets have the default class. */
static uint64_t class_rows(const struct stats_connection *connection, int side, struct line *line)
{
	static const char *const ecn_names[] = { "Not-ECT", "ECT(1)", "ECT(0)", "CE" };
	const struct stats_direction *direction = &connection->directions[side];
	struct congestion_row row;
	uint64_t rows = 0;

	if (congestion_is_default(direction))
		return 0;
	for (unsigned at = 0; congestion_next(direction, &at, &row);) {
		uint16_t class = CONGESTION_CLASS(row.key);

		if (!(class & (CLASS_HAS_DSCP | CLASS_HAS_PCP)))
			continue;
		rows++;
		if (!line)
			continue;
		row_begin(connection, side, line);
		html_cell_text(line, congestion_kind_name(CONGESTION_KIND(row.key)));
		cell_if(class & CLASS_HAS_DSCP, (unsigned)CLASS_DSCP(class), line);
		if (class & CLASS_HAS_DSCP)
			cell_named((const char *const[]){ "0", "1", "2", "3" }[CLASS_ECN(class)], ecn_names[CLASS_ECN(class)], line);
		else
			none(1, line);
		cell_if(class & CLASS_HAS_PCP, (unsigned)CLASS_PCP(class), line);
		html_cell_count(line, row.packets);
		line_text(line, "</tr>\n");
	}
	return rows;
}

void report_classes(const void *what, struct line *line)
{
	static const char *const headings[] = { "connection|#", "direction|sent by", "kind|kind of packet", "dscp|DSCP", "ecn|ECN",
		"pcp|VLAN priority (PCP)", "packets|packets" };
	const struct report_page *page = what;
	uint64_t rows = 0, shown = 0;

	for (uint64_t i = 0; i < 2 * page->ranked_count; i++)
		rows += class_rows(page->ranked[i / 2], i % 2, NULL);
	if (!rows)
		return;
	line_text(line, "<section id=\"classes\"><h2>Traffic classes</h2>\n");
	html_table(line, "class-table", "Packets by connection, sender, kind and class", HEADINGS(headings));
	for (uint64_t i = 0; i < 2 * page->ranked_count && shown < REPORT_ROWS; i++)
		shown += class_rows(page->ranked[i / 2], i % 2, line);
	html_table_end(line);
	report_left_out(shown, rows, "rows", line);
	line_text(line, "</section>\n");
}

void report_pauses(const void *what, struct line *line)
{
	static const char *const headings[] = { "port|port", "interface|interface", "priority|priority", "frames|frames", "pauses|pauses",
		"quanta|quanta", "paused|time paused", "first_frame|first frame", "last_frame|last frame" };
	const struct report_page *page = what;
	const struct congestion_ports *pauses = page->stats->pauses;

	if (!pauses || !pauses->count)
		return;
	line_text(line, "<section id=\"pauses\"><h2>PAUSE and PFC frames</h2>\n");
	html_table(line, "pause-table", "Ports that paused their neighbours, by priority", HEADINGS(headings));
	for (unsigned i = 0; i < pauses->count; i++) {
		const struct congestion_port *port = &pauses->ports[i];

		line_text(line, "<tr><th scope=\"row\">");
		line_hex_bytes(line, port->source, sizeof port->source, ':');
		line_text(line, "</th>");
		html_cell_count(line, port->interface);
		if (port->priority == PAUSE_LINK)
			line_text(line, "<td class=\"n\" data-v=\"\">all (PAUSE)</td>");
		else
			html_cell_count(line, port->priority);
		html_cell_count(line, port->frames);
		html_cell_count(line, port->pauses);
		html_cell_count(line, port->quanta);
		if (port->unknown_speed)
			line_text(line, "<td class=\"n\" data-v=\"\">link speed not known</td>");
		else
			html_cell_time(line, true, (int64_t)congestion_paused_ns(port, page->stats->last_ns));
		html_cell_count(line, port->first_frame);
		html_cell_count(line, port->last_frame);
		line_text(line, "</tr>\n");
	}
	html_table_end(line);
	if (pauses->other) {
		line_text(line, "<p class=\"note\">");
		html_counted(line, pauses->other, "pause");
		line_text(line, " by further ports not counted by port.</p>\n");
	}
	line_text(line, "</section>\n");
}
