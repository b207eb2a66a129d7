/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap report: writes a capture as one HTML page.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <rdmatap/tracker.h>

#include "cli/joined.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "cli/report.h"
#include "output/packet/printer.h"
#include "output/report/report.h"
#include "output/report/report_recoveries.h"
#include "output/report/report_calls.h"
#include "output/report/report_page.h"
#include "output/stats/stats_operation.h"
#include "output/stats/stats_packet.h"
#include "reassembly/tracker.h"

/* Parts of --max-memory for statistics and for points of plots; the rest is for connection state. */
#define COUNTS_SHARE 10
#define POINTS_SHARE 8
#define JOIN_SHARE 8

/* Initial length of intervals. They grow with the capture, so that a plot has enough of them whatever its duration. */
#define FIRST_INTERVAL_NS 1000

struct reporting {
	struct reader reader;
	struct rtap_tracker *tracker;
	struct stats *stats;
	struct report *report;
	struct findings findings;
	struct joined joined; /* with several inputs */
	struct printer page;
	int fd;             /* of the page; -1: none yet */
};

static void take_message(void *owner, const struct rtap_message *message)
{
	struct reporting *reporting = owner;

	stats_message(reporting->stats, message);
	report_message(reporting->report, message);
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct reporting *reporting = owner;

	stats_operation(reporting->stats, operation);
	report_operation(reporting->report, operation);
	report_calls_operation(reporting->report, operation);
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	stats_connection(((struct reporting *)owner)->stats, connection);
}

static void merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	struct reporting *reporting = owner;

	stats_merge(reporting->stats, from, into, turned);
	report_merge(reporting->report, from, into, turned);
	if (reporting->joined.join)
		join_merge(reporting->joined.join, from, into, turned);
}

static void resolve(void *owner, uint64_t frame, const struct rtap_flow_facts *flow)
{
	stats_resolve(((struct reporting *)owner)->stats, frame, flow);
}

static void take(void *owner, struct rtap_frame *frame)
{
	struct reporting *reporting = owner;
	struct transmission_sight sight;
	struct congestion_pause pause;
	const struct rtap_packet *packet = reader_packet(&reporting->reader, frame);

	stats_packet(reporting->stats, packet);
	if (reporting->joined.join) {
		joined_sight(&reporting->joined, packet, tracker_identity(reporting->tracker), &sight);
		joined_take(&reporting->joined, &sight);
	}
	if (congestion_pause_of(packet, &pause)) {
		pause.bits_per_second = reader_link_speed(&reporting->reader, frame);
		congestion_note_pause(reporting->stats, &pause);
		report_pause(reporting->report, &pause);
	}
	report_packet(reporting->report, packet);
	reader_count(&reporting->reader, packet);
}

/* Whether the inputs are capture points of a join. */
static bool is_joined(const struct options *options)
{
	return options->input_count > 1;
}

static bool open_state(struct reporting *reporting, const struct options *options)
{
	uint64_t counts = options->max_memory / COUNTS_SHARE, points = options->max_memory / POINTS_SHARE;
	uint64_t joined = is_joined(options) ? options->max_memory / JOIN_SHARE : 0;
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking,
		.max_memory = options->max_memory - counts - points - joined,
		.give_up_ns = options->give_up_ns,
		.dissect = &options->dissect,
		.message = take_message,
		.operation = take_operation,
		.cheap_operations = true,
		.connection = take_connection,
		.merged = merge,
		.resolved = resolve,
		.owner = reporting,
	};

	if (rtap_tracker_open(&reporting->tracker, &tracking, NULL)) {
		print_error("out of memory");
		return false;
	}
	reporting->stats = stats_create(&(struct stats_options){ .max_memory = counts, .interval_ns = FIRST_INTERVAL_NS,
							   .sampled = options->sampled, .lives = true });
	if (reporting->stats)
		reporting->report = report_create(reporting->stats, points);
	if (reporting->tracker && reporting->report &&
	    (!joined || joined_open(&reporting->joined, options, reporting->reader.source, joined)))
		return true;
	print_error("out of memory");
	return false;
}

static bool is_standard_output(const struct options *options)
{
	return !strcmp(options->write_name, "-");
}

/* Opened before the input is read, so that a failure is reported early. */
static bool open_page(struct reporting *reporting, const struct options *options)
{
	reporting->fd = is_standard_output(options) ? STDOUT_FILENO : open(options->write_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (reporting->fd < 0) {
		print_error("%s: %s", options->write_name, strerror(errno));
		return false;
	}
	if (!printer_init(&reporting->page, reporting->fd, false))
		return true;
	print_error("out of memory");
	return false;
}

/* A closed pipe is not a failure; any error of a file is. */
static void end_page(struct reporting *reporting, int error)
{
	const struct options *options = reporting->reader.options;

	if (is_standard_output(options)) {
		reader_wrote(&reporting->reader, error);
		return;
	}
	if (close(reporting->fd) && !error)
		error = -errno;
	reporting->fd = -1;
	if (!error)
		return;
	print_error("%s: %s", options->write_name, strerror(-error));
	reporting->reader.status = EXIT_ERROR;
}

/* Whether some packet was captured at several points; the parts of one capture have no such packet. */
static bool are_points(const struct joined *joined)
{
	for (size_t i = 0; i < joined->join->direction_count; i++)
		if (joined->join->directions[i]->over_time)
			return true;
	return false;
}

static void write_page(struct reporting *reporting)
{
	const struct reader *reader = &reporting->reader;
	struct report_input input = {
		.names = reader->options->inputs,
		.name_count = reader->options->input_count,
		.source = reader->source,
		.failure = reader->failure.text[0] ? reader->failure.text : NULL,
		.interrupted = reader->interrupted,
		.anomalies = reader->packets.anomalies,
	};

	rtap_tracker_counters(reporting->tracker, &input.counters, sizeof input.counters);
	findings_gather(&reporting->findings, reporting->stats);
	if (reporting->joined.join) {
		joined_finish(&reporting->joined);
		if (are_points(&reporting->joined))
			input.join = &reporting->joined.form;
	}
	end_page(reporting, report_write(reporting->report, &reporting->findings, &input, &reporting->page));
}

static int run(const struct options *options)
{
	static struct reporting reporting;
	struct reader *reader = &reporting.reader;

	reporting.fd = -1;
	if (!reader_open(reader, options)) {
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
		goto out;
	}
	if (!open_page(&reporting, options) || !open_state(&reporting, options)) {
		reader->status = EXIT_ERROR;
		goto out;
	}
	reader_run(reader, reporting.tracker, take, &reporting);
	rtap_tracker_finish(reporting.tracker);
	write_page(&reporting);
	reader_report(reader, reporting.tracker);
out:
	rtap_tracker_close(reporting.tracker);
	report_destroy(reporting.report);
	joined_close(&reporting.joined);
	stats_destroy(reporting.stats);
	printer_fini(&reporting.page);
	if (reporting.fd > STDERR_FILENO)
		close(reporting.fd);
	reader_close(reader);
	return reader->status;
}

int command_report(int argc, char **argv)
{
	struct options options;
	int status = EXIT_ERROR;

	if (options_parse(&options, COMMAND_REPORT, argc, argv) && (!is_joined(&options) || joined_are_different(&options, "report")))
		status = run(&options);

	options_fini(&options);
	return status;
}
