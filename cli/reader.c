/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/reader.h"

void reader_fail(struct reader *reader, const struct rtap_error *error)
{
	complain("%s", error->text);
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

/* Writing to a file that is being read would destroy it. */
static bool would_overwrite(const struct options *options)
{
	if (is_input(options, "-"))
		complain("standard output is an input too (name another file)");
	else if (options->write_name && is_input(options, options->write_name))
		complain("%s: is an input too (name another file)", options->write_name);
	else
		return false;
	return true;
}

bool reader_open(struct reader *reader, const struct options *options)
{
	struct rtap_error error;

	*reader = (struct reader){ .options = options };
	if (would_overwrite(options)) {
		reader->status = EXIT_TROUBLE;
		return false;
	}
	if (options->display_filter && rtap_filter_compile(&reader->filter, options->display_filter, NULL, &error) != RTAP_STATUS_OK) {
		complain("-Y: %s", error.text);
		reader->status = EXIT_TROUBLE;
		return false;
	}
	if ((options->capture_filter && rtap_bpf_compile(&reader->bpf, options->capture_filter, &error) != RTAP_STATUS_OK) ||
	    rtap_source_open_files(&reader->source, options->inputs, options->input_count, &error) != RTAP_STATUS_OK) {
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

static void take_batch(struct reader *reader, struct rtap_batch *batch, void (*take)(void *owner, struct rtap_frame *frame), void *owner)
{
	const struct options *options = reader->options;

	for (size_t i = 0; i < batch->count && !reader->stop && !interrupted; i++) {
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

void reader_run(struct reader *reader, void (*take)(void *owner, struct rtap_frame *frame), void *owner)
{
	bool flush = isatty(STDOUT_FILENO);

	if (reader->options->threads > 1)
		rtap_source_read_ahead(reader->source);
	while (!reader->stop && !interrupted) {
		struct rtap_batch *batch;
		struct rtap_error error;
		enum rtap_status status = rtap_source_read_batch(reader->source, &batch, &error);

		if (status == RTAP_STATUS_END)
			break;
		if (status != RTAP_STATUS_OK) {
			reader_wrote(reader, printer_flush(&reader->printer));
			reader_fail(reader, &error);
			if (status == RTAP_STATUS_FAILED)
				break;
			continue;
		}
		take_batch(reader, batch, take, owner);
		rtap_batch_release(batch);
		progress_show(&reader->progress, reader->source);
		if (flush && !reader->stop)
			reader_wrote(reader, printer_flush(&reader->printer));
	}
	rtap_source_stop(reader->source);
	progress_end(&reader->progress);
	interrupted = 1;
}

void reader_report(const struct reader *reader, const struct rtap_tracker *tracker)
{
	report_trouble(reader->source, &reader->tally);
	if (reader->options->verbose)
		report_all(reader->source, &reader->tally);
	report_tracker(tracker, true, reader->options->verbose);
}

void reader_close(struct reader *reader)
{
	printer_fini(&reader->printer);
	rtap_source_close(reader->source);
	rtap_bpf_destroy(reader->bpf);
	rtap_filter_destroy(reader->filter);
}
