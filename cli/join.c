/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap join: what happened to packets between the points at which they were captured.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include <rdmatap/tracker.h>
#include <rdmatap/writer.h>

#include "cli/feed.h"
#include "cli/join.h"
#include "cli/joined.h"
#include "cli/nothing_found.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "output/join/join_form.h"
#include "output/join/join_stall_form.h"
#include "output/join/join_verdict.h"
#include "output/packet/printer.h"
#include "reassembly/tracker.h"

#define JOIN_SHARE 4   /* part of --max-memory for the counts */
#define USUAL_LISTED 20

struct joining {
	struct reader reader;
	struct rtap_tracker *tracker;
	struct joined joined;
	struct rtap_series *series; /* -w */
	uint64_t listed, unlisted;  /* lost packets */
};

static void save(struct joining *joining, const struct rtap_frame *frame)
{
	struct rtap_series_options series = { .size = sizeof series, .source = joining->reader.source };
	enum rtap_status status = RTAP_STATUS_OK;
	struct rtap_error error;

	series.link_type = frame->link_type;
	series.time_ns = frame->time_ns;
	if (!joining->series)
		status = rtap_series_open(&joining->series, joining->reader.options->write_name, &series, &error);
	if (!status)
		status = rtap_series_write(joining->series, frame, &error);
	if (!status)
		return;
	joining->reader.stop = true;
	if (error.code != RTAP_ERROR_CLOSED)
		reader_fail(&joining->reader, &error);
}

static void take(void *owner, struct rtap_frame *frame)
{
	struct joining *joining = owner;
	struct transmission_sight sight;
	enum transmission_copy copy;
	const struct rtap_packet *packet = reader_packet(&joining->reader, frame);

	reader_count(&joining->reader, packet);
	nothing_found_note(&joining->reader, packet);
	joined_sight(&joining->joined, packet, tracker_identity(joining->tracker), &sight);
	if (feed_joins(&sight))
		return;
	copy = joined_take(&joining->joined, &sight);
	if (joining->reader.options->write_name && copy != TRANSMISSION_AGAIN)
		save(joining, frame);
}

static void take_merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	join_merge(((struct joining *)owner)->joined.join, from, into, turned);
}

/* --top */
static size_t most_listed(const struct joining *joining)
{
	uint64_t top = joining->reader.options->top;

	return top ? top : USUAL_LISTED;
}

static void write_lost(struct joining *joining, const struct join_direction *direction)
{
	struct reader *reader = &joining->reader;
	size_t most = most_listed(joining);
	struct join_record record = { &joining->joined.form, direction, NULL, 0, NULL };

	for (size_t i = 0; i < direction->missed_count && !reader->unwritable && !aborted; i++) {
		record.lost = &direction->missed[i];
		if (!join_lost_at(direction, record.lost->seen, join_active(joining->joined.join, record.lost), &record.hop))
			continue;
		if (joining->listed == most) {
			joining->unlisted++;
			continue;
		}
		if (!joining->listed++)
			reader_wrote(reader, printer_text(&reader->printer, "\nlost packets\n", strlen("\nlost packets\n")));
		reader_write(reader, join_write_lost, &record);
	}
	joining->unlisted += join_unlisted(joining->joined.join, direction);
}

/* Pauses of senders, which may have nothing to send, are only summed up. */
static void write_stalls(struct joining *joining)
{
	struct reader *reader = &joining->reader;
	size_t most = most_listed(joining);
	const struct join_form *form = &joining->joined.form;

	if (!form->stall_count)
		return;
	reader_write(reader, join_write_stalls, &joining->joined.form);
	for (size_t i = 0; i < form->stall_count && i < most && !reader->unwritable && !aborted; i++) {
		if (join_verdict_of(form->stalls[i]).place == JOIN_SENDER)
			break;
		reader_write(reader, join_write_stall, &(struct join_record){ .form = form, .stall = form->stalls[i] });
	}
}

static void write_text(struct joining *joining)
{
	struct reader *reader = &joining->reader;
	struct stats_table table;
	char text[80], title[JOIN_TITLE];
	size_t rows;

	reader_write(reader, join_write_points, &joining->joined.form);
	join_table(&table, &joining->joined.form, most_listed(joining), title);
	rows = stats_table_finish(&table);
	for (size_t i = 0; rows && i < rows + 2 && !reader->unwritable && !aborted; i++)
		reader_write(reader, stats_table_write, &(struct stats_table_row){ &table, i });
	stats_table_fini(&table);
	write_stalls(joining);
	for (size_t i = 0; i < joining->joined.join->direction_count; i++)
		write_lost(joining, joining->joined.join->directions[i]);
	if (joining->unlisted) {
		int length = snprintf(text, sizeof text, "  and %" PRIu64 " more (--top N, --json)\n", joining->unlisted);

		reader_wrote(reader, printer_text(&reader->printer, text, (size_t)length));
	}
}

static void write_record(struct joining *joining, const struct join_record *record)
{
	if (!joining->reader.unwritable && !aborted)
		reader_write_columns(&joining->reader, join_json, record);
}

static void write_records(struct joining *joining)
{
	struct reader *reader = &joining->reader;
	const struct columns *columns = &reader->options->columns;

	if (columns->form == COLUMNS_CSV)
		reader_write(reader, columns_write_header, columns);
	for (size_t i = 0; i < joining->joined.join->direction_count; i++)
		write_record(joining, &(struct join_record){ .form = &joining->joined.form, .direction = joining->joined.join->directions[i] });
	/* stalls and the summary have no columns */
	for (size_t i = 0; columns->form == COLUMNS_JSON && i < joining->joined.form.stall_count; i++)
		write_record(joining, &(struct join_record){ .form = &joining->joined.form, .stall = joining->joined.form.stalls[i] });
	if (columns->form == COLUMNS_JSON)
		write_record(joining, &(struct join_record){ .form = &joining->joined.form });
}

static void finish(struct joining *joining)
{
	struct reader *reader = &joining->reader;
	struct rtap_error error;

	feed_deliver(reader, joining->tracker);
	if (feed && feed->is_silent) {
		reader_report(reader, joining->tracker);
		return;
	}
	joined_finish(&joining->joined);
	if (columns_are_made(&reader->options->columns))
		write_records(joining);
	else
		write_text(joining);
	reader_wrote(reader, printer_flush(&reader->printer));
	if (rtap_series_close(joining->series, &error) != RTAP_STATUS_OK && error.code != RTAP_ERROR_CLOSED)
		reader_fail(reader, &error);
	joining->series = NULL;
	if (joining->joined.form.lacks_stretches)
		reader->status = EXIT_ERROR;
	reader_report(reader, joining->tracker);
	nothing_found_report_rdma(reader);
	joined_report(&joining->joined);
}

static bool open_all(struct joining *joining, const struct options *options)
{
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking, .max_memory = options->max_memory - options->max_memory / JOIN_SHARE, .give_up_ns = options->give_up_ns,
		.dissect = &options->dissect, .merged = take_merge, .owner = joining,
	};

	feed_keep(&tracking);
	if (!joined_open(&joining->joined, options, joining->reader.source, options->max_memory / JOIN_SHARE) ||
	    rtap_tracker_open(&joining->tracker, &tracking, NULL)) {
		print_error("out of memory");
		return false;
	}
	feed_opened(joining->tracker, NULL, &joining->joined);
	return true;
}

static int run(const struct options *options)
{
	struct joining joining = { .series = NULL };
	struct reader *reader = &joining.reader;

	if (!reader_open(reader, options))
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
	else if (!open_all(&joining, options))
		reader->status = EXIT_ERROR;
	else {
		reader_run(reader, joining.tracker, take, &joining);
		feed_ends();
		rtap_tracker_finish(joining.tracker);
		finish(&joining);
	}
	if (rtap_series_close(joining.series, NULL) != RTAP_STATUS_OK)
		reader->status = EXIT_ERROR;
	rtap_tracker_close(joining.tracker);
	joined_close(&joining.joined);
	reader_close(reader);
	return reader->status;
}

int command_join(int argc, char **argv)
{
	struct options options;
	int status = EXIT_ERROR;

	if (options_parse(&options, COMMAND_JOIN, argc, argv)) {
		if (options.input_count < 2)
			print_error("join: nothing to join (name a capture file of each point)");
		else if (joined_are_different(&options, "join") && clocks_check(&options))
			status = run(&options);
	}
	options_fini(&options);
	return status;
}
