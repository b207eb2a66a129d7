/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap export --blktrace: writes commands on blocks as an I/O log that fio replays.
 */
#include "config.h"

#include <inttypes.h>

#include <rdmatap/tracker.h>

#include "cli/iolog.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "output/export/export_iolog.h"
#include "reassembly/tracker.h"

struct logging {
	struct reader reader;
	struct rtap_tracker *tracker;
	struct export_iolog *iolog;
};

static void take(void *owner, struct rtap_frame *frame)
{
	struct logging *logging = owner;
	const struct rtap_packet *packet = reader_packet(&logging->reader, frame);

	reader_count(&logging->reader, packet);
}

static bool open_all(struct logging *logging, const struct options *options)
{
	uint64_t share = options->max_memory / 4;
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking, .max_memory = options->max_memory - share, .give_up_ns = options->give_up_ns, .dissect = &options->dissect,
		.owner = logging,
	};
	struct rtap_error error;

	if (export_iolog_open(&logging->iolog, options->iolog, share, &error) == RTAP_STATUS_OK &&
	    rtap_tracker_open(&logging->tracker, &tracking, &error) == RTAP_STATUS_OK) {
		tracker_report_blocks(logging->tracker, export_iolog_take, logging->iolog);
		return true;
	}
	reader_fail(&logging->reader, &error);
	return false;
}

static void report(const struct logging *logging)
{
	uint64_t written, left_out, unplaced;

	export_iolog_count(logging->iolog, &written, &left_out, &unplaced);
	if (left_out)
		print_error("%" COUNT " omitted: fio has no such action, there are too many devices, or memory is short "
			    "(raise --max-memory)", COUNTED(left_out, "command was", "commands were"));
	if (unplaced)
		print_error("%" COUNT " omitted: blocks of unknown size or address", COUNTED(unplaced, "command was", "commands were"));
	if (logging->reader.options->verbose)
		print_error("%" COUNT " written", COUNTED(written, "command was", "commands were"));
}

int iolog_run(const struct options *options)
{
	struct logging logging = { .tracker = NULL };
	struct reader *reader = &logging.reader;
	struct rtap_error error;

	if (!reader_open(reader, options)) {
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
	} else if (open_all(&logging, options)) {
		finishes_files = 1;
		reader_run(reader, logging.tracker, take, &logging);
		rtap_tracker_finish(logging.tracker);
		report(&logging);
		reader_report(reader, logging.tracker);
	}
	rtap_tracker_close(logging.tracker);
	if (export_iolog_close(logging.iolog, &error) != RTAP_STATUS_OK && error.code != RTAP_ERROR_CLOSED)
		reader_fail(reader, &error);
	reader_close(reader);
	return reader->status;
}
