/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC over UDP and TCP as messages and connections of the tracker.
 */
#include "config.h"

#include <criterion/criterion.h>

#include <rdmatap/tracker.h>

#include "reassembly/state.h"
#include "tests/rpc_kit.h"

#define MOST_REPORTED 64
#define NFS 100003
#define MIB (UINT64_C(1) << 20)
#define MILLISECOND INT64_C(1000000)

/* As reported, without borrowed data. */
static struct rtap_message reported[MOST_REPORTED];
static struct rtap_missing missing[MOST_REPORTED];
static struct rtap_item operations[MOST_REPORTED];
static uint8_t bytes[MOST_REPORTED][64];
static struct rtap_connection connections[MOST_REPORTED];
static unsigned reported_count, connection_count;
static struct rtap_tracker *tracker;
static uint64_t frames, wanted_frame;
static struct rtap_packet packet;

static void take_message(void *owner, const struct rtap_message *message)
{
	unsigned at = reported_count++ % MOST_REPORTED;

	(void)owner;
	cr_assert_eq(message->number, reported_count);
	cr_assert(!message->complete || !message->missing_count);
	reported[at] = *message;
	missing[at] = message->missing_count ? message->missing[0] : (struct rtap_missing){ 0 };
	operations[at] = message->item_count ? message->items[0] : (struct rtap_item){ 0 };
	if (message->bytes.length <= sizeof bytes[0])
		memcpy(bytes[at], message->bytes.bytes ? message->bytes.bytes : (const uint8_t *)"", message->bytes.length);
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	(void)owner;
	connections[connection_count++ % MOST_REPORTED] = *connection;
}

static bool is_wanted(void *owner, const struct rtap_packet *about)
{
	(void)owner;
	return about->frame->number == wanted_frame;
}

static void begin(uint64_t memory, bool with_bytes)
{
	const struct rtap_tracker_options options = {
		.size = sizeof options,
		.max_memory = memory, .bytes = with_bytes, .checksums = with_bytes,
		.message = take_message, .connection = take_connection, .wanted = is_wanted,
	};

	reported_count = connection_count = 0;
	frames = 0;
	cr_assert_eq(rtap_tracker_open(&tracker, &options, NULL), RTAP_STATUS_OK);
}

static void give(const struct said *said)
{
	uint8_t whole[SAID_ROOM];
	uint32_t length = said_frame(whole, said);
	uint8_t *block = malloc(length);
	struct rtap_frame frame = {
		.bytes = block, .captured_length = length - said->cut, .wire_length = length, .link_type = RTAP_LINK_RAW,
		.number = frames + 1, .time_ns = (int64_t)(frames + 1) * MILLISECOND,
	};

	frames++;
	memcpy(block, whole, length);
	rtap_tracker_frame(tracker, &frame, &packet);
	free(block);
}

static void give_all(const struct said *said, size_t count)
{
	for (size_t i = 0; i < count; i++)
		give(&said[i]);
}

#define GIVE(array) give_all(array, sizeof(array) / sizeof((array)[0]))

static void end(void)
{
	rtap_tracker_finish(tracker);
	rtap_tracker_close(tracker);
}

static const struct said mount_over_udp[] = {
	{ UDP, false, 700, 40001, .words = { CALL_OF(0x11, MOUNT, 3, 1), 4, 0x2f737276 }, .count = 12 },
	{ UDP, false, 700, 40001, .words = { CALL_OF(0x11, MOUNT, 3, 1), 4, 0x2f737276 }, .count = 12 },
	{ UDP, true, 700, 40001, .words = { REPLY_TO(0x11), 13 }, .count = 7 },
	{ UDP, true, 700, 40001, .words = { REPLY_TO(0x11), 13 }, .count = 7 },
	{ UDP, false, 700, 40001, .words = { CALL_OF(0x11, MOUNT, 3, 1), 4, 0x2f737276 }, .count = 12 },
};

TestSuite(rpc_socket, .timeout = HANG_SECONDS);

Test(rpc_socket, a_call_over_udp_and_its_reply_are_messages_of_a_connection)
{
	begin(MIB, true);
	GIVE(mount_over_udp);
	end();
	cr_assert_eq(reported_count, 4);
	cr_expect_eq(reported[0].kind, RTAP_KIND_RPC_CALL);
	cr_expect(reported[0].is_rpc && reported[0].complete && reported[0].from_a && reported[0].has_crc);
	cr_expect_eq(reported[0].xid, 0x11);
	cr_expect_eq(reported[0].program, MOUNT);
	cr_expect_eq(reported[0].length, 48);
	cr_expect_eq(reported[0].bytes.length, 48);
	cr_expect_arr_eq(bytes[0] + 44, "/srv", 4);
	cr_expect_eq(reported[0].repeats, 1, "once before its reply");
	cr_expect_eq(reported[0].partner, 2);
	cr_expect_str_eq(operations[0].name, "MNT");
	cr_expect_eq(reported[1].kind, RTAP_KIND_RPC_REPLY);
	cr_expect_eq(reported[1].partner, 1);
	cr_expect_not(reported[1].from_a);
	cr_expect_eq(reported[1].latency_ns, 2 * MILLISECOND);
	cr_expect(reported[1].has_status);
	cr_expect_eq(reported[1].status, 13);
	cr_expect_eq(reported[1].procedure, 1);
	/* a repeated reply belongs to no pending call */
	cr_expect_eq(reported[2].kind, RTAP_KIND_RPC_REPLY);
	cr_expect_eq(reported[2].repeats, 1);
	cr_expect_eq(reported[2].partner, 0);
	cr_expect_eq(reported[2].program, MOUNT);
	cr_expect_eq(reported[3].kind, RTAP_KIND_RPC_CALL);
	cr_expect_eq(reported[3].repeats, 2);
	cr_assert_eq(connection_count, 1);
	cr_expect_eq(connections[0].transport, RTAP_TRANSPORT_UDP);
	cr_expect_eq(connections[0].a.port, 700);
	cr_expect_eq(connections[0].b.port, 40001);
	cr_expect_eq(connections[0].service_id, 0x1110000u | 40001);
	cr_expect_eq(connections[0].packets, 5);
	cr_expect_eq(connections[0].messages, 4);
	cr_expect_eq(connections[0].last_frame, 5);
}

/* The call is in two segments with other data between them; the segments of the reply arrive in the wrong order, and repeatedly. */
static const struct said over_tcp[] = {
	{ TCP, false, 900, 2049, 0x02, 0xffffffef, 0, .count = 0 },
	{ TCP, true, 900, 2049, 0x12, 499, 0xfffffff0, .count = 0 },
	{ TCP, false, 900, 2049, 0x10, 0xfffffff0, 500, .words = { LAST | 48, 3, 0, 2, MOUNT, 3 }, .count = 6 },
	{ UDP, false, 700, 111, .words = { CALL_OF(7, 100000, 2, 0) }, .count = 10 },
	{ UDP, true, 700, 111, .words = { REPLY_TO(7) }, .count = 6 },
	{ TCP, false, 900, 2049, 0x10, 8, 500, .words = { 1, 0, 0, 0, 0, 4, 0x2f737276 }, .count = 7 },
	{ TCP, true, 900, 2049, 0x10, 512, 36, .words = { 0, 0, 0, 0, 13 }, .count = 5 },
	{ TCP, true, 900, 2049, 0x10, 500, 36, .words = { LAST | 28, 3, 1 }, .count = 3 },
	{ TCP, true, 900, 2049, 0x10, 500, 36, .words = { LAST | 28, 3, 1, 0 }, .count = 4 },
	{ TCP, false, 900, 2049, 0x11, 36, 532, .count = 0 },
	{ TCP, true, 900, 2049, 0x11, 532, 37, .count = 0 },
};

Test(rpc_socket, a_record_of_several_segments_keeps_its_place_among_the_messages)
{
	begin(MIB, true);
	wanted_frame = 3;
	GIVE(over_tcp);
	end();
	wanted_frame = 0;
	cr_assert_eq(reported_count, 4);
	cr_expect_eq(reported[0].xid, 3);
	cr_expect_eq(reported[0].first_frame, 3);
	cr_expect_eq(reported[0].last_frame, 6);
	cr_expect_eq(reported[0].partner, 4);
	cr_expect(reported[0].wanted, "its first segment was");
	cr_expect_arr_eq(bytes[0] + 44, "/srv", 4);
	cr_expect_eq(reported[1].xid, 7);
	cr_expect_eq(reported[1].first_frame, 4);
	cr_expect_eq(reported[1].partner, 3);
	cr_expect_not(reported[1].wanted);
	cr_expect_eq(reported[3].kind, RTAP_KIND_RPC_REPLY);
	cr_expect(reported[3].complete);
	cr_expect_eq(reported[3].length, 28);
	cr_expect_eq(reported[3].first_frame, 7, "captured before the segment with its first byte");
	cr_expect_eq(reported[3].last_frame, 8);
	cr_expect_eq(reported[3].status, 13);
	cr_assert_eq(connection_count, 2);
	cr_expect_eq(connections[0].transport, RTAP_TRANSPORT_TCP);
	cr_expect_eq(connections[0].first_frame, 1);
	cr_expect_eq(connections[0].last_frame, 11);
	cr_expect_eq(connections[0].anomaly_counts[RTAP_CONNECTION_ANOMALY_OUT_OF_ORDER], 1);
	cr_expect_eq(connections[0].anomaly_counts[RTAP_CONNECTION_ANOMALY_RETRANSMISSION], 1);
	cr_expect_eq(connections[1].transport, RTAP_TRANSPORT_UDP);
}

static const struct said with_a_hole[] = {
	{ TCP, false, 900, 2049, 0x02, 99, 0, .count = 0 },
	{ TCP, true, 900, 2049, 0x12, 499, 100, .count = 0 },
	{ TCP, false, 900, 2049, 0x10, 100, 500, .words = { LAST | 40, CALL_OF(1, NFS, 3, 0) }, .count = 11 },
	{ TCP, true, 900, 2049, 0x10, 500, 144, .words = { LAST | 64, REPLY_TO(1), 5, 5 }, .count = 9 },
	{ TCP, true, 900, 2049, 0x10, 552, 144, .words = { 5, 5, 5, 5 }, .count = 4 },
	{ TCP, false, 900, 2049, 0x11, 144, 568, .count = 0 },
	{ TCP, true, 900, 2049, 0x11, 568, 145, .count = 0 },
};

/* The header of the call is truncated: only its mark shows where the next one begins. */
static const struct said cut_off[] = {
	{ TCP, false, 900, 2049, 0x02, 99, 0, .count = 0 },
	{ TCP, true, 900, 2049, 0x12, 499, 100, .count = 0 },
	{ TCP, false, 900, 2049, 0x10, 100, 500, .cut = 26, .words = { LAST | 40, CALL_OF(1, NFS, 3, 0) }, .count = 11 },
	{ TCP, true, 900, 2049, 0x10, 500, 144, .cut = 8, .words = { LAST | 24, REPLY_TO(1) }, .count = 7 },
	{ TCP, false, 900, 2049, 0x10, 144, 528, .words = { LAST | 40, CALL_OF(2, NFS, 3, 0) }, .count = 11 },
	{ TCP, true, 900, 2049, 0x10, 528, 188, .words = { LAST | 24, REPLY_TO(2) }, .count = 7 },
};

static const struct {
	const char *what;
	const struct said *said;
	size_t count;
	unsigned messages, incomplete; /* index of one */
	struct rtap_missing missing;
} holes[] = {
	{ "a segment that was not captured", with_a_hole, sizeof with_a_hole / sizeof with_a_hole[0], 2, 1,
	  { 32, 32, true, RTAP_MISSING_NOT_CAPTURED } },
	{ "a call that was cut off", cut_off, sizeof cut_off / sizeof cut_off[0], 4, 0, { 14, 26, true, RTAP_MISSING_SNAPPED } },
	{ "a reply that was cut off", cut_off, sizeof cut_off / sizeof cut_off[0], 4, 1, { 16, 8, true, RTAP_MISSING_SNAPPED } },
};

Test(rpc_socket, missing_bytes_are_reported_with_their_reason)
{
	for (size_t i = 0; i < sizeof holes / sizeof holes[0]; i++) {
		const struct rtap_missing *found = &missing[holes[i].incomplete], *expected = &holes[i].missing;

		begin(MIB, true);
		give_all(holes[i].said, holes[i].count);
		end();
		cr_assert_eq(reported_count, holes[i].messages, "%s: %u", holes[i].what, reported_count);
		cr_expect(!reported[holes[i].incomplete].complete && !reported[holes[i].incomplete].has_crc, "%s", holes[i].what);
		cr_expect_eq(found->offset, expected->offset, "%s", holes[i].what);
		cr_expect_eq(found->length, expected->length, "%s", holes[i].what);
		cr_expect_eq(found->reason, expected->reason, "%s", holes[i].what);
		cr_expect_eq(reported[0].partner, 2, "%s", holes[i].what);
		cr_expect_eq(reported[1].partner, 1, "%s", holes[i].what);
	}
}

Test(rpc_socket, a_stream_that_begins_with_something_else_is_given_up)
{
	static const struct said said[] = {
		{ TCP, false, 900, 80, 0x02, 0, 0, .count = 0 },
		{ TCP, true, 900, 80, 0x12, 0, 1, .count = 0 },
		{ TCP, false, 900, 80, 0x10, 1, 1,
		  .words = { 0x47455420, 0x2f204854, 0x54502f31, 0x2e310d0a, 0x0d0a0d0a, 1, 2, 3, 4, 5, 6 }, .count = 11 },
		{ TCP, false, 900, 80, 0x10, 45, 1, .words = { LAST | 40, CALL_OF(1, NFS, 3, 0) }, .count = 11 },
	};

	begin(MIB, false);
	GIVE(said);
	end();
	cr_expect_eq(reported_count, 0);
	cr_expect_eq(connection_count, 0);
}

Test(rpc_socket, packets_know_their_connection_and_replies_their_call)
{
	begin(MIB, false);
	give(&over_tcp[0]);
	cr_expect_not(packet.flow.present);
	give(&over_tcp[1]);
	give(&over_tcp[2]);
	cr_expect(packet.flow.present && packet.flow.beside_rdma && packet.flow.from_a);
	cr_expect_eq(packet.flow.connection, 1);
	give(&over_tcp[3]);
	cr_expect_eq(packet.flow.connection, 2);
	give(&over_tcp[4]);
	cr_expect_not(packet.flow.from_a);
	cr_expect(packet.rpc.present && packet.rpc.program_known);
	cr_expect_eq(packet.rpc.program, 100000);
	cr_expect_eq(packet.rpc.call_frame, 4);
	end();
}

/* Memory of answered calls can be evicted for others. */
Test(rpc_socket, many_answered_calls_fit_into_little_memory)
{
	struct said call = { TCP, false, 900, 2049, 0x10, 1, 1, .words = { LAST | 40, CALL_OF(0, NFS, 3, 0) }, .count = 11 };
	struct said reply = { TCP, true, 900, 2049, 0x10, 1, 45, .words = { LAST | 24, REPLY_TO(0) }, .count = 7 };

	begin(40000, false);
	for (uint32_t xid = 1; xid <= 500; xid++, call.seq += 44, call.ack += 28, reply.seq += 28, reply.ack += 44) {
		call.words[1] = reply.words[1] = xid;
		call.port = reply.port = (uint16_t)(900 + xid / 100);
		give(&call);
		give(&reply);
	}
	end();
	cr_expect_eq(reported_count, 1000);
}

/* With random changes: numbers and order are correct, and all memory is freed (sanitizers check it). */
Test(rpc_socket, damaged_packets_and_little_memory_do_no_harm)
{
	static const struct {
		const struct said *said;
		size_t count;
	} inputs[] = {
		{ mount_over_udp, sizeof mount_over_udp / sizeof mount_over_udp[0] },
		{ over_tcp, sizeof over_tcp / sizeof over_tcp[0] },
		{ with_a_hole, sizeof with_a_hole / sizeof with_a_hole[0] },
		{ cut_off, sizeof cut_off / sizeof cut_off[0] },
	};
	static const uint64_t limits[] = { 0, 3000, 12000, MIB };
	uint32_t random = 1;

	for (uint32_t round = 0; round < 4000; round++) {
		begin(limits[round % 4], round & 4);
		for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
			for (size_t j = 0; j < inputs[i].count; j++) {
				struct said said = inputs[i].said[j];

				random = random * 1664525 + 1013904223;
				if (said.count && random >> 30 == 0)
					said.words[(random >> 8) % said.count] ^= 1u << (random >> 16) % 32;
				if (said.count && random >> 28 == 15)
					said.cut = (random >> 8) % (4 * said.count);
				if (random >> 27 != 14)
					give(&said);
			}
		}
		if (round & 8)
			rtap_tracker_finish(tracker);
		rtap_tracker_close(tracker);
	}
}
