/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap export --trace: writes a capture as trace events.
 */
#include "config.h"

#include <rdmatap/tracker.h>

#include "cli/print_error.h"
#include "cli/reader.h"
#include "cli/trace.h"
#include "dissect/engine/protocol.h"
#include "output/export/export_trace.h"

struct tracing {
	struct reader reader;
	struct rtap_tracker *tracker;
	struct export_trace *trace;
};

static void take_message(void *owner, const struct rtap_message *message)
{
	struct tracing *tracing = owner;

	export_trace_message(tracing->trace, message);
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	struct tracing *tracing = owner;

	export_trace_connection(tracing->trace, connection);
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct tracing *tracing = owner;

	export_trace_operation(tracing->trace, operation);
}

static void merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	struct tracing *tracing = owner;

	(void)turned;
	export_trace_merge(tracing->trace, from, into);
}

static void take(void *owner, struct rtap_frame *frame)
{
	struct tracing *tracing = owner;
	struct congestion_pause pause;
	const struct rtap_packet *packet;

	export_trace_begin(tracing->trace, frame->time_ns);
	packet = reader_packet(&tracing->reader, frame);
	export_trace_packet(tracing->trace, packet);
	if (packet_has(packet, PROTOCOL_MAC_CONTROL) && congestion_pause_of(packet, &pause)) {
		pause.bits_per_second = reader_link_speed(&tracing->reader, packet->frame);
		export_trace_pause(tracing->trace, &pause);
	}
	reader_count(&tracing->reader, packet);
	if (export_trace_failed(tracing->trace))
		tracing->reader.stop = true;
}

static bool open_all(struct tracing *tracing, const struct options *options)
{
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking, .max_memory = options->max_memory, .give_up_ns = options->give_up_ns, .dissect = &options->dissect,
		.message = take_message, .connection = take_connection, .operation = take_operation, .merged = merge, .owner = tracing,
	};
	struct rtap_error error;

	if (export_trace_open(&tracing->trace, options->trace, &error) == RTAP_STATUS_OK &&
	    rtap_tracker_open(&tracing->tracker, &tracking, &error) == RTAP_STATUS_OK)
		return true;
	reader_fail(&tracing->reader, &error);
	return false;
}

int trace_run(const struct options *options)
{
	struct tracing tracing = { .tracker = NULL };
	struct reader *reader = &tracing.reader;
	struct rtap_error error;

	if (!reader_open(reader, options)) {
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
	} else if (open_all(&tracing, options)) {
		finishes_files = 1;
		reader_run(reader, tracing.tracker, take, &tracing);
		rtap_tracker_finish(tracing.tracker);
		reader_report(reader, tracing.tracker);
	}
	rtap_tracker_close(tracing.tracker);
	if (export_trace_close(tracing.trace, &error) != RTAP_STATUS_OK && error.code != RTAP_ERROR_CLOSED)
		reader_fail(reader, &error);
	reader_close(reader);
	return reader->status;
}
