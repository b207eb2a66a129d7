/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/record.h"
#include "capture/source.h"
#include "cli/clocks.h"
#include "cli/column_options.h"
#include "cli/feed.h"
#include "cli/metrics_server.h"
#include "cli/options.h"
#include "cli/placement.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "output/packet/printer.h"
#include "reassembly/tracker.h"

#define WAKE_MS 100                  /* maximum delay in noticing an interrupt or the end of traffic */
#define FLUSH_NS (INT64_C(250) * 1000000)

void reader_fail(struct reader *reader, const struct rtap_error *error)
{
	reader_sync(reader);
	print_error("%s", error->text);
	if (!reader->failure.text[0])
		reader->failure = *error;
	reader->status = EXIT_ERROR;
}

void reader_wrote(struct reader *reader, int error)
{
	/* a closed pipe is not an error: the reader needs no more */
	if (error && error != -EPIPE && !reader->unwritable) {
		print_error("standard output: %s", strerror(-error));
		reader->status = EXIT_ERROR;
	}
	reader->unwritable |= error != 0;
	reader->stop |= error != 0;
}

void reader_sync(struct reader *reader)
{
	reader_wrote(reader, pipeline_sync(reader->pipeline));
}

struct rtap_packet *reader_packet(struct reader *reader, struct rtap_frame *frame)
{
	struct rtap_packet *packet = pipeline_dissect(reader->pipeline, frame);

	feed_begins(frame);
	tracker_take(reader->tracker, frame, packet);
	feed_took(reader->tracker, frame);
	return packet;
}

void reader_note_passing(struct reader *reader, const struct rtap_frame *frame, const struct rtap_packet *packet)
{
	if (filter_tests_packets(reader->filter) && !reader->passing && rtap_filter_match(reader->filter, packet))
		reader->passing = frame->number;
}

bool reader_selects(struct reader *reader, bool wanted, void (*json)(const void *what, struct line *line), const void *what)
{
	reader->selected |= wanted;
	return (wanted || !filter_tests_packets(reader->filter)) && record_filter_match(&reader->records, json, what);
}

uint64_t reader_link_speed(struct reader *reader, const struct rtap_frame *frame)
{
	const struct rtap_interface *interface = rtap_source_interface(reader->source, frame->interface);

	return interface ? interface->bits_per_second : 0;
}

void reader_show(struct reader *reader, const struct rtap_packet *packet)
{
	reader_wrote(reader, pipeline_show(reader->pipeline, packet));
}

void reader_write(struct reader *reader, void (*write)(const void *what, struct line *line), const void *what)
{
	/* before the first frame nothing is deferred */
	reader_wrote(reader, reader->pipeline ? pipeline_write(reader->pipeline, write, what) : printer_write(&reader->printer, write, what));
}

void reader_write_columns(struct reader *reader, void (*json)(const void *record, struct line *line), const void *record)
{
	reader_write(reader, columns_write_record, &(struct columns_record){ &reader->options->columns, json, record });
}

/* "-" is the standard descriptor. */
static int stat_named(const char *name, int standard, struct stat *found)
{
	return strcmp(name, "-") ? stat(name, found) : fstat(standard, found);
}

static bool is_input(const struct options *options, const char *output_name)
{
	struct stat output, input;

	if (stat_named(output_name, STDOUT_FILENO, &output) || !S_ISREG(output.st_mode))
		return false;
	for (size_t i = 0; i < options->input_count; i++)
		if (!stat_named(options->inputs[i], STDIN_FILENO, &input) && input.st_dev == output.st_dev && input.st_ino == output.st_ino)
			return true;
	return false;
}

bool reader_would_overwrite(const struct options *options)
{
	const char *outputs[] = { options->write_name, options->database, options->trace, options->iolog, options->openmetrics, options->check.junit };

	if (is_input(options, "-")) {
		print_error("standard output is an input too (name another file)");
		return true;
	}
	for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
		if (outputs[i] && is_input(options, outputs[i])) {
			print_error("%s: is an input too (name another file)", outputs[i]);
			return true;
		}
	return false;
}

static enum rtap_status open_source(struct reader *reader, struct rtap_error *error)
{
	const struct options *options = reader->options;
	struct rtap_live_options live = options->live;
	enum rtap_status status = RTAP_STATUS_OK;

	if (options->device) {
		live.size = sizeof live;
		live.verbs = &options->verbs;
		live.capture_filter = options->capture_filter;
		live.snap_length = options->snap_length;
		live.wake_ms = WAKE_MS;
		live.counts_only = options->quiet && !options->write_name && !options->display_filter;
		if (options->command == COMMAND_VIEW && options->write_name && !options->display_filter && (options->quiet || !options->print))
			live.written_as = options->write_name;
		live.kept = options->recorder.given;
		return rtap_source_open_lives(&reader->source, options->devices, options->device_count, &live, error);
	}
	if (options->capture_filter)
		status = rtap_bpf_open(&reader->bpf, options->capture_filter, error);
	if (!status && feed)
		return source_open_fed(&reader->source, feed->source, options->inputs, options->input_count, error);
	if (!status)
		status = rtap_source_open_files(&reader->source, options->inputs, options->input_count, error);
	if (!status && options->write_name && record_form_of(options->write_name) == RECORD_PCAPNG)
		source_keep_blocks(reader->source);
	return status;
}

/* Messages, operations, statistics and so on of a device; the flight recorder. */
static bool is_live_view(const struct reader *reader)
{
	return reader->options->device && (reader->options->command != COMMAND_VIEW || reader->options->recorder.given);
}

/* Name of a file that a live view creates after the start; NULL: none. */
static const char *later_file(const struct options *options)
{
	if (options->recorder.given)
		return options->write_name;
	return options->openmetrics && !metrics_server_is_address(options->openmetrics) ? options->openmetrics : NULL;
}

bool reader_open(struct reader *reader, const struct options *options)
{
	struct rtap_error error;

	*reader = (struct reader){ .options = options };
	if (reader_would_overwrite(options)) {
		reader->status = EXIT_ERROR;
		return false;
	}
	if (options->display_filter &&
	    record_filter_open(&reader->records, column_options_command(options->command), options->display_filter, &error) != RTAP_STATUS_OK) {
		print_error("-Y: %s", error.text);
		reader->status = EXIT_ERROR;
		return false;
	}
	reader->filter = reader->records.filter;
	if (options->device && !placement_prepare(&options->live, &options->writer)) {
		reader->status = EXIT_ERROR;
		return false;
	}
	if (is_live_view(reader) && !(privileges_find(options->user, &reader->account) && privileges_rehearse(&reader->account, later_file(options)))) {
		reader->status = EXIT_ERROR;
		return false;
	}
	if (open_source(reader, &error) != RTAP_STATUS_OK) {
		/* an interrupt while waiting for a FIFO's writer is not an error */
		if (!interrupted)
			reader_fail(reader, &error);
		return false;
	}
	if (printer_init(&reader->printer, STDOUT_FILENO, options->line_buffered)) {
		print_error("out of memory");
		reader->status = EXIT_ERROR;
		return false;
	}
	progress_init(&reader->progress, options->progress);
	/* mpirun gives its processes terminals of their own */
	reader->is_terminal = !feed && isatty(STDOUT_FILENO);
	return true;
}

/* An interrupt ends reading of files at once; in a live capture only a second one does. */
static bool goes_on(const struct reader *reader)
{
	return !reader->stop && !(reader->options->device ? aborted : interrupted);
}

static bool passes_bpf(struct reader *reader, const struct rtap_frame *frame)
{
	struct rtap_error error;
	bool match = true;

	if (reader->bpf && rtap_bpf_match(reader->bpf, frame, &match, &error) != RTAP_STATUS_OK) {
		reader_fail(reader, &error);
		reader->stop = true;
		return false;
	}
	return match;
}

/* Of several sources, whose merging has touched the frames. */
static void count_sources(struct reader *reader, const struct rtap_frame *frames, uint64_t count)
{
	for (uint64_t i = 0; i < count && reader->options->device_count > 1; i++)
		reader->packets.by_source[frames[i].interface]++;
}

void reader_untake(struct reader *reader, const struct rtap_frame *frames, uint64_t count)
{
	reader->packets.taken -= count;
	reader->packets.passed -= count;
	for (uint64_t i = 0; i < count && reader->options->device_count > 1; i++)
		reader->packets.by_source[frames[i].interface]--;
}

/* The number of frames to take. Does not touch those of one source, which may be in the cache of another processor. */
static size_t count_batch(struct reader *reader, const struct rtap_batch *batch)
{
	uint64_t left = reader->options->count ? reader->options->count - reader->packets.taken : UINT64_MAX;
	size_t taken = batch->count < left ? batch->count : (size_t)left;

	reader->packets.taken += taken;
	reader->packets.passed += taken;
	count_sources(reader, batch->frames, taken);
	reader->stop |= taken == left;
	return taken;
}

/* The source counted all frames of the batch; those from this one on are not taken, because -c ended the reading. */
static void note_untaken(struct reader *reader, const struct rtap_batch *batch, size_t from)
{
	for (size_t i = from; i < batch->count && !reader->options->device; i++) {
		const struct rtap_frame *frame = &batch->frames[i];

		reader->packets.untaken.frames++;
		reader->packets.untaken.captured_bytes += frame->captured_length;
		reader->packets.untaken.cut_frames += frame->captured_length < frame->wire_length;
	}
}

static void take_batch(struct reader *reader, struct rtap_batch *batch, void (*take)(void *owner, struct rtap_frame *frame), void *owner)
{
	uint32_t snap_length = reader->options->snap_length ? reader->options->snap_length : UINT32_MAX;
	uint64_t last = reader->options->count;

	if (reader->counts_only && !reader->bpf) {
		size_t taken = count_batch(reader, batch);

		if (last)
			note_untaken(reader, batch, taken);
		return;
	}
	if (reader->take_batch) {
		if (goes_on(reader) && batch->count)
			reader->take_batch(owner, batch, count_batch(reader, batch));
		return;
	}
	if (reader->tracker)
		tracker_set_batch(reader->tracker, batch->frames, batch->count);
	for (size_t i = 0; i < batch->count && goes_on(reader); i++) {
		struct rtap_frame *frame = &batch->frames[i];

		if (reader->bpf && !passes_bpf(reader, frame))
			continue;
		if (frame->captured_length > snap_length)
			frame->captured_length = snap_length;
		reader->packets.taken++;
		count_sources(reader, frame, 1);
		take(owner, frame);
		if (reader->packets.taken == last) {
			reader->stop = true;
			note_untaken(reader, batch, i + 1);
		}
	}
	if (reader->tracker)
		tracker_set_batch(reader->tracker, NULL, 0);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Flushes output when no more frames arrive, and periodically in any case. */
static void flush_live(struct reader *reader, bool is_idle, void *owner)
{
	int64_t now = now_ns();

	if (is_idle && reader->tracker)
		tracker_pass_time(reader->tracker, now - reader->passed_ns);
	reader->passed_ns = now;
	status_update(reader->live_status);
	if (!is_idle && now < reader->flush_ns)
		return;
	reader->flush_ns = now + FLUSH_NS;
	reader_sync(reader);
	if (reader->idle && !reader->stop)
		reader->idle(owner);
}

/* The counters of a live source are final after its end; frames received until then exceed the request. */
static void end_live(struct reader *reader)
{
	enum rtap_status status;

	rtap_source_stop(reader->source);
	do {
		struct rtap_batch *batch;
		struct rtap_error error;

		status = rtap_source_read_batch(reader->source, &batch, &error);
		if (status == RTAP_STATUS_BROKEN)
			print_error("%s", error.text);
		rtap_batch_release(batch);
	} while (status == RTAP_STATUS_OK || status == RTAP_STATUS_BROKEN);
}

static bool open_pipeline(struct reader *reader)
{
	const struct options *options = reader->options;
	unsigned threads = options->threads;
	uint64_t read_bytes, total;

	/* Several threads for regular files only: reading ahead of others could block. With -c, the counters cover only the frames taken. */
	rtap_source_progress(reader->source, &read_bytes, &total);
	if (feed)
		threads = feed->threads;
	else if (!total || options->count)
		threads = 1;
	reader->pipeline = pipeline_open(&(struct pipeline_options){
		.source = reader->source,
		.tracker = reader->tracker,
		/* frames that -c leaves are counted as they are, not as -s would truncate them */
		.ahead = !reader->bpf && !(options->count && options->snap_length),
		.snap_length = options->snap_length,
		.printer = &reader->printer,
		.formats = reader->formats,
		.max_memory = options->max_memory,
		.threads = pipeline_threads(threads),
	});
	if (reader->pipeline)
		return true;
	print_error("out of memory");
	reader->status = EXIT_ERROR;
	return false;
}

static void batch_done(struct reader *reader)
{
	uint64_t done, total, frames = pipeline_progress(reader->pipeline, &done, &total).frames;

	progress_show(&reader->progress, frames, done, total);
	reader_wrote(reader, pipeline_batch_done(reader->pipeline));
	if (reader->is_terminal && !reader->stop && !pipeline_defers(reader->pipeline))
		reader_sync(reader);
}

static void end_reading(struct reader *reader, enum rtap_status status)
{
	uint64_t done, total;

	status_stop(reader->live_status);
	pipeline_end(reader->pipeline);
	reader->packets.read = pipeline_progress(reader->pipeline, &done, &total);
	reader->packets.read.frames -= reader->packets.untaken.frames;
	reader->packets.read.captured_bytes -= reader->packets.untaken.captured_bytes;
	reader->packets.read.cut_frames -= reader->packets.untaken.cut_frames;
	if (reader->options->device && status != RTAP_STATUS_END)
		end_live(reader);
	else
		rtap_source_stop(reader->source);
	/* frames read ahead but not taken do not count */
	if (reader->options->device)
		rtap_source_counters(reader->source, &reader->packets.read, sizeof reader->packets.read);
	/* Wireshark closes its pipe to end a capture, and shows any message as an error */
	reader->packets.dropped_rest = status != RTAP_STATUS_END &&
				       (!reader->stop || reader->failure.text[0] || (reader->unwritable && !reader->options->extcap));
	progress_end(&reader->progress, reader->packets.read.frames, done, total);
	/* pipes have no total: an interrupt is their normal end */
	if (interrupted && !reader->stop && total && status != RTAP_STATUS_END)
		print_error("interrupted: only %" COUNT " processed", COUNTED(reader->packets.taken, "packet was", "packets were"));
	reader->interrupted = interrupted && !reader->options->device;
	reader->whole = (reader->stop || !interrupted) && !reader->failure.text[0];
	interrupted = 1;
}

/* On SIGUSR1. */
static void report_counts(struct reader *reader)
{
	/* these can wait for the reader of the output: the thread of --status prints then */
	reader_sync(reader);
	fflush(stdout);
	counts_wanted = false;
	if (reader->options->device)
		diagnostics_live(reader->source, &reader->packets, false);
	else
		print_error("%" COUNT " processed so far", COUNTED(reader->packets.taken, "packet", "packets"));
}

/* Call before any thread is started: drops root privileges. */
static bool begin_live_view(struct reader *reader)
{
	if (!is_live_view(reader))
		return true;
	if (!privileges_give_up(&reader->account, rtap_source_needs_privileges(reader->source))) {
		reader->status = EXIT_ERROR;
		return false;
	}
	if (reader->tracker)
		tracker_set_patience(reader->tracker, READER_PATIENCE_NS);
	alarm(reader->options->duration);
	return true;
}

/* Prints what a live capture records, and how; not under Wireshark, which shows any message as an error. */
static void announce(const struct reader *reader)
{
	const struct rtap_verbs_options *verbs = &reader->options->verbs;

	if (!reader->options->device)
		return;
	if (!reader->options->extcap)
		diagnostics_begin(reader->source);
	if (verbs->flow_type == RTAP_FLOW_NORMAL && !verbs->flow_dont_trap)
		print_error("--flow-type normal: the host does not receive these packets during the capture (--flow-dont-trap also delivers them to the host)");
}

/* Whether the clocks of several inputs are known: to be equal, or by how much they differ. */
static bool adjust_clocks(struct reader *reader)
{
	if (!feed)
		return clocks_adjust(reader->source, reader->options);
	for (size_t i = 0; i < reader->options->input_count; i++) {
		const struct source_clock own = { .reference = i };

		source_set_clock(reader->source, i, feed->clocks ? &feed->clocks[i] : &own);
	}
	return feed->clocks;
}

void reader_run(struct reader *reader, struct rtap_tracker *tracker, void (*take)(void *owner, struct rtap_frame *frame), void *owner)
{
	enum rtap_status status = RTAP_STATUS_OK;
	bool live = reader->options->device, is_placed = false;

	reader->tracker = tracker;
	if (tracker && reader->options->input_count > 1 &&
	    !tracker_join_captures(tracker, !reader->options->keeps_times && adjust_clocks(reader)))
		print_error("out of memory: packets that are in several files are counted more than once");
	if (tracker && reader->options->device_count > 1 && !tracker_join_captures(tracker, true))
		print_error("out of memory: packets that several sources have are counted more than once");
	if (!open_pipeline(reader) || !begin_live_view(reader))
		return;
	announce(reader);
	reader->live_status = live ? status_start(&reader->options->status, reader->source) : NULL;
	while (goes_on(reader)) {
		struct rtap_batch *batch;
		struct rtap_error error;

		if (interrupted)
			rtap_source_stop(reader->source);
		status = pipeline_read(reader->pipeline, &batch, &error);
		/* the receiving threads, which run from the first read on, have their own */
		if (live && !is_placed)
			placement_apply(&reader->options->writer);
		is_placed = true;
		if (status == RTAP_STATUS_END)
			break;
		if (status == RTAP_STATUS_OK) {
			reader->batch = batch;
			take_batch(reader, batch, take, owner);
			if (live)
				flush_live(reader, !batch->count, owner);
		} else if (live && status == RTAP_STATUS_BROKEN) {
			/* for a device this is a warning: the capture continues, and losses are counted */
			reader_sync(reader);
			print_error("%s", error.text);
		} else {
			reader_fail(reader, &error);
		}
		batch_done(reader);
		if (counts_wanted)
			report_counts(reader);
		if (status == RTAP_STATUS_FAILED)
			break;
	}
	if (status == RTAP_STATUS_END && !interrupted && !reader->stop)
		source_set_ended(reader->source);
	end_reading(reader, status);
}

void reader_report(struct reader *reader, const struct rtap_tracker *tracker)
{
	if (!feed || !feed->is_silent)
		diagnostics_losses(reader->source, &reader->packets);
	if (reader->options->command == COMMAND_JOIN && reader->options->write_name)
		diagnostics_left_out(reader->source, reader->options->write_name);
	if (reader->options->device)
		diagnostics_live(reader->source, &reader->packets, false);
	if (reader->options->verbose && !(feed && feed->is_silent))
		diagnostics_verbose(reader->source, &reader->packets);
	if (!tracker || (feed && feed->is_silent))
		return;
	if (!reader->has_state)
		reader->state = diagnostics_read_state(tracker);
	diagnostics_state(&reader->state, true, reader->options->verbose);
}

void reader_close(struct reader *reader)
{
	pipeline_close(reader->pipeline);
	printer_fini(&reader->printer);
	rtap_source_close(reader->source);
	rtap_bpf_close(reader->bpf);
	record_filter_close(&reader->records);
}
