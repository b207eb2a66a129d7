/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints the latency of every NFS READ over RDMA in a capture, and what they amount to: messages by callback, statistics.
 *
 *	cc nfs-read-latencies.c $(pkg-config --cflags --libs rdmatap) -o nfs-read-latencies
 *	./nfs-read-latencies FILE...
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/rdmatap.h>

#define NFS_PROGRAM 100003
#define MEMORY (UINT64_C(256) << 20)

static bool is_read(const struct rtap_message *message)
{
	if (!message->is_rpc || !message->program_known || message->program != NFS_PROGRAM)
		return false;
	for (uint32_t i = 0; i < message->item_count; i++)
		if (message->items[i].name && !strcmp(message->items[i].name, "READ"))
			return true;
	return false;
}

/* Of a call and its reply, the reply has the latency. */
static void take_message(void *owner, const struct rtap_message *message)
{
	if (message->kind == RTAP_KIND_RPC_REPLY && message->has_latency && is_read(message))
		printf("frame %" PRIu64 ": %.3f us, %" PRIu64 " bytes%s\n", message->last_frame, (double)message->latency_ns / 1e3,
		       message->length, message->complete ? "" : " (incomplete)");
	rtap_stats_message(owner, message);
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	rtap_stats_operation(owner, operation);
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	rtap_stats_connection(owner, connection);
}

static void merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	rtap_stats_merged(owner, from, into, turned);
}

static void print_summary(const struct rtap_stats *stats)
{
	struct rtap_stats_rpc rpc;

	for (size_t i = 0; rtap_stats_rpc(stats, i, &rpc, sizeof rpc); i++)
		if (rpc.program == NFS_PROGRAM && rpc.name && !strcmp(rpc.name, "READ"))
			printf("NFSv%" PRIu32 ": %" PRIu64 " READs, latency least %.3f us, median %.3f us, largest %.3f us\n", rpc.version,
			       rpc.calls, (double)rpc.latency_ns.least / 1e3, (double)rpc.latency_ns.median / 1e3,
			       (double)rpc.latency_ns.largest / 1e3);
}

static enum rtap_status read_all(struct rtap_source *source, struct rtap_tracker *tracker, struct rtap_stats *stats,
				 struct rtap_error *error)
{
	const struct rtap_frame *frame;
	struct rtap_packet *packet;
	enum rtap_status status = rtap_packet_open(&packet, NULL, error);

	while (status == RTAP_STATUS_OK && (status = rtap_source_read_frame(source, &frame, error)) == RTAP_STATUS_OK) {
		rtap_tracker_frame(tracker, frame, packet);
		rtap_stats_packet(stats, packet);
	}
	rtap_packet_close(packet);
	rtap_tracker_finish(tracker);
	return status;
}

int main(int argc, char **argv)
{
	struct rtap_stats_options counting = { .size = sizeof counting, .max_memory = MEMORY / 8 };
	struct rtap_tracker_options options = {
		.size = sizeof options,
		.max_memory = MEMORY,
		.message = take_message,
		.operation = take_operation,
		.cheap_operations = true,
		.connection = take_connection,
		.merged = merge,
	};
	struct rtap_stats *stats = NULL;
	struct rtap_tracker *tracker = NULL;
	struct rtap_source *source = NULL;
	struct rtap_error error;
	enum rtap_status status = RTAP_STATUS_FAILED;

	if (argc < 2)
		rtap_error_set(&error, RTAP_ERROR_INVALID, "usage: nfs-read-latencies FILE...");
	else
		status = rtap_stats_open(&stats, &counting, &error);
	options.owner = stats;
	if (status == RTAP_STATUS_OK)
		status = rtap_tracker_open(&tracker, &options, &error);
	if (status == RTAP_STATUS_OK)
		status = rtap_source_open_files(&source, (const char *const *)argv + 1, (size_t)argc - 1, &error);
	if (status == RTAP_STATUS_OK)
		status = read_all(source, tracker, stats, &error);
	if (status == RTAP_STATUS_END)
		print_summary(stats);
	else
		fprintf(stderr, "nfs-read-latencies: %s\n", error.text);
	rtap_source_close(source);
	rtap_tracker_close(tracker);
	rtap_stats_close(stats);
	return status == RTAP_STATUS_END ? EXIT_SUCCESS : EXIT_FAILURE;
}
