/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/reader.h"

#define WAKE_MS 100                  /* how long an interrupt or the end of traffic may go unnoticed */
#define FLUSH_NS (INT64_C(250) * 1000000)

void reader_fail(struct reader *reader, const struct rtap_error *error)
{
	complain("%s", error->text);
	if (!reader->failure.text[0])
		reader->failure = *error;
	reader->status = EXIT_TROUBLE;
}

void reader_wrote(struct reader *reader, int error)
{
	/* a reader that has gone away is no error: it has seen enough */
	if (error && error != -EPIPE) {
		complain("standard output: %s", strerror(-error));
		reader->status = EXIT_TROUBLE;
	}
	reader->unwritable |= error != 0;
	reader->stop |= error != 0;
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
	if (is_input(options, "-"))
		complain("standard output is an input too (name another file)");
	else if (options->write_name && is_input(options, options->write_name))
		complain("%s: is an input too (name another file)", options->write_name);
	else
		return false;
	return true;
}

static enum rtap_status open_source(struct reader *reader, struct rtap_error *error)
{
	const struct options *options = reader->options;
	struct rtap_live_options live = options->live;
	enum rtap_status status = RTAP_STATUS_OK;

	if (options->device) {
		live.capture_filter = options->capture_filter;
		live.snap_length = options->snap_length;
		live.wake_ms = WAKE_MS;
		return rtap_source_open_live(&reader->source, options->device, &live, error);
	}
	if (options->capture_filter)
		status = rtap_bpf_compile(&reader->bpf, options->capture_filter, error);
	return status ? status : rtap_source_open_files(&reader->source, options->inputs, options->input_count, error);
}

bool reader_open(struct reader *reader, const struct options *options)
{
	struct rtap_error error;

	*reader = (struct reader){ .options = options };
	if (reader_would_overwrite(options)) {
		reader->status = EXIT_TROUBLE;
		return false;
	}
	if (options->display_filter && rtap_filter_compile(&reader->filter, options->display_filter, NULL, &error) != RTAP_STATUS_OK) {
		complain("-Y: %s", error.text);
		reader->status = EXIT_TROUBLE;
		return false;
	}
	if (open_source(reader, &error) != RTAP_STATUS_OK) {
		/* an interrupt ends the wait for a FIFO's writer, which is no error */
		if (!interrupted)
			reader_fail(reader, &error);
		return false;
	}
	if (printer_init(&reader->printer, STDOUT_FILENO, options->line_buffered)) {
		complain("out of memory");
		reader->status = EXIT_TROUBLE;
		return false;
	}
	progress_init(&reader->progress, options->progress);
	return true;
}

/* An interrupt ends the reading of files at once; live, only a second one does. */
static bool goes_on(const struct reader *reader)
{
	return !reader->stop && !(reader->options->device ? hurried : interrupted);
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

/* As many as may be taken, without a look at the frames, which another processor may still have in its cache. */
static void count_batch(struct reader *reader, const struct rtap_batch *batch)
{
	uint64_t left = reader->options->count ? reader->options->count - reader->tally.taken : UINT64_MAX;
	uint64_t taken = batch->count < left ? batch->count : left;

	reader->tally.taken += taken;
	reader->tally.passed += taken;
	reader->stop |= taken == left;
}

static void take_batch(struct reader *reader, struct rtap_batch *batch, void (*take)(void *owner, struct rtap_frame *frame), void *owner)
{
	const struct options *options = reader->options;

	if (reader->counts_only && !reader->bpf) {
		count_batch(reader, batch);
		return;
	}
	for (size_t i = 0; i < batch->count && goes_on(reader); i++) {
		struct rtap_frame *frame = &batch->frames[i];

		if (reader->bpf && !passes_bpf(reader, frame))
			continue;
		if (options->snap_length && frame->captured_length > options->snap_length)
			frame->captured_length = options->snap_length;
		reader->tally.taken++;
		take(owner, frame);
		if (options->count && reader->tally.taken == options->count)
			reader->stop = true;
	}
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* What was written reaches its readers when nothing more comes, and now and then in any case. */
static void flush_live(struct reader *reader, bool is_idle, void *owner)
{
	int64_t now = now_ns();

	if (!is_idle && now < reader->flush_ns)
		return;
	reader->flush_ns = now + FLUSH_NS;
	reader_wrote(reader, printer_flush(&reader->printer));
	if (reader->idle && !reader->stop)
		reader->idle(owner);
}

/* The counts of a live source are final when it has ended; what it gives until then is beyond what was asked for. */
static void end_live(struct reader *reader)
{
	enum rtap_status status;

	rtap_source_stop(reader->source);
	do {
		struct rtap_batch *batch;
		struct rtap_error error;

		status = rtap_source_read_batch(reader->source, &batch, &error);
		if (status == RTAP_STATUS_BROKEN)
			complain("%s", error.text);
		rtap_batch_release(batch);
	} while (status == RTAP_STATUS_OK || status == RTAP_STATUS_BROKEN);
}

void reader_run(struct reader *reader, void (*take)(void *owner, struct rtap_frame *frame), void *owner)
{
	bool flush = isatty(STDOUT_FILENO), live = reader->options->device;
	enum rtap_status status = RTAP_STATUS_OK;

	if (reader->options->threads > 1)
		rtap_source_read_ahead(reader->source);
	while (goes_on(reader)) {
		struct rtap_batch *batch;
		struct rtap_error error;

		if (interrupted)
			rtap_source_stop(reader->source);
		status = rtap_source_read_batch(reader->source, &batch, &error);
		if (status == RTAP_STATUS_END)
			break;
		if (status != RTAP_STATUS_OK) {
			reader_wrote(reader, printer_flush(&reader->printer));
			/* Of a device it is a warning: the capture goes on, and what was lost is in the counts. */
			if (live && status == RTAP_STATUS_BROKEN)
				complain("%s", error.text);
			else
				reader_fail(reader, &error);
			if (status == RTAP_STATUS_FAILED)
				break;
			continue;
		}
		take_batch(reader, batch, take, owner);
		if (live)
			flush_live(reader, !batch->count, owner);
		rtap_batch_release(batch);
		progress_show(&reader->progress, reader->source);
		if (flush && !reader->stop)
			reader_wrote(reader, printer_flush(&reader->printer));
	}
	if (live && status != RTAP_STATUS_END)
		end_live(reader);
	else
		rtap_source_stop(reader->source);
	progress_end(&reader->progress);
	reader->interrupted = interrupted;
	interrupted = 1;
}

void reader_report(const struct reader *reader, const struct rtap_tracker *tracker)
{
	remark_trouble(reader->source, &reader->tally);
	if (reader->options->verbose)
		remark_all(reader->source, &reader->tally);
	remark_tracker(tracker, true, reader->options->verbose);
}

void reader_close(struct reader *reader)
{
	printer_fini(&reader->printer);
	rtap_source_close(reader->source);
	rtap_bpf_destroy(reader->bpf);
	rtap_filter_destroy(reader->filter);
}
