/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap export: what the RPC messages said, in forms that other tools read.
 */
#include "config.h"

#include <inttypes.h>

#include <rdmatap/tracker.h>

#include "cli/reader.h"
#include "output/export_files.h"
#include "output/export_tcp.h"

struct exporting {
	struct reader reader;
	struct rtap_tracker *tracker;
	struct export_tcp *tcp;     /* -w; or NULL */
	struct export_files *files; /* --files; or NULL */
	bool failed; /* it is told already, or nobody reads any more */
};

static void fail(struct exporting *exporting, const struct rtap_error *error)
{
	exporting->failed = exporting->reader.stop = true;
	if (!error->broken_pipe)
		reader_fail(&exporting->reader, error);
}

static void take_exchange(void *owner, const struct rpc_exchange *exchange)
{
	struct exporting *exporting = owner;
	struct rtap_error error;

	if (exporting->tcp && !exporting->failed && export_tcp_exchange(exporting->tcp, exchange, &error) != RTAP_STATUS_OK)
		fail(exporting, &error);
	/* what failed is told by closing */
	if (exporting->files && !exporting->failed && export_files_exchange(exporting->files, exchange) != RTAP_STATUS_OK)
		exporting->failed = exporting->reader.stop = true;
}

static void take_frame(void *owner, struct rtap_frame *frame)
{
	struct exporting *exporting = owner;
	struct rtap_packet packet;

	rtap_tracker_frame(exporting->tracker, frame, &packet);
	exporting->reader.tally.passed++;
	for (uint8_t i = 0; i < packet.anomaly_count; i++)
		exporting->reader.tally.anomalies[packet.anomalies[i].code]++;
}

static void report_tcp(const struct export_tcp_counters *counters, bool verbose)
{
	if (counters->left_out)
		complain("%" PRIu64 " RPC messages were left out, for bytes of them are missing (--fill-holes puts zeros there)", counters->left_out);
	if (counters->filled)
		complain("%" PRIu64 " RPC messages have zeros where bytes of them are missing", counters->filled);
	if (counters->misplaced)
		complain("%" PRIu64 " RPC messages stand too late, and with a later time (give more with --max-memory)", counters->misplaced);
	if (verbose)
		complain("%" PRIu64 " RPC messages were written", counters->messages);
}

static void finish_tcp(struct exporting *exporting, bool verbose)
{
	struct export_tcp_counters counters;
	struct rtap_error error;
	bool failed = exporting->failed;

	if (export_tcp_close(exporting->tcp, &counters, &error) != RTAP_STATUS_OK && !failed)
		fail(exporting, &error);
	exporting->tcp = NULL;
	report_tcp(&counters, verbose);
}

static void report_files(const struct export_files_counts *counts, bool verbose)
{
	if (counts->unreadable)
		complain("%" PRIu64 " NFS calls or replies could not be read to their end: what they did to files is not known", counts->unreadable);
	if (counts->forgotten)
		complain("%" PRIu64 " file handles were forgotten for want of memory (give more with --max-memory)", counts->forgotten);
	if (counts->refused)
		complain("%" PRIu64 " file handles or names found no room (give more with --max-memory)", counts->refused);
	if (counts->untold)
		complain("%" PRIu64 " ranges of files found no room: some that are missing are not listed", counts->untold);
	if (counts->late)
		complain("%" PRIu64 " RPC calls were told behind their turn: bytes may be older than they should be (give more with --max-memory)",
			 counts->late);
	if (counts->too_far)
		complain("%" PRIu64 " changes of files were left out, at offsets that no file here can have", counts->too_far);
	if (counts->not_copied)
		complain("%" PRIu64 " bytes of COPY and CLONE were left out: too much for what the capture holds", counts->not_copied);
	if (verbose)
		complain("%" PRIu64 " RPC calls about files", counts->exchanges);
}

static void finish_files(struct exporting *exporting, bool verbose)
{
	struct reader *reader = &exporting->reader;
	struct export_files_counts counts;
	struct rtap_error error;

	if (export_files_flush(exporting->files) == RTAP_STATUS_OK) {
		reader_wrote(reader, export_files_print_missing(exporting->files, &reader->printer));
		reader_wrote(reader, printer_flush(&reader->printer));
	}
	counts = export_files_count(exporting->files);
	if (export_files_close(exporting->files, &error) != RTAP_STATUS_OK)
		reader_fail(reader, &error);
	exporting->files = NULL;
	report_files(&counts, verbose);
}

static bool open_outputs(struct exporting *exporting, const struct options *options, uint64_t memory)
{
	struct export_files_options filing = { .max_memory = memory };
	struct rtap_error error;

	if (options->write_name && export_tcp_open(&exporting->tcp, options->write_name, options->fill_holes, memory, &error) != RTAP_STATUS_OK) {
		reader_fail(&exporting->reader, &error);
		return false;
	}
	if (!options->files)
		return true;
	exporting->files = export_files_open(options->files, &filing, &error);
	if (!exporting->files)
		reader_fail(&exporting->reader, &error);
	return exporting->files;
}

/* A quarter of the memory is for messages that wait for their turn, and what is known of files. */
static bool open_all(struct exporting *exporting, const struct options *options)
{
	uint64_t outputs = options->max_memory / 4;
	struct rtap_tracker_options tracking = {
		.max_memory = options->max_memory - outputs, .context = options->context, .exchange = take_exchange, .payload = true,
		.owner = exporting,
	};

	tracking.context.decode_as = options->decode_as;
	if (!reader_open(&exporting->reader, options)) {
		exporting->reader.status = interrupted ? EXIT_DONE : EXIT_TROUBLE;
		return false;
	}
	if (!open_outputs(exporting, options, options->write_name && options->files ? outputs / 2 : outputs))
		return false;
	exporting->tracker = rtap_tracker_open(&tracking);
	if (!exporting->tracker) {
		complain("out of memory");
		exporting->reader.status = EXIT_TROUBLE;
	}
	return exporting->tracker;
}

static int run(const struct options *options)
{
	struct exporting exporting = { .failed = false };
	struct reader *reader = &exporting.reader;

	if (open_all(&exporting, options)) {
		reader_run(reader, take_frame, &exporting);
		rtap_tracker_finish(exporting.tracker);
		if (exporting.tcp)
			finish_tcp(&exporting, options->verbose);
		if (exporting.files)
			finish_files(&exporting, options->verbose);
		report_trouble(reader->source, &reader->tally);
		if (options->verbose)
			report_all(reader->source, &reader->tally);
		report_tracker(exporting.tracker, true, options->verbose);
	}
	rtap_tracker_close(exporting.tracker);
	if (export_tcp_close(exporting.tcp, NULL, NULL) != RTAP_STATUS_OK || export_files_close(exporting.files, NULL) != RTAP_STATUS_OK)
		reader->status = EXIT_TROUBLE;
	reader_close(reader);
	return reader->status;
}

int command_export(int argc, char **argv)
{
	struct options options;
	int status = options_parse(&options, COMMAND_EXPORT, argc, argv) ? run(&options) : EXIT_TROUBLE;

	options_fini(&options);
	return status;
}
