/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stream view: frames in, packets out.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rdmatap/writer.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "output/json.h"

struct view {
	const struct options *options;
	struct rtap_context context;
	struct rtap_source *source;
	struct rtap_bpf *bpf;
	struct rtap_filter *filter;
	struct rtap_writer *writer;
	struct printer printer;
	struct text_format text;
	struct json_format json;
	struct fields_format fields;
	struct format *format;   /* NULL: nothing is shown */
	struct progress progress;
	struct tally tally;
	uint32_t unknown_links[8]; /* link types complained of */
	unsigned unknown_link_count;
	bool stop;
	int status;
};

static void fail(struct view *view, const struct rtap_error *error)
{
	complain("%s", error->text);
	view->status = EXIT_TROUBLE;
}

/* A reader that has gone away is no error: it has seen enough. */
static void write_failed(struct view *view, int error)
{
	if (error != -EPIPE) {
		complain("standard output: %s", strerror(-error));
		view->status = EXIT_TROUBLE;
	}
	view->stop = true;
}

static bool open_format(struct view *view)
{
	const struct options *options = view->options;

	if (options->quiet || (options->write_name && !options->print))
		return true;
	switch (options->form) {
	case VIEW_TEXT:
		text_format_init(&view->text);
		view->text.tree = options->tree;
		view->text.hex = options->hex;
		view->text.clock.form = options->clock;
		view->text.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR") && getenv("TERM") && strcmp(getenv("TERM"), "dumb");
		view->format = &view->text.format;
		break;
	case VIEW_JSON:
		if (json_format_init(&view->json, options->context.check_icrc)) {
			complain("out of memory");
			return false;
		}
		view->format = &view->json.format;
		break;
	case VIEW_FIELDS:
		view->fields = options->fields;
		view->format = &view->fields.format;
		break;
	}
	return true;
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

static bool open_all(struct view *view)
{
	const struct options *options = view->options;
	struct rtap_error error;

	if (would_overwrite(options)) {
		view->status = EXIT_TROUBLE;
		return false;
	}
	if (options->display_filter && rtap_filter_compile(&view->filter, options->display_filter, NULL, &error) != RTAP_STATUS_OK) {
		complain("-Y: %s", error.text);
		view->status = EXIT_TROUBLE;
		return false;
	}
	if ((options->capture_filter && rtap_bpf_compile(&view->bpf, options->capture_filter, &error) != RTAP_STATUS_OK) ||
	    rtap_source_open_files(&view->source, options->inputs, options->input_count, &error) != RTAP_STATUS_OK) {
		/* an interrupt ends the wait for a FIFO's writer, which is no error */
		if (!interrupted)
			fail(view, &error);
		return false;
	}
	if (printer_init(&view->printer, STDOUT_FILENO, options->line_buffered)) {
		complain("out of memory");
		view->status = EXIT_TROUBLE;
		return false;
	}
	if (!open_format(view)) {
		view->status = EXIT_TROUBLE;
		return false;
	}
	return true;
}

/* The file that -w names is made with the first packet, or at the end if none passed: its link type is known then. */
static bool open_writer(struct view *view, uint32_t link_type)
{
	struct rtap_error error;

	if (rtap_writer_open(&view->writer, view->options->write_name, link_type, view->options->line_buffered, &error) == RTAP_STATUS_OK)
		return true;
	fail(view, &error);
	view->stop = true;
	return false;
}

static void save(struct view *view, const struct rtap_frame *frame)
{
	struct rtap_error error;

	if (!view->writer && !open_writer(view, frame->link_type))
		return;
	if (rtap_writer_write(view->writer, frame, &error) == RTAP_STATUS_OK)
		return;
	view->stop = true;
	if (!error.broken_pipe)
		fail(view, &error);
}

static void note_unknown_link(struct view *view, uint32_t link_type)
{
	const char *name = rtap_link_type_name(link_type);

	for (unsigned i = 0; i < view->unknown_link_count; i++)
		if (view->unknown_links[i] == link_type)
			return;
	if (view->unknown_link_count == sizeof view->unknown_links / sizeof view->unknown_links[0])
		return;
	view->unknown_links[view->unknown_link_count++] = link_type;
	complain("link type %" PRIu32 " (%s) is not dissected: its frames are listed with their lengths", link_type, name ? name : "no name");
}

static void count_anomalies(struct view *view, const struct rtap_packet *packet)
{
	for (uint8_t i = 0; i < packet->anomaly_count; i++) {
		view->tally.anomalies[packet->anomalies[i].code]++;
		if (packet->anomalies[i].code == RTAP_ANOMALY_UNKNOWN_LINK_TYPE)
			note_unknown_link(view, packet->frame->link_type);
	}
}

static void show(struct view *view, struct rtap_frame *frame)
{
	struct rtap_packet packet;
	int error;

	/* without a filter or a reader, nobody asks what is in the frame */
	if (view->filter || view->format) {
		rtap_dissect(frame, &view->context, &packet);
		if (!rtap_filter_match(view->filter, &packet))
			return;
		if (packet.anomaly_count)
			count_anomalies(view, &packet);
	}
	view->tally.passed++;
	if (view->options->write_name)
		save(view, frame);
	if (!view->format || view->stop)
		return;
	error = printer_packet(&view->printer, view->format, &packet);
	if (error)
		write_failed(view, error);
}

static bool passes_bpf(struct view *view, const struct rtap_frame *frame)
{
	struct rtap_error error;
	bool match = true;

	if (view->bpf && rtap_bpf_match(view->bpf, frame, &match, &error) != RTAP_STATUS_OK) {
		fail(view, &error);
		view->stop = true;
		return false;
	}
	return match;
}

static void show_batch(struct view *view, struct rtap_batch *batch)
{
	const struct options *options = view->options;

	for (size_t i = 0; i < batch->count && !view->stop && !interrupted; i++) {
		struct rtap_frame *frame = &batch->frames[i];

		if (view->bpf && !passes_bpf(view, frame))
			continue;
		if (options->snap_length && frame->captured_length > options->snap_length)
			frame->captured_length = options->snap_length;
		view->tally.taken++;
		show(view, frame);
		if (options->count && view->tally.taken == options->count)
			view->stop = true;
	}
}

static void read_all(struct view *view)
{
	bool flush = isatty(STDOUT_FILENO);

	while (!view->stop && !interrupted) {
		struct rtap_batch *batch;
		struct rtap_error error;
		enum rtap_status status = rtap_source_read_batch(view->source, &batch, &error);
		int failed;

		if (status == RTAP_STATUS_END)
			break;
		if (status != RTAP_STATUS_OK) {
			failed = printer_flush(&view->printer);
			if (failed)
				write_failed(view, failed);
			fail(view, &error);
			if (status == RTAP_STATUS_FAILED)
				break;
			continue;
		}
		show_batch(view, batch);
		rtap_batch_release(batch);
		progress_show(&view->progress, view->source);
		failed = flush && !view->stop ? printer_flush(&view->printer) : 0;
		if (failed)
			write_failed(view, failed);
	}
}

static void finish_output(struct view *view)
{
	struct rtap_error error;
	int failed;

	if (view->options->quiet) {
		char text[64];
		int length = snprintf(text, sizeof text, "%" PRIu64 " packets\n", view->tally.passed);

		if (printer_text(&view->printer, text, (size_t)length))
			view->stop = true;
	}
	failed = printer_flush(&view->printer);
	if (failed)
		write_failed(view, failed);
	if (view->options->write_name && !view->writer && view->status == EXIT_DONE) {
		const struct rtap_interface *first = rtap_source_interface_count(view->source) ? rtap_source_interface(view->source, 0) : NULL;

		open_writer(view, first ? first->link_type : RTAP_LINK_ETHERNET);
	}
	if (rtap_writer_close(view->writer, &error) != RTAP_STATUS_OK && !error.broken_pipe)
		fail(view, &error);
}

int view_run(const struct options *options)
{
	struct view view = { .options = options, .context = options->context };

	view.context.decode_as = options->decode_as;
	if (open_all(&view)) {
		int failed = view.format ? printer_packet(&view.printer, view.format, NULL) : 0;

		progress_init(&view.progress, options->progress);
		if (failed)
			write_failed(&view, failed);
		read_all(&view);
		progress_end(&view.progress);
		finish_output(&view);
		report_trouble(view.source, &view.tally);
		if (options->verbose)
			report_all(view.source, &view.tally);
	}
	text_format_fini(&view.text);
	json_format_fini(&view.json);
	printer_fini(&view.printer);
	rtap_source_close(view.source);
	rtap_bpf_destroy(view.bpf);
	rtap_filter_destroy(view.filter);
	return view.status;
}
