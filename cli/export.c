/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap export: writes RPC messages in formats of other tools.
 */
#include "config.h"

#include <inttypes.h>

#include <rdmatap/tracker.h>

#include "cli/database.h"
#include "cli/export.h"
#include "cli/iolog.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "cli/trace.h"
#include "output/export/export_files.h"
#include "output/export/export_tcp.h"
#include "output/packet/printer.h"
#include "reassembly/tracker.h"
#include "reassembly/upper/rpc_layer.h"

struct exporting {
	struct reader reader;
	struct rtap_tracker *tracker;
	struct export_tcp *tcp;     /* NULL: without -w, or it failed and the error was printed or the reader closed the pipe */
	struct export_files *files; /* NULL: without --files */
	bool files_failed;          /* reported on close */
	uint64_t skipped;           /* calls dropped because of an interrupt */
};

static bool is_aborted(void)
{
	return aborted;
}

static void fail(struct exporting *exporting, const struct rtap_error *error)
{
	exporting->reader.stop = true;
	if (error->code != RTAP_ERROR_CLOSED)
		reader_fail(&exporting->reader, error);
}

/* Closes after a failure, whose error was already printed. */
static void close_failed(struct exporting *exporting)
{
	if (export_tcp_close(exporting->tcp, NULL, NULL) != RTAP_STATUS_OK)
		exporting->reader.status = EXIT_ERROR;
	exporting->tcp = NULL;
}

static void write_exchange(void *owner, const struct rpc_exchange *exchange)
{
	struct exporting *exporting = owner;
	struct rtap_error error;

	if (aborted) {
		exporting->skipped++;
	} else if (exporting->tcp && export_tcp_exchange(exporting->tcp, exchange, &error) != RTAP_STATUS_OK) {
		fail(exporting, &error);
		close_failed(exporting);
	}
}

static void take_frame(void *owner, struct rtap_frame *frame)
{
	struct exporting *exporting = owner;
	const struct rtap_packet *packet = reader_packet(&exporting->reader, frame);

	reader_count(&exporting->reader, packet);
	/* reported on close */
	if (exporting->files && export_files_has_failed(exporting->files))
		exporting->files_failed = exporting->reader.stop = true;
}

static void report_tcp(const struct export_tcp_counters *counters, bool verbose)
{
	if (counters->left_out)
		print_error("%" COUNT " omitted because bytes are missing (--fill-holes writes zeros where it can)",
			 COUNTED(counters->left_out, "RPC message was", "RPC messages were"));
	if (counters->filled)
		print_error("%" COUNT " zeros where bytes are missing", COUNTED(counters->filled, "RPC message has", "RPC messages have"));
	if (counters->dropped)
		print_error("%" COUNT " not written: interrupted", COUNTED(counters->dropped, "RPC message was", "RPC messages were"));
	if (counters->misplaced)
		print_error("%" COUNT " written out of order, with a later time stamp (raise --max-memory)",
			 COUNTED(counters->misplaced, "RPC message was", "RPC messages were"));
	if (verbose)
		print_error("%" COUNT " written", COUNTED(counters->messages, "RPC message was", "RPC messages were"));
}

static void finish_tcp(struct exporting *exporting)
{
	struct export_tcp_counters counters;
	struct rtap_error error;

	if (!exporting->tcp)
		return;
	if (export_tcp_close(exporting->tcp, &counters, &error) != RTAP_STATUS_OK)
		fail(exporting, &error);
	exporting->tcp = NULL;
	exporting->reader.packets.clamped_times = counters.clamped_times;
	report_tcp(&counters, exporting->reader.options->verbose);
}

static void report_files(const struct export_files_counts *counts, bool verbose)
{
	if (counts->dropped)
		print_error("%" COUNT " not examined: interrupted",
			 COUNTED(counts->dropped, "call about files was", "calls about files were"));
	if (counts->unreadable)
		print_error("%" COUNT " about files could not be decoded completely", COUNTED(counts->unreadable, "call", "calls"));
	if (counts->unnamed)
		print_error("%" COUNT " before the file handle or name", COUNTED(counts->unnamed, "RPC call was cut off by the capture",
										      "RPC calls were cut off by the capture"));
	if (counts->orphans)
		print_error("%" COUNT " on files is unknown", COUNTED(counts->orphans, "RPC reply without a captured call: its effect",
								     "RPC replies without a captured call: their effect"));
	if (counts->evicted || counts->refused || counts->unreported)
		print_error("%" COUNT " evicted, %" COUNT " refused, %" COUNT " not recorded for lack of memory (raise --max-memory)",
			 COUNTED(counts->evicted, "handle or name was", "handles and names were"), COUNTED(counts->refused, "file", "files"),
			 COUNTED(counts->unreported, "range", "ranges"));
	if (counts->late)
		print_error("%" COUNT " out of order (raise --max-memory)",
			 COUNTED(counts->late, "call was processed", "calls were processed"));
	if (counts->too_far)
		print_error("%" COUNT " beyond the largest possible file size",
			    COUNTED(counts->too_far, "write was at an offset", "writes were at offsets"));
	if (counts->unsettled)
		print_error("%" COUNT " too much work: these files keep their previous paths",
			 COUNTED(counts->unsettled, "time moving files to their new paths was", "times moving files to their new paths was"));
	if (counts->on_directories)
		print_error("%" COUNT " ignored", COUNTED(counts->on_directories, "read or write of a directory's data was",
							"reads and writes of a directory's data were"));
	if (counts->not_copied)
		print_error("%" COUNT " not written: beyond the limit for one capture",
			 COUNTED(counts->not_copied, "byte that servers copied was", "bytes that servers copied were"));
	if (counts->unplaced)
		print_error("%" COUNT " on blocks of unknown size or address and not written to an image",
			    COUNTED(counts->unplaced, "command was", "commands were"));
	if (counts->commandless)
		print_error("%" COUNT " on blocks is unknown", COUNTED(counts->commandless, "response without a captured command: its effect",
								      "responses without a captured command: their effect"));
	if (verbose && counts->block_commands)
		print_error("%" COUNT " on blocks", COUNTED(counts->block_commands, "command was", "commands were"));
	if (verbose)
		print_error("%" COUNT " about files", COUNTED(counts->exchanges, "call was", "calls were"));
}

static void finish_files(struct exporting *exporting)
{
	struct reader *reader = &exporting->reader;
	struct export_files_counts counts;
	struct rtap_error error;

	if (!exporting->files)
		return;
	/* errors are reported on close */
	if (!exporting->files_failed && export_files_flush(exporting->files) != RTAP_STATUS_OK)
		exporting->files_failed = true;
	reader_wrote(reader, export_files_print_missing(exporting->files, &reader->printer));
	reader_wrote(reader, printer_flush(&reader->printer));
	counts = export_files_count(exporting->files);
	if (export_files_close(exporting->files, &error) != RTAP_STATUS_OK)
		reader_fail(reader, &error);
	exporting->files = NULL;
	report_files(&counts, reader->options->verbose);
}

/* Queued messages, and handles, names and ranges get a quarter of the memory each. */
static bool open_all(struct exporting *exporting, const struct options *options)
{
	uint64_t share = options->max_memory / 4;
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking,
		.max_memory = options->max_memory, .give_up_ns = options->give_up_ns, .dissect = &options->dissect, .owner = exporting,
	};
	struct export_files_options keeping = { .max_memory = share, .stopped = is_aborted };
	struct rtap_error error;

	if (options->write_name) {
		tracking.max_memory -= share;
		if (export_tcp_open(&exporting->tcp, options->write_name, options->fill_holes, share, &error) != RTAP_STATUS_OK)
			goto failed;
		export_tcp_set_stopped(exporting->tcp, is_aborted);
	}
	if (options->directory) {
		tracking.max_memory -= share;
		exporting->files = export_files_open(options->directory, &keeping, &error);
		if (!exporting->files)
			goto failed;
	}
	if (rtap_tracker_open(&exporting->tracker, &tracking, &error) == RTAP_STATUS_OK) {
		if (exporting->tcp)
			rpc_layer_report_exchanges(exporting->tracker, write_exchange, exporting, true);
		if (exporting->files) {
			rpc_layer_report_exchanges(exporting->tracker, export_files_exchange, exporting->files, true);
			tracker_report_blocks(exporting->tracker, export_files_blocks, exporting->files);
			tracker_report_files(exporting->tracker, export_files_operation, exporting->files);
		}
		return true;
	}
failed:
	reader_fail(&exporting->reader, &error);
	return false;
}

static int run(const struct options *options)
{
	struct exporting exporting = { .tracker = NULL };
	struct reader *reader = &exporting.reader;

	if (!reader_open(reader, options)) {
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
	} else if (open_all(&exporting, options)) {
		finishes_files = 1;
		reader_run(reader, exporting.tracker, take_frame, &exporting);
		rtap_tracker_finish(exporting.tracker);
		if (exporting.skipped)
			print_error("%" COUNT " not examined: interrupted", COUNTED(exporting.skipped, "RPC call was", "RPC calls were"));
		finish_tcp(&exporting);
		finish_files(&exporting);
		reader_report(reader, exporting.tracker);
	}
	rtap_tracker_close(exporting.tracker);
	close_failed(&exporting);
	if (export_files_close(exporting.files, NULL) != RTAP_STATUS_OK)
		reader->status = EXIT_ERROR;
	reader_close(reader);
	return reader->status;
}

int command_export(int argc, char **argv)
{
	struct options options;
	int status = EXIT_ERROR;

	if (options_parse(&options, COMMAND_EXPORT, argc, argv))
		status = options.database ? database_run(&options) : options.trace ? trace_run(&options) : options.iolog ? iolog_run(&options) : run(&options);

	options_fini(&options);
	return status;
}
