/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of the page. Their numbers are those of stats --json; the keys of headings are its members.
 */
#include "config.h"

#include "output/message/connections.h"
#include "output/report/html.h"
#include "output/message/messages.h"
#include "output/report/report_internal.h"
#include "output/report/report_tables.h"
#include "output/stats/stats_form.h"
#include "output/stats/stats_rpc.h"
#include "output/stats/stats_work.h"

#define HEADINGS(array) array, sizeof(array) / sizeof((array)[0])

static void distribution(const struct histogram *histogram, struct line *line)
{
	static const unsigned permilles[] = { 500, 900, 990, 999 };

	for (unsigned i = 0; i < sizeof permilles / sizeof permilles[0]; i++)
		html_cell_time(line, histogram->count, (int64_t)histogram_percentile(histogram, permilles[i]));
	html_cell_time(line, histogram->count, (int64_t)histogram->largest);
}

static void cell_end(const struct rtap_end *end, struct line *line)
{
	line_text(line, "<td>");
	end_text(end, line);
	line_text(line, "</td>");
}

static uint64_t events_of(const struct stats_connection *connection, enum stats_event first, enum stats_event last)
{
	uint64_t sum = 0;

	for (int i = 0; i < 2; i++)
		for (int event = (int)first; event <= (int)last; event++)
			sum += stats_event_of(&connection->directions[i], (enum stats_event)event)->count;
	return sum;
}

static void connection_row(const struct report_page *page, const struct stats_connection *connection, bool is_plotted, struct line *line)
{
	const struct stats_shown *shown = &connection->shown;

	line_text(line, "<tr><th scope=\"row\" data-v=\"");
	line_dec(line, shown->number);
	line_text(line, is_plotted ? "\"><a href=\"#c" : "\">");
	if (is_plotted) {
		line_dec(line, shown->number);
		line_text(line, "\">");
	}
	line_dec(line, shown->number);
	line_text(line, is_plotted ? "</a></th>" : "</th>");
	html_cell_text(line, rtap_transport_name((enum rtap_transport)shown->transport));
	cell_end(&shown->a, line);
	cell_end(&shown->b, line);
	html_cell_time(line, true, (int64_t)((uint64_t)shown->time_ns - (uint64_t)page->stats->begin_ns));
	html_cell_time(line, true, ns_elapsed(shown->time_ns, shown->time_end_ns));
	for (int i = 0; i < 2; i++)
		html_cell_count(line, connection->directions[i].packets);
	for (int i = 0; i < 2; i++)
		html_cell_count(line, connection->directions[i].wire_bytes);
	for (int i = 0; i < 2; i++)
		html_cell_count(line, stats_goodput(&connection->directions[i]));
	html_cell_count(line, events_of(connection, STATS_RETRANSMISSION, STATS_RETRANSMISSION));
	html_cell_count(line, events_of(connection, STATS_OUT_OF_ORDER, STATS_OUT_OF_ORDER));
	html_cell_count(line, events_of(connection, STATS_NAK_SEQUENCE, STATS_NAK_INVALID_RD));
	html_cell_count(line, events_of(connection, STATS_RNR, STATS_RNR));
	html_cell_count(line, events_of(connection, STATS_CE_MARK, STATS_CE_MARK));
	html_cell_count(line, events_of(connection, STATS_CNP, STATS_CNP));
	html_cell_count(line, shown->anomaly_counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED]);
	html_cell_count(line, events_of(connection, STATS_UNANSWERED, STATS_UNANSWERED));
	line_text(line, "</tr>\n");
}

void report_left_out(uint64_t shown, uint64_t all, const char *what, struct line *line)
{
	if (shown >= all)
		return;
	line_text(line, "<p class=\"note\">");
	html_count(line, shown);
	line_text(line, " of ");
	html_count(line, all);
	line_char(line, ' ');
	line_text(line, what);
	line_text(line, "; rdmatap stats lists all.</p>\n");
}

void report_connections(const void *what, struct line *line)
{
	static const char *const headings[] = { "connection|#", "transport|type", "a|a", "b|b", "start|begin", "seconds|duration",
		"a>b.packets|packets a→b", "b>a.packets|packets b→a", "a>b.bytes|bytes a→b", "b>a.bytes|bytes b→a",
		"a>b.goodput|goodput a→b, byte/s", "b>a.goodput|goodput b→a, byte/s", "retransmissions|retransmitted", "out_of_order|out of order", "naks|NAKs",
		"rnr_naks|RNR NAKs", "ce_marks|CE marks", "cnps|CNPs", "anomalies.lost|not captured", "unanswered|unanswered" };
	const struct report_page *page = what;
	uint64_t count = page->ranked_count < REPORT_ROWS ? page->ranked_count : REPORT_ROWS;

	line_text(line, "<section id=\"connections\"><h2>Connections</h2>\n");
	if (!page->stats->connections) {
		line_text(line, "<p>No connections.</p></section>\n");
		return;
	}
	html_table(line, "connection-table", "Connections, those with the most bytes and anomalies first. End a set the connection up, or sent the first request.",
		   HEADINGS(headings));
	for (uint64_t i = 0; i < count; i++)
		connection_row(page, page->ranked[i], i < REPORT_PLOTTED, line);
	html_table_end(line);
	report_left_out(count, page->ranked_count, "connections, those with the most bytes and anomalies", line);
	if (page->stats->summed) {
		line_text(line, "<p class=\"note\">");
		html_counted(line, page->stats->summed, "further connection");
		line_text(line, " could only be counted together for lack of memory (raise --max-memory).</p>\n");
	}
	line_text(line, "</section>\n");
}

static void operation_row(const struct stats_connection *connection, int side, int kind, struct line *line)
{
	const struct stats_operations *operations = connection->directions[side].operations[kind];

	line_text(line, "<tr><th scope=\"row\">");
	line_dec(line, connection->shown.number);
	line_text(line, side ? "</th><td data-v=\"b&gt;a\">b→a</td>" : "</th><td data-v=\"a&gt;b\">a→b</td>");
	html_cell_text(line, rtap_message_kind_name((enum rtap_message_kind)kind));
	html_cell_count(line, operations->messages);
	html_cell_count(line, operations->bytes);
	html_cell_count(line, operations->incomplete);
	html_cell_count(line, operations->unanswered);
	html_cell_count(line, operations->refused);
	distribution(&operations->latency_ns, line);
	line_text(line, "</tr>\n");
}

void report_operations(const void *what, struct line *line)
{
	static const char *const headings[] = { "connection|#", "direction|requester", "kind|kind", "messages|messages", "bytes|bytes",
		"incomplete|incomplete", "unanswered|unanswered", "refused|refused", "latency.p50|latency p50", "latency.p90|p90",
		"latency.p99|p99", "latency.p999|p99.9", "latency.max|longest" };
	const struct report_page *page = what;
	uint64_t rows = 0, shown = 0;

	for (uint64_t i = 0; i < page->ranked_count; i++)
		for (int kind = 0; kind < 2 * RTAP_KIND_COUNT; kind++)
			rows += page->ranked[i]->directions[kind / RTAP_KIND_COUNT].operations[kind % RTAP_KIND_COUNT] != NULL;
	if (!rows)
		return;
	line_text(line, "<section id=\"operations\"><h2>Messages</h2>\n");
	html_table(line, "operation-table", "Messages by connection, requester and kind, with their latencies",
		   HEADINGS(headings));
	for (uint64_t i = 0; i < page->ranked_count && shown < REPORT_ROWS; i++)
		for (int kind = 0; kind < 2 * RTAP_KIND_COUNT; kind++) {
			if (!page->ranked[i]->directions[kind / RTAP_KIND_COUNT].operations[kind % RTAP_KIND_COUNT])
				continue;
			operation_row(page->ranked[i], kind / RTAP_KIND_COUNT, kind % RTAP_KIND_COUNT, line);
			shown++;
		}
	html_table_end(line);
	report_left_out(shown, rows, "rows", line);
	if (page->stats->uncounted_messages) {
		line_text(line, "<p class=\"note\">");
		html_counted(line, page->stats->uncounted_messages, "message");
		line_text(line, " not counted by connection and kind for lack of memory (raise --max-memory).</p>\n");
	}
	if (page->stats->values.unplaced + page->values.unplaced) {
		line_text(line, "<p class=\"note\">");
		html_counted(line, page->stats->values.unplaced + page->values.unplaced, "value");
		line_text(line, " (lengths or times) missing from percentiles and plots for lack of memory (raise --max-memory).</p>\n");
	}
	if (page->stats->values.refused + page->values.refused) {
		line_text(line, "<p class=\"note\">");
		html_counted(line, page->stats->values.refused + page->values.refused, "distribution");
		line_text(line, " without exact percentiles for lack of memory (raise --max-memory).</p>\n");
	}
	line_text(line, "</section>\n");
}

static void statuses(const struct stats_rpc *row, struct line *line)
{
	line_text(line, "<td>");
	for (unsigned i = 0; i < row->status_count; i++) {
		const struct stats_status *status = &row->statuses[i];

		line_text(line, i ? ", " : "");
		if (status->name)
			html_text(line, status->name);
		else
			line_dec(line, status->number);
		line_text(line, " ×");
		html_count(line, status->occurrences.count);
		line_text(line, " (");
		html_frames(line, status->occurrences.first_frame, status->occurrences.last_frame);
		line_char(line, ')');
	}
	line_text(line, "</td>");
}

static void rpc_row(const struct stats_rpc *row, struct line *line)
{
	const uint64_t counts[] = { row->rejected, row->unanswered, row->repeats, row->call_bytes, row->reply_bytes, row->with_read_chunks,
		row->with_write_chunks, row->with_reply_chunk };

	line_text(line, row->is_operation ? "<tr class=\"inner\"><th scope=\"row\">" : "<tr><th scope=\"row\">");
	if (!stats_rpc_name(row, " › ", line))
		line_text(line, "unknown program");
	line_text(line, "</th>");
	html_cell_count(line, row->calls);
	html_cell_count(line, row->replies);
	html_cell_count(line, row->errors);
	distribution(&row->latency_ns, line);
	statuses(row, line);
	for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		if (row->is_operation)
			line_text(line, "<td class=\"n\" data-v=\"\"></td>");
		else
			html_cell_count(line, counts[i]);
	}
	line_text(line, "</tr>\n");
}

void report_rpcs(const void *what, struct line *line)
{
	static const char *const headings[] = { "name|RPC", "calls|calls", "replies|replies", "errors|errors",
		"latency.p50|latency p50", "latency.p90|p90", "latency.p99|p99", "latency.p999|p99.9", "latency.max|longest",
		"statuses|errors by name", "rejected|refused", "unanswered|unanswered", "repeats|retransmitted", "call_bytes|bytes of calls",
		"reply_bytes|bytes of replies", "with_read_chunks|with read chunks", "with_write_chunks|with write chunks",
		"with_reply_chunk|with reply chunk" };
	const struct report_page *page = what;
	const struct stats *stats = page->stats;

	if (!stats->rpc_count)
		return;
	line_text(line, "<section id=\"rpcs\"><h2>RPCs</h2>\n");
	html_table(line, "rpc-table", "RPCs by procedure, and by operation within compounds", HEADINGS(headings));
	for (unsigned i = 0; i < stats->rpc_count; i++) {
		if (stats->rpcs[i]->is_operation)
			continue;
		rpc_row(stats->rpcs[i], line);
		for (unsigned inner = 0; inner < stats->rpc_count; inner++)
			if (stats_rpc_is_part(stats->rpcs[inner], stats->rpcs[i]))
				rpc_row(stats->rpcs[inner], line);
	}
	html_table_end(line);
	if (stats->other_rpcs) {
		line_text(line, "<p class=\"note\">");
		html_counted(line, stats->other_rpcs, "RPC message");
		line_text(line, " of further kinds not counted by kind.</p>\n");
	}
	line_text(line, "</section>\n");
}

static void work_cells(const struct stats_work *work, struct line *line)
{
	const uint64_t counts[] = { work->count, work->unanswered, work->failed, work->incomplete, work->bytes };

	for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++)
		html_cell_count(line, counts[i]);
	distribution(&work->latency_ns, line);
	html_cell_count(line, work->repeats);
	html_cell_time(line, work->time_lost_us, (int64_t)(work->time_lost_us > INT64_MAX / 1000 ? INT64_MAX : work->time_lost_us * 1000));
}

static void work_head(const struct stats_work_row *row, struct line *line)
{
	line_text(line, "<tr><th scope=\"row\">");
	html_text(line, row->layer ? row->layer : "others");
	line_text(line, "</th>");
	html_cell_text(line, *row->name ? row->name : row->layer ? "unknown" : "");
}

static void work_row(const struct stats_work_row *row, struct line *line)
{
	const struct stats_work_status *status;

	work_head(row, line);
	work_cells(&row->work, line);
	for (int part = 0; part < STATS_PART_COUNT; part++)
		html_cell_time(line, row->parts_ns[part].count, (int64_t)histogram_percentile(&row->parts_ns[part], 500));
	line_text(line, "<td>");
	SLIST_FOREACH(status, &row->statuses, link) {
		line_text(line, status == SLIST_FIRST(&row->statuses) ? "" : ", ");
		html_text(line, status->name);
		line_text(line, " ×");
		html_count(line, status->occurrences.count);
		line_text(line, " (");
		html_frames(line, status->occurrences.first_frame, status->occurrences.last_frame);
		line_char(line, ')');
	}
	line_text(line, "</td></tr>\n");
}

static void object_row(const struct stats_work_row *row, struct line *line)
{
	work_head(row, line);
	work_cells(&row->work, line);
	line_text(line, "</tr>\n");
}

static void requester_row(const struct stats_connection *connection, int side, struct line *line)
{
	const struct stats_requests *requests = connection->directions[side].requests;

	line_text(line, "<tr><th scope=\"row\">");
	line_dec(line, connection->shown.number);
	line_text(line, side ? "</th><td data-v=\"b&gt;a\">b→a</td>" : "</th><td data-v=\"a&gt;b\">a→b</td>");
	html_cell_text(line, requests->layer);
	if (requests->has_queue)
		html_cell_count(line, requests->queue);
	else
		line_text(line, "<td class=\"n\" data-v=\"\"></td>");
	html_cell_count(line, requests->depth);
	work_cells(&requests->work, line);
	line_text(line, "</tr>\n");
}

#define WORK_HEADINGS "count|operations", "unanswered|unanswered", "failed|errors", "incomplete|incomplete", "bytes|bytes", \
	"latency.p50|latency p50", "latency.p90|p90", "latency.p99|p99", "latency.p999|p99.9", "latency.max|longest", "repeats|retransmitted", \
	"time_lost|time lost"

static void rows_of(const struct stats_work_table *table, void (*row)(const struct stats_work_row *, struct line *), struct line *line)
{
	for (size_t i = 0; i < table->count && i < REPORT_ROWS; i++)
		row(table->rows[i], line);
	if (table->others)
		row(table->others, line);
	html_table_end(line);
	report_left_out(table->count < REPORT_ROWS ? table->count : REPORT_ROWS, table->count, "rows", line);
}

static void requesters(const struct report_page *page, struct line *line)
{
	static const char *const headings[] = { "connection|#", "direction|requester", "layer|layer", "queue|queue", "depth|depth", WORK_HEADINGS };
	uint64_t shown = 0, all = 0;

	html_table(line, "requester-table", "Operations by connection and requester; depth: the most operations in flight",
		   HEADINGS(headings));
	for (uint64_t i = 0; i < page->ranked_count; i++)
		for (int side = 0; side < 2; side++) {
			if (!page->ranked[i]->directions[side].requests)
				continue;
			if (++all > REPORT_ROWS)
				continue;
			requester_row(page->ranked[i], side, line);
			shown++;
		}
	html_table_end(line);
	report_left_out(shown, all, "rows", line);
}

void report_works(const void *what, struct line *line)
{
	static const char *const names[] = { "layer|layer", "name|operation", WORK_HEADINGS, "to_first_data.p50|to first data, p50",
		"data_time.p50|first to last data, p50", "to_response.p50|last data to response, p50", "statuses|errors by name" };
	static const char *const objects[] = { "layer|layer", "object|object", WORK_HEADINGS };
	const struct report_page *page = what;
	const struct stats_operation_tables *tables = stats_work_tables(page->stats);

	if (!tables->names.count)
		return;
	line_text(line, "<section id=\"works\"><h2>Operations</h2>\n");
	html_table(line, "work-table", "Operations of upper layers by name, without RPCs", HEADINGS(names));
	rows_of(&tables->names, work_row, line);
	if (tables->objects.count) {
		html_table(line, "object-table", "Operations by object", HEADINGS(objects));
		rows_of(&tables->objects, object_row, line);
	}
	requesters(page, line);
	if (tables->uncounted) {
		line_text(line, "<p class=\"note\">");
		html_counted(line, tables->uncounted, "operation");
		line_text(line, " counted as others or in no row, because there are too many or for lack of memory.</p>\n");
	}
	line_text(line, "</section>\n");
}

static void cell_name(const char *name, uint64_t number, unsigned digits, struct line *line)
{
	line_text(line, "<td data-v=\"");
	line_dec(line, number);
	line_text(line, "\">");
	if (name)
		html_text(line, name);
	else
		line_hex(line, number, digits);
	line_text(line, "</td>");
}

void report_mads(const void *what, struct line *line)
{
	static const char *const headings[] = { "class|class", "method|method", "attribute|attribute", "count|datagrams",
						"first_frame|first frame",
		"last_frame|last frame", "bytes|bytes", "errors|with an error", "latency.p50|latency p50", "latency.p90|p90", "latency.p99|p99",
		"latency.p999|p99.9", "latency.max|longest" };
	const struct report_page *page = what;

	if (!page->stats->mad_count)
		return;
	line_text(line, "<section id=\"mads\"><h2>Management datagrams</h2>\n");
	html_table(line, "mad-table", "Management datagrams by class, method and attribute", HEADINGS(headings));
	for (unsigned i = 0; i < page->stats->mad_count; i++) {
		const struct stats_mad *mad = page->stats->mads[i];

		line_text(line, "<tr>");
		cell_name(mad->class_name, mad->management_class, 2, line);
		cell_name(mad->method_name, mad->method, 2, line);
		cell_name(mad->attribute_name, mad->attribute, 4, line);
		html_cell_count(line, mad->occurrences.count);
		html_cell_count(line, mad->occurrences.first_frame);
		html_cell_count(line, mad->occurrences.last_frame);
		html_cell_count(line, mad->bytes);
		html_cell_count(line, mad->errors);
		distribution(&mad->latency_ns, line);
		line_text(line, "</tr>\n");
	}
	html_table_end(line);
	if (page->stats->other_mads) {
		line_text(line, "<p class=\"note\">");
		html_counted(line, page->stats->other_mads, "datagram");
		line_text(line, " of further kinds not counted by kind.</p>\n");
	}
	line_text(line, "</section>\n");
}
