/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames one after another, as captures have them: what is reported of the messages and of the RPCs in them keeps its promises, and
 * can be exported. RPC over RDMA with its chunk lists, multicast groups, everything that takes valid frames to reach.
 * Input: byte 0 chooses options, byte 1 the limit of memory; then frames, each preceded by two bytes: its length, and in the upper
 * four bits what becomes of it.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <rdmatap/tracker.h>

#include "output/export/export_tcp.h"
#include "reassembly/state.h"
#include "reassembly/tracker.h"
#include "reassembly/upper/rpc_layer.h"
#include "reassembly/upper/rpc_state.h"

#include "harness.h"

#define HEADER_LENGTH 2
/* One connection may exceed a small limit: by its largest ring of recent packets, which is 1 MiB, and by its structs. */
#define SLACK ((UINT64_C(1) << 20) + (UINT64_C(1) << 16))

/* Byte 0. */
enum { CHECKSUMS = 1, BYTES = 2, PAYLOAD = 4, EXPORT = 8, FILL_HOLES = 16, NO_FINISH = 32, NO_MESSAGES = 64 };
/* Of a frame. */
enum { IS_CUT = 0x8000, IS_LATE = 0x4000, COMES_TWICE = 0x2000, LENGTH = 0x0fff };

struct run {
	struct rtap_tracker *tracker;
	struct export_tcp *export;
	uint8_t options;
	uint64_t frames, messages, exchanges;
	int64_t time_ns;
	uLong read; /* so that all bytes are looked at */
};

static void check_missing(const struct rtap_missing *missing, uint32_t count, uint64_t length)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < count; i++) {
		REQUIRE(missing[i].reason < RTAP_MISSING_COUNT);
		REQUIRE(missing[i].offset >= end && missing[i].offset <= length && missing[i].length <= length - missing[i].offset);
		end = missing[i].offset + missing[i].length;
	}
}

static void check_message(void *owner, const struct rtap_message *message)
{
	struct run *run = owner;

	REQUIRE(message->number == ++run->messages);
	REQUIRE(message->first_frame >= 1 && message->first_frame <= message->last_frame && message->last_frame <= run->frames);
	REQUIRE(!message->complete || (!message->missing_count && message->length_known));
	REQUIRE(!message->partner || message->is_rpc);
	REQUIRE(!message->is_rpc || !message->has_crc || message->complete);
	check_missing(message->missing, message->missing_count, message->length);
	if (message->bytes.bytes)
		run->read = crc32_z(run->read, message->bytes.bytes, message->bytes.length);
	for (uint32_t i = 0; i < message->item_count; i++)
		REQUIRE(!message->items[i].name || *message->items[i].name);
}

static void check_part(struct run *run, const struct rpc_part *part, enum rpc_carrier carrier)
{
	uint64_t length = 0, holes = 0, elsewhere = 0, reported = 0, evicted = 0;

	if (!part->present)
		return;
	REQUIRE(part->first_frame >= 1 && part->first_frame <= part->last_frame && part->last_frame <= run->frames);
	for (uint32_t i = 0; i < part->extent_count; i++) {
		const struct xdr_extent *extent = &part->extents[i];

		length += extent->length;
		if (extent->kind == XDR_HOLE)
			holes += extent->length;
		if (extent->kind == XDR_ELSEWHERE && carrier != RPC_OVER_RDMA)
			elsewhere += extent->length;
		if (extent->kind == XDR_BYTES)
			run->read = crc32_z(run->read, extent->bytes, extent->length);
	}
	for (uint32_t i = 0; i < part->missing_count; i++)
		*(part->missing[i].reason == RTAP_MISSING_EVICTED ? &evicted : &reported) += part->missing[i].length;
	REQUIRE(length == part->length && holes == reported && elsewhere == evicted);
	REQUIRE(!part->complete || !part->missing_count);
	check_missing(part->missing, part->missing_count, part->length);
}

static void check_exchange(void *owner, const struct rpc_exchange *exchange)
{
	struct run *run = owner;
	struct rtap_error error;

	run->exchanges++;
	REQUIRE(exchange->call.present || exchange->reply.present);
	REQUIRE(!exchange->call.present || !exchange->reply.present || exchange->call.from_a != exchange->reply.from_a);
	check_part(run, &exchange->call, exchange->carrier);
	check_part(run, &exchange->reply, exchange->carrier);
	if (run->export)
		REQUIRE(export_tcp_exchange(run->export, exchange, &error) == RTAP_STATUS_OK);
}

static void give(struct run *run, const uint8_t *bytes, uint32_t length, uint32_t wire)
{
	/* a block of just this size: reading outside of it is seen */
	uint8_t *block = malloc(length ? length : 1);
	struct rtap_frame frame = {
		.bytes = block, .captured_length = length, .wire_length = wire, .link_type = RTAP_LINK_ETHERNET,
		.number = ++run->frames, .time_ns = run->time_ns,
	};
	struct rtap_packet packet;

	REQUIRE(block != NULL);
	if (length)
		memcpy(block, bytes, length);
	rtap_tracker_frame(run->tracker, &frame, &packet);
	for (uint8_t i = 0; i < packet.layer_count; i++) {
		const struct rtap_layer *layer = &packet.layers[i];

		REQUIRE(layer->source < packet.source_count);
		REQUIRE(layer->offset <= packet.sources[layer->source].captured &&
			layer->length <= packet.sources[layer->source].captured - layer->offset);
	}
	free(block);
	run->time_ns += 10000;
}

static void check_end(const struct run *run)
{
	const struct rtap_tracker *tracker = run->tracker;

	REQUIRE(tracker->budget.peak <= tracker->budget.limit + SLACK);
	if (run->options & NO_FINISH)
		return;
	/* the heap of deferred messages keeps its room */
	REQUIRE(tracker->messages.bytes == tracker->deferred.heap.room * sizeof *tracker->deferred.heap.items);
	const struct rpc_state *rpc = rpc_state_of(tracker);

	REQUIRE(!rpc->calls.count && !tracker->open_requests && !tracker->expectations.map.count);
	REQUIRE(!rpc->carriers.calls.count && !rpc->carriers.datagrams.count);
}

size_t input_part(const uint8_t *data, size_t size, size_t at)
{
	if (!at)
		return HEADER_LENGTH;
	return size - at < 2 ? 2 : 2 + ((size_t)(data[at] << 8 | data[at + 1]) & LENGTH);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEADER_LENGTH || size > 1 << 17)
		return 0;

	struct run run = { .options = data[0], .time_ns = INT64_C(1700000000000000000) };
	struct rtap_tracker_options options = {
		.size = sizeof options,
		.max_memory = UINT64_C(4096) << data[1] % 16,
		.bytes = data[0] & BYTES, .checksums = data[0] & CHECKSUMS, .owner = &run,
	};
	struct rtap_error error;

	if (!(data[0] & NO_MESSAGES))
		options.message = check_message;
	REQUIRE(rtap_tracker_open(&run.tracker, &options, NULL) == RTAP_STATUS_OK);
	if (data[0] & EXPORT) {
		rpc_layer_report_exchanges(run.tracker, check_exchange, &run, data[0] & PAYLOAD);
		REQUIRE(export_tcp_open(&run.export, "/dev/null", data[0] & FILL_HOLES, 1 << 16, &error) == RTAP_STATUS_OK);
	}
	for (size_t at = HEADER_LENGTH; at + 2 <= size;) {
		uint32_t head = (uint32_t)data[at] << 8 | data[at + 1], length = head & LENGTH;

		at += 2;
		if (length > size - at)
			length = (uint32_t)(size - at);
		if (head & IS_LATE)
			run.time_ns += INT64_C(1000000000);
		give(&run, data + at, length, head & IS_CUT ? length + 100 : length);
		if (head & COMES_TWICE)
			give(&run, data + at, length, length);
		at += length;
	}
	if (!(data[0] & NO_FINISH))
		rtap_tracker_finish(run.tracker);
	check_end(&run);
	rtap_tracker_close(run.tracker);
	REQUIRE(export_tcp_close(run.export, NULL, &error) == RTAP_STATUS_OK);
	return 0;
}
