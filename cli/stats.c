/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap stats: prints statistics and problems found.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/tracker.h>

#include "cli/counting.h"
#include "cli/feed.h"
#include "cli/frame_clock.h"
#include "cli/openmetrics.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "cli/stats.h"
#include "output/packet/printer.h"
#include "output/stats/finding_text.h"
#include "output/stats/interval_line.h"
#include "output/stats/stats_text.h"
#include "reassembly/tracker.h"

/* Default of --top: rows of a table, and findings. */
#define DEFAULT_TOP 10

struct summary {
	struct counting counting; /* the first member: counting_frame() */
	struct reader reader;
	int64_t written_ns;       /* live, --interval: end of the last interval that was written */
	unsigned lines;           /* ... their number */
	struct frame_clock clock; /* live, --interval */
	struct openmetrics *metrics; /* NULL: none */
	struct findings findings;
};

/* The function that writes the records of --type; NULL: all are written. */
static stats_form *wanted_form(const struct options *options)
{
	static const struct {
		const char *type;
		stats_form *const *form;
	} types[] = {
		{ "capture", &stats_json_form.capture }, { "finding", &stats_json_form.finding }, { "connection", &stats_json_form.connection },
		{ "operation", &stats_json_form.operation }, { "object", &stats_json_form.object },
		{ "rpc", &stats_json_form.rpc }, { "mad", &stats_json_form.mad }, { "interval", &stats_json_form.interval },
		{ "job", &stats_json_form.job }, { "host", &stats_json_form.host },
	};

	for (size_t i = 0; options->record_type && i < sizeof types / sizeof types[0]; i++)
		if (!strcmp(options->record_type, types[i].type))
			return *types[i].form;
	return NULL;
}

static bool write_record(void *owner, stats_form *form, const struct stats_record *record)
{
	struct reader *reader = owner;

	if (!columns_are_made(&reader->options->columns))
		reader_write(reader, form, record);
	else if (!wanted_form(reader->options) || wanted_form(reader->options) == form)
		reader_write_columns(reader, form, record);
	return !reader->unwritable && !aborted;
}

/* An interval is printed this long after its end, when all its frames have been read. */
#define INTERVAL_SLACK_NS INT64_C(300000000)
#define LINES_A_HEADING 20
#define MOST_EMPTY 10000 /* intervals: beyond that a clock was set */

static void write_interval(struct summary *summary, uint64_t index)
{
	static const struct stats_interval nothing;
	struct reader *reader = &summary->reader;
	const struct stats *stats = summary->counting.stats;
	const struct interval_line item = { stats, index };
	const struct stats_record record = { .stats = stats,
					     .what = index < stats->interval_count ? &stats->intervals[index] : &nothing,
					     .index = index };

	if (columns_are_made(&reader->options->columns)) {
		write_record(reader, stats_json_form.interval, &record);
		return;
	}
	if (summary->lines++ % LINES_A_HEADING == 0)
		reader_write(reader, interval_line_heading, NULL);
	reader_write(reader, interval_line_write, &item);
}

/* After a clock was set forward. */
static void skip_empty(struct summary *summary, int64_t until_ns)
{
	const struct stats *stats = summary->counting.stats;
	int64_t intervals = (until_ns - summary->written_ns) / stats->interval_ns;

	if (intervals <= MOST_EMPTY)
		return;
	print_error("time stamps are later by %lld intervals than those before: the empty ones are not printed", (long long)intervals);
	summary->written_ns += (intervals - 1) * stats->interval_ns;
}

/* The index of the first interval that was not printed. */
static uint64_t open_interval(const struct summary *summary)
{
	const struct stats *stats = summary->counting.stats;

	return (uint64_t)(summary->written_ns - stats->begin_ns) / (uint64_t)stats->interval_ns;
}

/* Prints the intervals that have ended. Late frames and messages, and those of a clock that was set back, count in the next one. */
static void write_intervals(struct summary *summary)
{
	struct stats *stats = summary->counting.stats;
	int64_t now;

	if (!stats->packets)
		return;
	frame_clock_take(&summary->clock, stats->last_ns);
	now = frame_clock_now(&summary->clock) - INTERVAL_SLACK_NS;
	if (summary->written_ns < stats->begin_ns)
		summary->written_ns = stats->begin_ns;
	skip_empty(summary, now);
	for (; !summary->reader.unwritable && now - summary->written_ns >= stats->interval_ns; summary->written_ns += stats->interval_ns)
		write_interval(summary, open_interval(summary));
	stats->open_interval = open_interval(summary);
	reader_wrote(&summary->reader, printer_flush(&summary->reader.printer));
}

static void take_merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	struct summary *summary = owner;

	if (summary->metrics)
		openmetrics_merge(summary->metrics, from, into, turned);
}

/* Live: called periodically. */
static void work_while_live(void *owner)
{
	struct summary *summary = owner;

	if (summary->reader.options->interval_ns)
		write_intervals(summary);
	if (summary->metrics)
		openmetrics_publish(summary->metrics, &summary->counting, false);
}

/* Live: prints the remaining intervals; the last one is incomplete. */
static void write_last_intervals(struct summary *summary)
{
	const struct stats *stats = summary->counting.stats;

	if (!stats->packets)
		return;
	if (summary->written_ns >= stats->begin_ns)
		skip_empty(summary, stats->last_ns);
	else
		summary->written_ns = stats->begin_ns;
	/* times beyond the last packet's are those of a clock before it was set back */
	for (; !summary->reader.unwritable && (summary->written_ns <= stats->last_ns || open_interval(summary) < stats->interval_count);
	     summary->written_ns += stats->interval_ns)
		write_interval(summary, open_interval(summary));
}

/* Writes the records at the end, except intervals of a live capture, which were written before. */
static bool write_final_record(void *owner, stats_form *form, const struct stats_record *record)
{
	struct reader *reader = owner;

	return (reader->options->device && form == stats_json_form.interval) || write_record(owner, form, record);
}

/* --explain: not one rule. */
static bool is_all(const char *rule)
{
	return !strcmp(rule, "all") || !strcmp(rule, "list");
}

static void write_text(struct summary *summary, const struct options *options)
{
	const struct stats_view view = {
		.inputs = options->inputs,
		.input_count = options->input_count,
		.most = options->top ? options->top : DEFAULT_TOP,
		.sort = options->stats_sort,
		.form = options->clock,
		.colour = colour_is_wanted(options->colour, summary->reader.is_terminal),
		.connection = options->connection,
		.all_connections = options->all_connections,
		.rule = options->explain ? is_all(options->explain) ? "" : options->explain : NULL,
	};

	bool failed = false;

	if (stats_write_text(summary->counting.stats, &summary->findings, &view, write_record, &summary->reader, &failed)) {
		if (failed) {
			print_error("out of memory: a table is missing or incomplete");
			summary->reader.status = EXIT_ERROR;
		}
		return;
	}
	print_error("--connection %" PRIu64 ": no such connection (rdmatap connections lists them)", options->connection);
	summary->reader.status = EXIT_ERROR;
}

static int run(const struct options *options)
{
	static struct summary summary;
	struct reader *reader = &summary.reader;

	if (!reader_open(reader, options)) {
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
		goto out;
	}
	summary.counting.interval_ns = options->interval_ns;
	summary.counting.merged = take_merge;
	summary.counting.owner = &summary;
	if (!counting_open(&summary.counting, reader)) {
		reader->status = EXIT_ERROR;
		goto out;
	}
	tracker_set_any_order(summary.counting.tracker);
	if (options->columns.form == COLUMNS_CSV)
		reader_write(reader, columns_write_header, &options->columns);
	if (options->openmetrics)
		summary.metrics = openmetrics_open(options->openmetrics, options->interval_ns);
	if (options->openmetrics && !summary.metrics) {
		reader->status = EXIT_ERROR;
		goto out;
	}
	reader->idle = work_while_live;
	reader_run(reader, summary.counting.tracker, counting_frame, &summary);
	feed_ends();
	rtap_tracker_finish(summary.counting.tracker);
	feed_deliver(reader, summary.counting.tracker);
	if (feed && feed->is_silent)
		goto report;
	if (summary.metrics)
		openmetrics_publish(summary.metrics, &summary.counting, true);
	if (options->device && options->interval_ns)
		write_last_intervals(&summary);
	if (summary.lines)
		reader_wrote(reader, printer_text(&reader->printer, "\n", 1));
	findings_gather(&summary.findings, summary.counting.stats);
	if (columns_are_made(&options->columns)) {
		if (!stats_write_all(summary.counting.stats, &summary.findings, &stats_json_form, write_final_record, reader)) {
			print_error("out of memory: jobs and their hosts are missing");
			reader->status = EXIT_ERROR;
		}
	} else {
		write_text(&summary, options);
	}
	reader_wrote(reader, printer_flush(&reader->printer));
report:
	reader_report(reader, summary.counting.tracker);
out:
	openmetrics_close(summary.metrics);
	counting_close(&summary.counting);
	reader_close(reader);
	return reader->status;
}

static int explain(const char *name)
{
	bool is_list = is_all(name), found = false;
	char text[4096];
	struct line line;

	for (unsigned i = 0; i < finding_rule_count; i++) {
		if (!is_list && strcmp(name, finding_rules[i].name))
			continue;
		line_init(&line, text, sizeof text);
		finding_explain(&finding_rules[i], &line);
		if (found)
			putchar('\n');
		fwrite(text, 1, (size_t)(line.next - text), stdout);
		found = true;
	}
	if (!found)
		print_error("--explain %s: no such rule (--explain all prints all)", name);
	return found ? EXIT_DONE : EXIT_ERROR;
}

int command_stats(int argc, char **argv)
{
	struct options options;
	int status = EXIT_ERROR;

	if (!options_parse(&options, COMMAND_STATS, argc, argv))
		goto out;
	if (options.clock == CLOCK_DELTA || options.clock == CLOCK_DELTA_SHOWN) {
		print_error("-t d and -t dd are not supported: statistics have no previous line (use a, ad, e, r, u or ud)");
		goto out;
	}
	if (!options.explain) {
		status = run(&options);
		goto out;
	}
	if (columns_are_made(&options.columns)) {
		print_error("--explain prints text (findings in JSON and CSV have cause, next and filter)");
		goto out;
	}
	/* --explain all prints the causes with each finding */
	status = options.input_count && is_all(options.explain) ? EXIT_DONE : explain(options.explain);
	if (options.input_count && status == EXIT_DONE) {
		fflush(stdout);
		status = run(&options);
	}
out:
	options_fini(&options);
	return status;
}
