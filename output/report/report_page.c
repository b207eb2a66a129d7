/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The structure of the page, and its parts about the whole capture.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "output/message/connections.h"
#include "output/report/html.h"
#include "output/message/messages.h"
#include "output/packet/printer.h"
#include "output/packet/units.h"
#include "output/stats/finding_text.h"
#include "output/stats/findings_advice.h"
#include "output/report/report_internal.h"
#include "output/report/report_page.h"
#include "output/report/report_plots.h"
#include "output/report/report_recoveries.h"
#include "output/stats/stats_form.h"

/* The marks of plots, drawn around their centre: distinguished by shape, not by colour only. */
static const char signs[] =
	"<svg width=\"0\" height=\"0\" aria-hidden=\"true\" class=\"defs\"><defs>"
	"<marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
	"<path d=\"M0 0L8 4L0 8z\"/></marker>"
	"<path id=\"m-gap\" d=\"M0-5V5M-3-5H3M-3 5H3\"/><path id=\"m-late\" d=\"M-4.5 4L0-4.5L4.5 4z\"/><path id=\"m-dup\" d=\"M0-4.5V4.5M-4.5 0H4.5\"/>"
	"<path id=\"m-again\" d=\"M-4-4L4 4M-4 4L4-4\"/><path id=\"m-rnr\" d=\"M-4.5-4.5H4.5V4.5H-4.5z\"/><path id=\"m-nak\" d=\"M0-6L6 0L0 6L-6 0z\"/>"
	"<path id=\"m-cnp\" d=\"M-5-5H5L0 4z\"/>"
	"<path id=\"m-rc\" d=\"M-4 3L0-4L4 3z\"/><path id=\"m-wc\" d=\"M-4-3L0 4L4-3z\"/><path id=\"m-pc\" d=\"M-3-3H3V3H-3z\"/>"
	"<path id=\"m-bad\" d=\"M-3.5-3.5L3.5 3.5M-3.5 3.5L3.5-3.5\"/><path id=\"m-none\" d=\"M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0\"/>"
	"</defs></svg>\n";

static void names(const struct report_input *input, struct line *line)
{
	for (size_t i = 0; i < input->name_count; i++) {
		line_text(line, i ? ", " : "");
		html_text(line, input->names[i]);
	}
}

static void head(const void *what, struct line *line)
{
	const struct report_page *page = what;

	line_text(line, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">"
		  "<meta name=\"generator\" content=\"rdmatap " PACKAGE_VERSION "\">\n<link rel=\"icon\" href=\"data:,\"><title>rdmatap report: ");
	names(page->input, line);
	line_text(line, "</title>\n<style>\n");
	line_text(line, report_style);
	line_text(line, "</style></head>\n<body>\n");
	line_text(line, signs);
	line_text(line, "<header><h1>RDMA capture report</h1><p class=\"files\">");
	names(page->input, line);
	line_text(line, "</p></header>\n<main data-begin=\"");
	line_seconds(line, page->stats->begin_ns);
	line_text(line, "\">\n");
}

/* A key figure. */
static void tile(const char *key, uint64_t number, const char *label, struct line *line)
{
	line_text(line, "<div><dt>");
	line_text(line, label);
	line_text(line, "</dt><dd><data data-key=\"");
	line_text(line, key);
	line_text(line, "\" value=\"");
	line_dec(line, number);
	line_text(line, "\">");
	html_count(line, number);
	line_text(line, "</data></dd></div>");
}

static void span(const struct stats *stats, struct line *line)
{
	int64_t elapsed_ns = ns_elapsed(stats->first_ns, stats->last_ns);

	line_text(line, "<div><dt>duration</dt><dd><data data-key=\"seconds\" value=\"");
	line_seconds(line, elapsed_ns);
	line_text(line, "\">");
	html_duration(line, elapsed_ns);
	line_text(line, "</data></dd></div></dl>\n");
	if (!stats->packets)
		return;
	line_text(line, "<p>From <time>");
	html_moment(line, stats->first_ns);
	line_text(line, "</time> to <time>");
	html_moment(line, stats->last_ns);
	line_text(line, "</time>. Times with a + count from the first packet.</p>\n");
}

static void note_begin(const char *name, struct line *line)
{
	line_text(line, "<p class=\"note ");
	line_text(line, name);
	line_text(line, "\">");
}

static void note_end(struct line *line)
{
	line_text(line, "</p>\n");
}

/* "12 frames were truncated by the capture.", if there are any. */
static void note_counted(const char *name, uint64_t count, const char *what, const char *rest, struct line *line)
{
	if (!count)
		return;
	note_begin(name, line);
	html_counted(line, count, what);
	line_text(line, rest);
	note_end(line);
}

static void losses(const struct rtap_source *source, struct line *line)
{
	for (size_t i = 0; i < rtap_source_interface_count(source); i++) {
		const struct rtap_interface *interface = rtap_source_interface(source, i);
		bool by_system = interface->dropped_by_system.known && interface->dropped_by_system.value;

		if (!by_system && !(interface->has_dropped && interface->dropped))
			continue;
		note_begin("bad", line);
		line_text(line, "Dropped while capturing, so not in this report: ");
		if (by_system)
			html_counted(line, interface->dropped_by_system.value, "packet");
		line_text(line, by_system ? " by the capturing system" : "");
		line_text(line, by_system && interface->has_dropped && interface->dropped ? ", " : "");
		if (interface->has_dropped && interface->dropped) {
			html_counted(line, interface->dropped, "packet");
			line_text(line, " by the interface");
		}
		line_text(line, " (");
		html_text(line, interface->file);
		line_text(line, interface->name[0] ? ", interface " : "");
		html_text(line, interface->name);
		line_text(line, ").");
		note_end(line);
	}
}

/* Warnings about the input, before any number. */
static void reservations(const struct report_input *input, struct line *line)
{
	struct rtap_source_counters counters;

	rtap_source_counters(input->source, &counters, sizeof counters);
	if (input->failure) {
		note_begin("bad", line);
		line_text(line, "The input could not be read completely; the report covers what was readable: ");
		html_text(line, input->failure);
		note_end(line);
	}
	if (input->interrupted) {
		note_begin("bad", line);
		line_text(line, "Reading was interrupted: the rest of the input is not in this report.");
		note_end(line);
	}
	losses(input->source, line);
	note_counted("", counters.cut_frames, "frame", " were truncated by the capture.", line);
	for (unsigned i = 0; i < RTAP_ANOMALY_CODES; i++) {
		if (!input->anomalies[i])
			continue;
		note_begin("", line);
		html_text(line, rtap_anomaly_name((enum rtap_anomaly_code)i));
		line_text(line, ": ");
		html_counted(line, input->anomalies[i], "time");
		line_text(line, " (");
		html_text(line, rtap_anomaly_meaning((enum rtap_anomaly_code)i));
		line_text(line, ").");
		note_end(line);
	}
	note_counted("bad", input->counters.refused, "time", " the system had no memory for state: the report is incomplete.", line);
	note_counted("bad", input->counters.evictions, "time", " state was evicted for lack of memory (raise --max-memory).", line);
}

/* Data omitted from plots. */
static uint64_t refused(const struct report *report)
{
	uint64_t sum = report->refused;

	for (unsigned i = 0; i < report->trace_count; i++) {
		const struct report_trace *trace = report->traces[i];

		sum += trace->calls.refused;
		for (int series = 0; series < 2 * REPORT_SERIES_COUNT; series++)
			sum += trace->sequences[series / REPORT_SERIES_COUNT].series[series % REPORT_SERIES_COUNT].refused;
	}
	return sum;
}

static void summary(const void *what, struct line *line)
{
	const struct report_page *page = what;
	const struct stats *stats = page->stats;

	line_text(line, "<section id=\"summary\"><h2>Capture</h2>\n<dl class=\"tiles\">");
	tile("packets", stats->packets, "packets", line);
	tile("bytes", stats->wire_bytes, "bytes", line);
	tile("rdma_packets", stats->rdma_packets, "RDMA packets", line);
	tile("connections", stats->connections, "connections", line);
	tile("messages", stats->messages, "messages", line);
	tile("incomplete_messages", stats->incomplete, "incomplete", line);
	tile("findings", page->findings->found, "findings", line);
	span(stats, line);
	note_counted("", stats->unassigned, "packet", " could not be assigned to a connection.", line);
	if (stats->setup_ns.count) {
		note_begin("", line);
		html_counted(line, stats->setup_ns.count, "connection");
		line_text(line, " set up, from REQ to RTU: median ");
		html_duration(line, (int64_t)histogram_percentile(&stats->setup_ns, 500));
		line_text(line, ", longest ");
		html_duration(line, (int64_t)stats->setup_ns.largest);
		line_char(line, '.');
		note_end(line);
	}
	reservations(page->input, line);
	note_counted("bad", refused(page->report), "time", " a plot omits data for lack of memory.", line);
	line_text(line, "</section>\n");
}

static bool is_plotted(const struct report_page *page, uint64_t number)
{
	for (uint64_t i = 0; i < page->ranked_count && i < REPORT_PLOTTED; i++)
		if (page->ranked[i]->shown.number == number)
			return true;
	return false;
}

/* ", 10.0.0.1 → 10.0.0.2 NFS v3" */
static void finding_ends(const struct stats *stats, const struct finding *found, struct line *line)
{
	const struct stats_connection *connection = finding_connection(stats, found);
	char memory[256];
	struct line text;

	if (!connection)
		return;
	line_text(line, ", ");
	end_address(finding_end(stats, found, false), line);
	line_text(line, found->direction < 0 ? " ↔ " : " → ");
	end_address(finding_end(stats, found, true), line);
	line_init(&text, memory, sizeof memory);
	line_char(&text, ' ');
	if (finding_service(connection, &text))
		html_bytes(line, memory, (size_t)(text.next - memory));
}

/* The likely cause, the next step, and the filter of the packets. */
static void finding_advice(const struct report_page *page, const struct finding *found, struct line *line)
{
	const struct finding_advice *advice = finding_advice_of(found->rule);
	char memory[1024];
	struct line text;

	line_text(line, "<span class=\"advice\">");
	html_text(line, advice->cause);
	line_char(line, ' ');
	html_text(line, advice->next);
	line_text(line, "<br><code>-Y '");
	line_init(&text, memory, sizeof memory);
	finding_filter(page->stats, found, &text);
	html_bytes(line, memory, (size_t)(text.next - memory));
	line_text(line, "'</code></span>");
}

static void finding_subject(const struct report_page *page, const struct finding *found, struct line *line)
{
	if (found->connection) {
		bool linked = is_plotted(page, found->connection);

		line_text(line, linked ? "<b><a href=\"#c" : "<b>");
		if (linked) {
			line_dec(line, found->connection);
			line_text(line, "\">");
		}
		line_text(line, "connection ");
		line_dec(line, found->connection);
		line_text(line, linked ? "</a>" : "");
		line_text(line, found->direction < 0 ? "" : found->direction ? ", b→a" : ", a→b");
		finding_ends(page->stats, found, line);
		line_text(line, ":</b> ");
	}
	if (found->kind < RTAP_KIND_COUNT) {
		line_text(line, "<b>");
		line_text(line, rtap_message_kind_name((enum rtap_message_kind)found->kind));
		line_text(line, ":</b> ");
	}
	if (found->host_address_length) {
		line_text(line, "<b>");
		finding_host(found, line);
		line_text(line, ":</b> ");
	}
	if (found->work) {
		line_text(line, "<b>");
		html_text(line, found->work->layer);
		line_char(line, ' ');
		html_text(line, *found->work->name ? found->work->name : "unknown");
		line_text(line, ":</b> ");
	}
	if (found->rpc) {
		line_text(line, "<b>RPC ");
		if (!stats_rpc_name(found->rpc, " ", line))
			line_text(line, "of unknown program");
		line_text(line, ":</b> ");
	}
}

static void finding_numbers(const struct report_page *page, const struct finding *found, struct line *line)
{
	line_text(line, ": <b>");
	html_count(line, found->count);
	line_text(line, "</b>");
	if (found->recovery) {
		line_text(line, ", ");
		finding_recovery_text(found, line);
		finding_recovery_details(found, line);
	}
	if (found->of && found->rule->of) {
		line_text(line, ", ");
		units_percent(found->count, found->of, line);
		line_text(line, " of ");
		html_count(line, found->of);
		line_char(line, ' ');
		html_text(line, found->rule->of);
	}
	if (found->lost_ns) {
		line_text(line, ", cost ");
		html_duration(line, (int64_t)found->lost_ns);
	}
	if (found->time_ns) {
		const struct finding_times *times = finding_times_of(found);

		line_text(line, ", ");
		html_text(line, times->words[0]);
		line_char(line, ' ');
		html_duration(line, found->time_ns);
		line_text(line, ", ");
		html_text(line, times->words[1]);
		line_char(line, ' ');
		html_duration(line, found->usual_ns);
	}
	if (found->has_begin) {
		line_text(line, ", from ");
		html_offset(line, (int64_t)((uint64_t)found->begin_ns - (uint64_t)page->stats->begin_ns));
		line_text(line, " (");
		html_moment(line, found->begin_ns);
		line_text(line, ") on");
	}
	if (found->first_frame) {
		line_text(line, " <span class=\"frames\">");
		html_frames(line, found->first_frame, found->last_frame);
		line_text(line, "</span>");
	}
	line_text(line, " <code>");
	html_text(line, found->rule->name);
	line_text(line, "</code>");
}

/* For the script: the plotted connection, and seconds from the capture's beginning. */
static void finding_times(const struct report_page *page, const struct finding *found, struct line *line)
{
	if (!found->has_times)
		return;
	if (is_plotted(page, found->connection)) {
		line_text(line, " data-connection=\"");
		line_dec(line, found->connection);
		line_char(line, '"');
	}
	line_text(line, " data-from=\"");
	line_seconds(line, (int64_t)((uint64_t)found->first_ns - (uint64_t)page->stats->begin_ns));
	line_text(line, "\" data-to=\"");
	line_seconds(line, (int64_t)((uint64_t)found->last_ns - (uint64_t)page->stats->begin_ns));
	line_char(line, '"');
}

static void findings(const void *what, struct line *line)
{
	static const char *const badges[] = { "✖", "▲", "●" };
	const struct report_page *page = what;
	const struct findings *found = page->findings;

	line_text(line, "<section id=\"findings\"><h2>Findings</h2>\n");
	line_text(line, found->count ? "<ol class=\"findings\">\n" : !stats_has_rdma(page->stats) ?
		  "<p>Nothing to assess: no packets of RDMA or ONC RPC.</p>\n" :
		  "<p class=\"good\">✔ No problems found (doc/stats.md lists the rules).</p>\n");
	for (unsigned i = 0; i < found->count; i++) {
		const struct finding *finding = &found->list[i];
		const char *weight = finding_weight_name((enum finding_weight)finding->rule->weight);

		line_text(line, "<li class=\"");
		line_text(line, weight);
		line_char(line, '"');
		finding_times(page, finding, line);
		line_text(line, "><span class=\"badge\"><span aria-hidden=\"true\">");
		line_text(line, badges[finding->rule->weight]);
		line_text(line, "</span> ");
		line_text(line, weight);
		line_text(line, "</span><span>");
		finding_subject(page, finding, line);
		html_text(line, finding->rule->words);
		finding_numbers(page, finding, line);
		finding_advice(page, finding, line);
		line_text(line, "</span></li>\n");
	}
	line_text(line, found->count ? "</ol>\n" : "");
	if (found->found > found->count) {
		note_begin("", line);
		line_text(line, "The worst ");
		html_count(line, found->count);
		line_text(line, " of ");
		html_count(line, found->found);
		note_end(line);
	}
	line_text(line, "</section>\n");
}

static void plots_head(const void *what, struct line *line)
{
	const struct report_page *page = what;
	uint64_t shown = page->ranked_count < REPORT_PLOTTED ? page->ranked_count : REPORT_PLOTTED;

	if (!shown)
		return;
	line_text(line, "<section id=\"plots\"><h2>Connections in detail</h2>\n<p>");
	if (shown < page->ranked_count) {
		line_text(line, "The ");
		html_count(line, shown);
		line_text(line, " of ");
		html_count(line, page->ranked_count);
		line_text(line, " connections with the most bytes and anomalies (an anomaly counts as 4,096 bytes). ");
	}
	line_text(line, "A plot without room for all points has the lowest and the highest of each time slice, and some of those between; its legend "
		  "has the numbers.</p>\n");
}

static void connection_head(const void *what, struct line *line)
{
	const struct report_page *page = what;
	const struct stats_shown *shown = &page->connection->shown;

	line_text(line, page->connection == page->ranked[0] ? "<details open id=\"c" : "<details id=\"c");
	line_dec(line, shown->number);
	line_text(line, "\"><summary>Connection ");
	line_dec(line, shown->number);
	line_text(line, ": ");
	line_text(line, rtap_transport_name((enum rtap_transport)shown->transport));
	line_text(line, ", a ");
	end_text(&shown->a, line);
	line_text(line, ", b ");
	end_text(&shown->b, line);
	anomaly_counts_text(shown->anomaly_counts, line);
	line_text(line, "</summary>\n");
}

static void connection_end(const void *what, struct line *line)
{
	(void)what;
	line_text(line, "</details>\n");
}

static void plots_end(const void *what, struct line *line)
{
	const struct report_page *page = what;

	line_text(line, page->ranked_count ? "</section>\n" : "");
}

static void end(const void *what, struct line *line)
{
	(void)what;
	line_text(line, "</main>\n<footer><p>Made by rdmatap " PACKAGE_VERSION ". "
		  "Percentiles of more than 4,096 values are at most 1.6 % from the exact value; all else is exact. "
		  "The same numbers: <code>rdmatap stats --json</code>. What each means, and the rules of the findings: doc/stats.md.</p></footer>\n<script>\n");
	line_text(line, report_script);
	line_text(line, "</script>\n</body></html>\n");
}

static int by_weight(const void *a, const void *b)
{
	const struct stats_connection *first = *(struct stats_connection *const *)a, *second = *(struct stats_connection *const *)b;
	uint64_t left = report_weight(first), right = report_weight(second);

	if (left != right)
		return left > right ? -1 : 1;
	return (first->shown.number > second->shown.number) - (first->shown.number < second->shown.number);
}

static bool rank(struct report_page *page)
{
	const struct stats *stats = page->stats;

	for (uint64_t i = 0; i < stats->table_room; i++)
		page->ranked_count += stats->table[i] && stats->table[i]->reported;
	page->ranked = malloc((page->ranked_count + 1) * sizeof *page->ranked);
	if (!page->ranked)
		return false;
	page->ranked_count = 0;
	for (uint64_t i = 0; i < stats->table_room; i++)
		if (stats->table[i] && stats->table[i]->reported)
			page->ranked[page->ranked_count++] = stats->table[i];
	qsort(page->ranked, page->ranked_count, sizeof *page->ranked, by_weight);
	return true;
}

static void sum_latencies(struct report_page *page)
{
	for (uint64_t i = 0; i < page->ranked_count; i++)
		for (int kind = 0; kind < 2 * RTAP_KIND_COUNT; kind++) {
			const struct stats_operations *operations =
				page->ranked[i]->directions[kind / RTAP_KIND_COUNT].operations[kind % RTAP_KIND_COUNT];

			if (operations)
				histogram_merge(&page->latencies[kind % RTAP_KIND_COUNT], &operations->latency_ns, &page->values);
		}
}

static void finish_points(struct report *report)
{
	report_points_finish(&report->recoveries);
	for (unsigned i = 0; i < report->trace_count; i++) {
		struct report_trace *trace = report->traces[i];

		for (int series = 0; series < 2 * REPORT_SERIES_COUNT; series++)
			report_points_finish(&trace->sequences[series / REPORT_SERIES_COUNT].series[series % REPORT_SERIES_COUNT]);
		report_points_finish(&trace->calls);
		if (trace->calls.count)
			qsort(trace->calls.list, trace->calls.count, trace->calls.size, report_compare_calls);
	}
}

static int write_parts(struct printer *printer, report_part *const *parts, size_t count, const struct report_page *page)
{
	int result = 0;

	for (size_t i = 0; i < count && !result; i++)
		result = printer_write(printer, parts[i], page);
	return result;
}

#define PARTS(array) array, sizeof(array) / sizeof((array)[0])

int report_write(struct report *report, const struct findings *found, const struct report_input *input, struct printer *printer)
{
	static report_part *const first[] = { head, summary, findings, report_rates, report_recoveries, report_join, report_latencies,
					      report_connections, plots_head };
	static report_part *const each[] = { connection_head, report_setup, report_throughput, report_sequences, report_calls, connection_end };
	static report_part *const last[] = { plots_end, report_jobs, report_operations, report_works, report_rpcs, report_classes, report_pauses, report_mads,
					     end };
	struct report_page page = { .report = report, .stats = report->stats, .findings = found, .input = input,
				    .values = { .most = UINT64_MAX, .most_by_values = UINT64_MAX } };
	int result;

	if (!rank(&page))
		return -ENOMEM;
	sum_latencies(&page);
	report_closed_windows(&page);
	finish_points(report);
	result = write_parts(printer, PARTS(first), &page);
	for (uint64_t i = 0; i < page.ranked_count && i < REPORT_PLOTTED && !result; i++) {
		page.connection = page.ranked[i];
		result = write_parts(printer, PARTS(each), &page);
	}
	if (!result)
		result = write_parts(printer, PARTS(last), &page);
	if (!result)
		result = printer_flush(printer);
	for (int kind = 0; kind < RTAP_KIND_COUNT; kind++)
		histogram_fini(&page.latencies[kind], &page.values);
	free(page.ranked);
	return result;
}
