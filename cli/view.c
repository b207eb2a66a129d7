/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stream view: prints and saves packets.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rdmatap/tracker.h>
#include <rdmatap/writer.h>

#include "capture/file/series.h"
#include "capture/file/writer.h"
#include "cli/print_error.h"
#include "cli/privileges.h"
#include "cli/reader.h"
#include "cli/replies.h"
#include "cli/rotation_hook.h"
#include "cli/view.h"
#include "output/packet/colour.h"
#include "output/packet/json.h"
#include "output/packet/printer.h"
#include "output/packet/text.h"
#include "reassembly/tracker.h"

struct view {
	struct reader reader;
	const struct options *options;
	struct rtap_tracker *tracker;
	struct rtap_series *series; /* -w */
	struct rotation_hook hook;
	struct account account;     /* under which a live capture continues */
	bool cannot_write;          /* a failure to write the file of -w was printed */
	struct view_format {
		struct text_format text;
		struct json_format json;
		struct fields_format fields;
	} made[PIPELINE_FORMATS];
	struct format *formats[PIPELINE_FORMATS];
	uint64_t *wanted; /* -T json with -e: one bit per field id */
	struct replies replies;
	uint32_t unknown_links[8]; /* link types already reported */
	unsigned unknown_link_count;
	int64_t displayed_ns;       /* time of the frame that was shown last */
};

/* Creates a format; all but the first share its constant data. */
static bool open_format(struct view *view, unsigned index)
{
	const struct options *options = view->options;
	struct view_format *made = &view->made[index];
	int result = 0;

	switch (options->form) {
	case VIEW_TEXT:
		text_format_init(&made->text);
		made->text.tree = options->tree;
		made->text.hex = options->hex;
		made->text.clock.form = options->clock;
		made->text.wide = options->wide;
		made->text.colour = colour_is_wanted(options->colour, view->reader.is_terminal);
		view->formats[index] = &made->text.format;
		break;
	case VIEW_JSON:
		result = index ? json_format_share(&made->json, &view->made[0].json) : json_format_init(&made->json, options->dissect.check_icrc);
		made->json.wanted = view->wanted;
		view->formats[index] = &made->json.format;
		break;
	case VIEW_FIELDS:
		result = fields_format_share(&made->fields, &options->fields);
		made->fields.clock.form = options->clock;
		view->formats[index] = &made->fields.format;
		break;
	}
	return !result;
}

/* The fields of -e, if there are any, for -T json. */
static bool choose_fields(struct view *view)
{
	const struct options *options = view->options;
	const char *other;

	if (options->form != VIEW_JSON || !options->fields.column_count)
		return true;
	view->wanted = calloc(rtap_field_count() / 64 + 1, sizeof *view->wanted);
	if (!view->wanted) {
		print_error("out of memory");
		return false;
	}
	if (fields_format_mark(&options->fields, view->wanted, &other))
		return true;
	print_error("-e %s: only for -T csv and -T fields", other);
	return false;
}

/* Creates one format, or as many as a pipeline needs. */
static bool open_formats(struct view *view)
{
	const struct options *options = view->options;
	unsigned threads = pipeline_threads(options->threads), count = threads > 1 ? threads + 1 : 1;

	if (options->quiet || (options->write_name && !options->print))
		return true;
	if (!choose_fields(view))
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (!open_format(view, i)) {
			print_error("out of memory");
			return false;
		}
	}
	view->reader.formats = view->formats;
	return true;
}

static size_t lost_values(const struct view *view)
{
	size_t lost = 0;

	for (unsigned i = 0; i < PIPELINE_FORMATS; i++)
		lost += view->made[i].json.lost;
	return lost;
}

static void close_formats(struct view *view)
{
	for (unsigned i = 0; i < PIPELINE_FORMATS; i++) {
		text_format_fini(&view->made[i].text);
		json_format_fini(&view->made[i].json);
		fields_format_unshare(&view->made[i].fields);
	}
	free(view->wanted);
}

static enum rtap_status open_series(struct view *view, uint32_t link_type, int64_t time_ns, struct rtap_error *error)
{
	const struct options *options = view->options;
	struct rtap_series_options series = options->series;

	series.size = sizeof series;
	series.link_type = link_type;
	series.unbuffered = options->line_buffered;
	series.source = view->reader.source;
	series.as_frames_come = !options->device;
	series.time_ns = time_ns;
	series.closed = rotation_hook_closed;
	series.owner = &view->hook;
	return rtap_series_open(&view->series, options->write_name, &series, error);
}

static void end_writing(struct view *view, const struct rtap_error *error)
{
	view->reader.stop = true;
	view->reader.unwritable |= error->code == RTAP_ERROR_CLOSED;
	if (error->code != RTAP_ERROR_CLOSED && !view->cannot_write)
		reader_fail(&view->reader, error);
	view->cannot_write = true;
}

/*
 * When reading files, the output of -w is created with the first packet, or at the end if none passed: only then is its link type
 * known.
 */
static void save(struct view *view, const struct rtap_frame *frame)
{
	enum rtap_status status = RTAP_STATUS_OK;
	struct rtap_error error;

	if (!view->series)
		status = open_series(view, frame->link_type, frame->time_ns, &error);
	if (!status)
		status = series_write_of(view->series, frame, view->reader.batch, &error);
	if (status == RTAP_STATUS_END) {
		view->reader.stop = true;
		reader_untake(&view->reader, frame, 1);
	} else if (status != RTAP_STATUS_OK) {
		end_writing(view, &error);
	}
}

/* Live capture that only saves frames. */
static void save_batch(void *owner, struct rtap_batch *batch, size_t count)
{
	struct view *view = owner;
	struct rtap_error error;
	size_t written;
	enum rtap_status status = rtap_series_write_batch(view->series, batch, count, &written, &error);

	if (status == RTAP_STATUS_END) {
		view->reader.stop = true;
		reader_untake(&view->reader, batch->frames + written, count - written);
		return;
	}
	view->reader.packets.passed -= count - written;
	if (status != RTAP_STATUS_OK)
		end_writing(view, &error);
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
	reader_sync(&view->reader);
	print_error("link type %" PRIu32 " (%s) is not dissected: its frames are listed with their lengths", link_type, name ? name : "no name");
}

static void count_anomalies(struct view *view, const struct rtap_packet *packet)
{
	for (uint8_t i = 0; i < packet->anomaly_count; i++) {
		view->reader.packets.anomalies[packet->anomalies[i].code]++;
		if (packet->anomalies[i].code == RTAP_ANOMALY_UNKNOWN_LINK_TYPE)
			note_unknown_link(view, packet->frame->link_type);
	}
}

static void show(void *owner, struct rtap_frame *frame)
{
	struct view *view = owner;
	struct rtap_packet *packet = NULL;

	frame->is_displayed = true;
	frame->displayed_delta_ns = view->reader.packets.passed ? frame->time_ns - view->displayed_ns : 0;
	/* without a filter and output, frames need no dissection */
	if (view->tracker) {
		packet = reader_packet(&view->reader, frame);
		if (!rtap_filter_match(view->reader.filter, packet))
			return;
		if (packet->anomaly_count)
			count_anomalies(view, packet);
	}
	view->reader.packets.passed++;
	view->displayed_ns = frame->time_ns;
	if (view->options->write_name)
		save(view, frame);
	if (view->reader.formats && !view->reader.stop)
		reader_show(&view->reader, packet);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Live capture: begins a file that is due by time, and flushes saved packets to the file. */
static void flush_series(void *owner)
{
	struct view *view = owner;
	struct rtap_error error;
	enum rtap_status status;

	rotation_hook_reap(&view->hook);
	if (!view->series)
		return;
	status = series_advance(view->series, now_ns(), &error);
	if (status == RTAP_STATUS_END) {
		view->reader.stop = true;
		return;
	}
	if (status || rtap_series_flush(view->series, &error) != RTAP_STATUS_OK)
		end_writing(view, &error);
}

static uint32_t first_link_type(const struct rtap_source *source)
{
	return rtap_source_interface_count(source) ? rtap_source_interface(source, 0)->link_type : RTAP_LINK_ETHERNET;
}

static void finish_output(struct view *view)
{
	struct reader *reader = &view->reader;
	struct rtap_error error;

	if (view->options->quiet) {
		char text[64];
		int length = snprintf(text, sizeof text, "%" COUNT "\n", COUNTED(reader->packets.passed, "packet", "packets"));

		reader_wrote(reader, printer_text(&reader->printer, text, (size_t)length));
	}
	reader_wrote(reader, printer_flush(&reader->printer));
	if (view->options->write_name && !view->series && reader->status == EXIT_DONE &&
	    open_series(view, first_link_type(reader->source), now_ns(), &error) != RTAP_STATUS_OK)
		end_writing(view, &error);
	if (view->series)
		reader->packets.clamped_times = rtap_series_clamped_times(view->series);
	if (rtap_series_close(view->series, &error) != RTAP_STATUS_OK)
		end_writing(view, &error);
	view->series = NULL;
}

/* Whether the one-line text of packets is printed. */
static bool shows_lines(const struct options *options)
{
	if (options->form == VIEW_TEXT)
		return !options->tree;
	return options->form == VIEW_FIELDS && options->fields.shows_lines;
}

static bool open_tracker(struct view *view)
{
	struct rtap_tracker_options options = {
		.size = sizeof options,
		.max_memory = view->options->max_memory, .give_up_ns = view->options->give_up_ns, .dissect = &view->options->dissect,
	};

	if (!view->reader.filter && !view->reader.formats) {
		view->reader.counts_only = !view->options->write_name;
		if (view->options->device && view->options->write_name)
			view->reader.take_batch = save_batch;
		return true;
	}
	if (replies_wanted(view->options) && !replies_collect(&view->replies, view->options))
		return false;
	if (rtap_tracker_open(&view->tracker, &options, NULL)) {
		print_error("out of memory");
		return false;
	}
	tracker_set_replies(view->tracker, view->replies.list, view->replies.count);
	if (view->reader.formats && shows_lines(view->options))
		tracker_show_files(view->tracker);
	return true;
}

/*
 * Live capture: the source is open. Opens the first file and hands it to the user that the program switches to; after that the program
 * drops root and can start threads.
 */
static bool prepare_live(struct view *view)
{
	const struct options *options = view->options;
	const struct account *account = &view->account;
	struct reader *reader = &view->reader;
	struct rtap_error error;

	if (!options->device)
		return true;
	if (options->write_name)
		privileges_protect_files(options->write_name);
	if (options->write_name &&
	    (open_series(view, first_link_type(reader->source), now_ns(), &error) != RTAP_STATUS_OK ||
	     (account->changes && rtap_series_hand_over(view->series, account->user, account->group, &error) != RTAP_STATUS_OK) ||
	     rtap_series_flush(view->series, &error) != RTAP_STATUS_OK)) {
		/* an interrupt while waiting for a FIFO's reader is not an error */
		if (!interrupted)
			reader_fail(reader, &error);
		return false;
	}
	reader->idle = flush_series;
	return privileges_give_up(account, rtap_source_needs_privileges(reader->source));
}

static bool makes_series(const struct options *options)
{
	const struct rtap_series_options *series = &options->series;

	return options->write_name && (series->rotate_bytes || series->rotate_seconds || series->rotate_frames);
}

/* Before anything is opened: no file is overwritten by a capture that cannot start. */
static bool find_account(struct view *view)
{
	const struct options *options = view->options;
	const struct rtap_series_options *series = &options->series;
	bool makes_files = makes_series(options);

	if (!options->device)
		return true;
	if (!privileges_find(options->user, &view->account))
		return false;
	/* further files are created with this group */
	if (series->has_group && view->account.changes)
		view->account.group = series->group;
	return privileges_rehearse(&view->account, makes_files ? options->write_name : NULL);
}

int view_run(const struct options *options)
{
	struct view view = { .options = options };
	struct reader *reader = &view.reader;

	if (!rotation_hook_open(&view.hook, &options->files) || !find_account(&view)) {
		reader->status = EXIT_ERROR;
	} else if (!reader_open(reader, options)) {
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
	} else if (!open_formats(&view) || !open_tracker(&view) || !prepare_live(&view)) {
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
	} else {
		if (reader->formats)
			reader_wrote(reader, printer_packet(&reader->printer, reader->formats[0], NULL));
		finishes_files = options->write_name != NULL;
		alarm(options->duration);
		reader_run(reader, view.tracker, show, &view);
		finish_output(&view);
		diagnostics_losses(reader->source, &reader->packets);
		if (options->write_name)
			diagnostics_left_out(reader->source, options->write_name);
		if (options->device)
			diagnostics_live(reader->source, &reader->packets, options->extcap);
		if (options->device && view.cannot_write && reader->failure.text[0])
			print_error("%s: the last of the captured packets are not in %s; how many is unknown (rdmatap -q -r counts those that are)",
				    options->write_name, makes_series(options) ? "the files of this series" : "it");
		if (options->verbose)
			diagnostics_verbose(reader->source, &reader->packets);
		if (view.tracker) {
			struct state_counters state = diagnostics_read_state(view.tracker);

			diagnostics_state(&state, false, options->verbose);
		}
		if (lost_values(&view))
			print_error("%" COUNT " not written for lack of memory", COUNTED(lost_values(&view), "value", "values"));
	}
	if (rtap_series_close(view.series, NULL) != RTAP_STATUS_OK)
		reader->status = EXIT_ERROR;
	rotation_hook_close(&view.hook);
	close_formats(&view);
	rtap_tracker_close(view.tracker);
	replies_fini(&view.replies);
	reader_close(reader);
	return reader->status;
}
