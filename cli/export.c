/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap export: what the RPC messages said, in forms that other tools read.
 */
#include "config.h"

#include <inttypes.h>

#include <rdmatap/tracker.h>

#include "cli/reader.h"
#include "output/export_tcp.h"

struct exporting {
	struct reader reader;
	struct rtap_tracker *tracker;
	struct export_tcp *tcp;
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

	if (!exporting->failed && export_tcp_exchange(exporting->tcp, exchange, &error) != RTAP_STATUS_OK)
		fail(exporting, &error);
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

static void finish(struct exporting *exporting)
{
	const struct options *options = exporting->reader.options;
	struct export_tcp_counters counters;
	struct rtap_error error;
	bool failed = exporting->failed;

	if (export_tcp_close(exporting->tcp, &counters, &error) != RTAP_STATUS_OK && !failed)
		fail(exporting, &error);
	exporting->tcp = NULL;
	report_tcp(&counters, options->verbose);
}

/* A quarter of the memory is for messages that wait for their turn. */
static bool open_all(struct exporting *exporting, const struct options *options)
{
	uint64_t waiting = options->max_memory / 4;
	struct rtap_tracker_options tracking = {
		.max_memory = options->max_memory - waiting, .context = options->context, .exchange = take_exchange, .payload = true,
		.owner = exporting,
	};
	struct rtap_error error;

	tracking.context.decode_as = options->decode_as;
	if (!reader_open(&exporting->reader, options)) {
		exporting->reader.status = interrupted ? EXIT_DONE : EXIT_TROUBLE;
		return false;
	}
	if (export_tcp_open(&exporting->tcp, options->write_name, options->fill_holes, waiting, &error) != RTAP_STATUS_OK) {
		reader_fail(&exporting->reader, &error);
		return false;
	}
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
		finish(&exporting);
		report_trouble(reader->source, &reader->tally);
		if (options->verbose)
			report_all(reader->source, &reader->tally);
		report_tracker(exporting.tracker, true, options->verbose);
	}
	rtap_tracker_close(exporting.tracker);
	if (export_tcp_close(exporting.tcp, NULL, NULL) != RTAP_STATUS_OK)
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
