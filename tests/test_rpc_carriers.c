/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC over UDP and TCP: calls and replies out of packets.
 */
#include "config.h"

#include <criterion/criterion.h>

#include "reassembly/upper/rpc_carriers.h"
#include "reassembly/upper/rpc_conversation.h"
#include "tests/frame_kit.h"
#include "tests/rpc_kit.h"

#define MOST_REPORTED 64

/* Exchanges as reported, without borrowed data. */
static struct rpc_exchange reported[MOST_REPORTED];
static struct rtap_missing missing[MOST_REPORTED];
static uint8_t call_bytes[MOST_REPORTED][256];
static unsigned reported_count;
static uint64_t numbers, disconnected;
static bool opened_by_a;
static struct budget budget;
static struct rpc_carriers carriers;
static struct tcp_streams streams;
static uint64_t frames;

static uint64_t connect_stream(void *owner, struct rpc_conversation *conversation, bool a, uint64_t frame, int64_t time_ns)
{
	cr_assert_eq(owner, &numbers);
	cr_expect(conversation && frame && frame <= frames && time_ns);
	opened_by_a = a;
	return ++numbers;
}

static void disconnect_stream(void *owner, struct rpc_conversation *conversation)
{
	cr_assert_eq(owner, &numbers);
	cr_expect(conversation);
	disconnected++;
}

static void take_exchange(void *owner, const struct rpc_exchange *exchange)
{
	const struct rpc_part *part = exchange->call.missing_count ? &exchange->call : &exchange->reply;
	unsigned at = reported_count++ % MOST_REPORTED;

	cr_assert_eq(owner, &numbers);
	reported[at] = *exchange;
	missing[at] = part->missing_count ? part->missing[0] : (struct rtap_missing){ 0 };
	if (exchange->call.present && exchange->call.extents[0].length <= 256)
		memcpy(call_bytes[at], exchange->call.extents[0].bytes, exchange->call.extents[0].length);
}

/* All data of TCP connections is passed to the module. */
static void begin_stream(void *owner, struct tcp_connection *connection, const struct rtap_packet *packet)
{
	(void)owner;
	connection->user = rpc_carriers_begin(&carriers, connection, packet->frame);
}

static void give_life(void *owner, struct tcp_connection *connection, bool from_a, enum tcp_life life, const struct rtap_packet *packet)
{
	(void)owner;
	(void)packet;
	rpc_carriers_life(connection->user, from_a, life);
}

static void give_bytes(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_bytes *bytes)
{
	(void)owner;
	rpc_carriers_bytes(connection->user, from_a, bytes);
}

static void give_hole(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_hole *hole)
{
	(void)owner;
	rpc_carriers_hole(connection->user, from_a, hole);
}

static void end_stream(void *owner, struct tcp_connection *connection, enum tcp_end reason)
{
	(void)owner;
	(void)reason;
	rpc_carriers_end(connection->user);
}

static void begin(uint64_t memory, bool no_heuristics)
{
	const struct tcp_stream_user stream_user = { NULL, begin_stream, give_life, give_bytes, give_hole, end_stream, NULL };
	const struct rpc_carriers_user user = { .owner = &numbers, .exchange = take_exchange, .connect = connect_stream,
						.disconnect = disconnect_stream };

	reported_count = 0;
	numbers = frames = disconnected = 0;
	budget_init(&budget, memory);
	rpc_carriers_init(&carriers, &budget, &user, no_heuristics);
	tcp_streams_init(&streams, &budget, &stream_user);
}

static void end(void)
{
	tcp_streams_flush(&streams);
	rpc_carriers_flush(&carriers);
	tcp_streams_fini(&streams);
	rpc_carriers_fini(&carriers);
	cr_expect_eq(budget.used, 0);
	cr_expect_eq(disconnected, numbers);
}

static void give(const struct said *said)
{
	uint8_t frame[SAID_ROOM];
	uint32_t length = said_frame(frame, said);
	struct rtap_context context = { 0 };
	struct kit kit;
	bool from_a;

	kit_dissect(&kit, RTAP_LINK_RAW, frame, length - said->cut, length, NULL);
	kit.frame.number = ++frames;
	kit.frame.time_ns = (int64_t)frames * 1000000;
	if (kit.packet.tcp.present)
		tcp_stream_segment(&streams, &kit.packet, &(struct tcp_segment_facts){ 0 });
	else
		rpc_carriers_datagram(&carriers, &kit.packet, &from_a, &context);
	kit_free(&kit);
}

static void give_all(const struct said *said, size_t count)
{
	for (size_t i = 0; i < count; i++)
		give(&said[i]);
}

#define GIVE(array) give_all(array, sizeof(array) / sizeof((array)[0]))

static const struct said mount_over_udp[] = {
	{ UDP, false, 700, 40001, .words = { CALL_OF(0x11, MOUNT, 3, 1), 4, 0x2f737276 }, .count = 12 },
	{ UDP, false, 700, 40001, .words = { CALL_OF(0x11, MOUNT, 3, 1), 4, 0x2f737276 }, .count = 12 },
	{ UDP, true, 700, 40001, .words = { REPLY_TO(0x11), 13 }, .count = 7 },
	{ UDP, true, 700, 40001, .words = { REPLY_TO(0x11), 13 }, .count = 7 },
	{ UDP, false, 700, 40001, .words = { CALL_OF(0x11, MOUNT, 3, 1), 4, 0x2f737276 }, .count = 12 },
};

TestSuite(rpc_carriers, .timeout = HANG_SECONDS);

Test(rpc_carriers, a_call_over_udp_meets_its_reply_and_repeats_are_counted)
{
	begin(1 << 20, false);
	GIVE(mount_over_udp);
	cr_assert_eq(reported_count, 1);
	cr_expect_eq(reported[0].carrier, RPC_OVER_UDP);
	cr_expect_eq(reported[0].stream, 1);
	cr_expect_eq(reported[0].client.address[3], 1);
	cr_expect_eq(reported[0].server.address[3], 2);
	cr_expect_eq(reported[0].client_port, 700);
	cr_expect_eq(reported[0].server_port, 40001);
	cr_expect_not(reported[0].reverse);
	cr_expect_eq(reported[0].xid, 0x11);
	cr_expect_eq(reported[0].call_repeats, 1);
	cr_expect(reported[0].call.present && reported[0].call.complete && reported[0].reply.present && reported[0].reply.complete);
	cr_expect_eq(reported[0].call.length, 48);
	cr_expect_arr_eq(call_bytes[0] + 44, "/srv", 4);
	cr_expect_eq(reported[0].call.first_frame, 1);
	cr_expect_eq(reported[0].reply.time_end_ns, 3000000);
	cr_expect_eq(reported[0].reply.facts.program, MOUNT);
	cr_expect_eq(reported[0].reply.facts.procedure, 1);
	cr_expect_eq(carriers.repeats, 3);
	end();
	cr_expect_eq(reported_count, 1);
}

static const struct {
	const char *what;
	bool no_heuristics;
	struct said said;
	unsigned exchanges; /* also with a flush after it */
} datagrams[] = {
	{ "a call by content", false, { UDP, false, 700, 40001, .words = { CALL_OF(1, MOUNT, 3, 0) }, .count = 10 }, 1 },
	{ "a call that may not be guessed", true, { UDP, false, 700, 40001, .words = { CALL_OF(1, MOUNT, 3, 0) }, .count = 10 }, 0 },
	{ "a call to a port", true, { UDP, false, 700, 111, .words = { CALL_OF(1, 100000, 2, 0) }, .count = 10 }, 1 },
	{ "a reply to nobody", false, { UDP, true, 700, 40001, .words = { REPLY_TO(1) }, .count = 6 }, 0 },
	{ "a reply to nobody from a port", false, { UDP, true, 700, 111, .words = { REPLY_TO(1) }, .count = 6 }, 1 },
	{ "something else", false, { UDP, false, 700, 40001, .words = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, .count = 10 }, 0 },
	{ "nothing", false, { UDP, false, 700, 111, .count = 0 }, 0 },
	{ "a call cut off", false, { UDP, false, 700, 111, .cut = 8, .words = { CALL_OF(1, MOUNT, 3, 1), 4, 5 }, .count = 12 }, 1 },
};

/* Both ends call with the same XID at the same time. */
static const struct said crossing[] = {
	{ UDP, false, 700, 111, .words = { CALL_OF(7, 100000, 2, 3) }, .count = 10 },
	{ UDP, true, 700, 111, .words = { CALL_OF(7, 100000, 2, 3) }, .count = 10 },
	{ UDP, false, 700, 111, .words = { REPLY_TO(7) }, .count = 6 },
	{ UDP, true, 700, 111, .words = { REPLY_TO(7), 0 }, .count = 7 },
};

Test(rpc_carriers, calls_that_cross_are_not_taken_for_each_other)
{
	begin(1 << 20, false);
	GIVE(crossing);
	cr_assert_eq(reported_count, 2);
	cr_expect_eq(reported[0].client.address[3], 2);
	cr_expect_eq(reported[0].call.first_frame, 2);
	cr_expect_eq(reported[0].reply.first_frame, 3);
	cr_expect_eq(reported[1].client.address[3], 1);
	cr_expect_eq(reported[1].call.first_frame, 1);
	cr_expect_eq(reported[1].reply.first_frame, 4);
	cr_expect_eq(carriers.repeats, 0);
	end();
}

Test(rpc_carriers, datagrams_are_recognised_by_port_content_and_call)
{
	for (size_t i = 0; i < sizeof datagrams / sizeof datagrams[0]; i++) {
		begin(1 << 20, datagrams[i].no_heuristics);
		give(&datagrams[i].said);
		end();
		cr_expect_eq(reported_count, datagrams[i].exchanges, "%s: %u", datagrams[i].what, reported_count);
		if (reported_count && datagrams[i].said.cut) {
			cr_expect_not(reported[0].call.complete);
			cr_expect_eq(reported[0].call.length, 48);
			cr_expect_eq(missing[0].offset, 40);
			cr_expect_eq(missing[0].length, 8);
			cr_expect_eq(missing[0].reason, RTAP_MISSING_SNAPPED);
		}
	}
}

/* Reused XIDs. */
static const struct said used_again[] = {
	{ UDP, false, 700, 111, .words = { CALL_OF(7, 100000, 2, 3), 1, 2, 3, 4 }, .count = 14 },
	{ UDP, false, 700, 111, .words = { CALL_OF(7, 100000, 2, 4) }, .count = 10 },
	{ UDP, true, 700, 111, .words = { REPLY_TO(7), 0 }, .count = 7 },
	{ UDP, true, 700, 111, .words = { CALL_OF(7, 100000, 2, 0) }, .count = 10 },
	{ UDP, false, 700, 111, .words = { REPLY_TO(7) }, .count = 6 },
};

Test(rpc_carriers, an_xid_counts_in_its_direction_and_for_its_procedure)
{
	begin(1 << 20, false);
	GIVE(used_again);
	cr_assert_eq(reported_count, 3);
	cr_expect(reported[0].call.present && !reported[0].reply.present, "the first call was given up");
	cr_expect_eq(reported[1].call.facts.procedure, 4);
	cr_expect_eq(reported[1].reply.length, 28);
	cr_expect_eq(reported[2].client.address[3], 2);
	cr_expect_eq(reported[2].reply.length, 24);
	cr_expect_eq(reported[2].stream, reported[1].stream);
	end();
	cr_expect_eq(reported_count, 3);
}

/* On ports that show nothing: two calls in a segment and the beginning of a third; a call back; a reply in pieces. */
static const struct said over_tcp[] = {
	{ TCP, false, 900, 40001, 0x02, 99, 0, .count = 0 },
	{ TCP, true, 900, 40001, 0x12, 499, 100, .count = 0 },
	{ TCP, false, 900, 40001, 0x10, 100, 500,
	  .words = { LAST | 40, CALL_OF(1, MOUNT, 3, 0), LAST | 40, CALL_OF(2, MOUNT, 3, 2), LAST | 48, 3, 0, 2 }, .count = 26 },
	{ TCP, false, 900, 40001, 0x10, 204, 500, .words = { MOUNT, 3, 1, 0, 0, 0, 0, 4, 0x2f737276 }, .count = 9 },
	{ TCP, true, 900, 40001, 0x10, 500, 240, .words = { LAST | 28, REPLY_TO(2), 0, LAST | 40, CALL_OF(2, 0x40000000, 1, 0) }, .count = 19 },
	{ TCP, false, 900, 40001, 0x10, 240, 576, .words = { LAST | 24, REPLY_TO(2) }, .count = 7 },
	{ TCP, true, 900, 40001, 0x10, 576, 268, .words = { 12, 3, 1, 0, LAST | 16, 0 }, .count = 6 },
	{ TCP, true, 900, 40001, 0x10, 600, 268, .words = { 0, 0, 13 }, .count = 3 },
};

Test(rpc_carriers, records_over_tcp_become_calls_and_replies)
{
	begin(1 << 20, false);
	GIVE(over_tcp);
	cr_assert_eq(reported_count, 3);
	cr_expect_eq(reported[0].xid, 2);
	cr_expect_eq(reported[0].carrier, RPC_OVER_TCP);
	cr_expect_eq(reported[0].client_port, 900);
	cr_expect_not(reported[0].reverse);
	cr_expect_eq(reported[1].xid, 2);
	cr_expect(reported[1].reverse);
	cr_expect(reported[1].call.facts.is_callback);
	cr_expect_eq(reported[1].client_port, 40001);
	cr_expect_eq(reported[2].xid, 3);
	cr_expect_eq(reported[2].reply.length, 28);
	cr_expect_eq(reported[2].call.first_frame, 3);
	cr_expect_eq(reported[2].call.last_frame, 4);
	cr_expect_eq(reported[2].reply.first_frame, 7);
	cr_expect_eq(reported[2].reply.last_frame, 8);
	cr_expect_arr_eq(call_bytes[2] + 44, "/srv", 4);
	end();
	cr_assert_eq(reported_count, 4, "the call that nobody answered");
	cr_expect_eq(reported[3].xid, 1);
	cr_expect(reported[3].call.present && !reported[3].reply.present);
	cr_expect_eq(reported[3].stream, reported[0].stream);
}

/* The reply's second segment is never captured, but later data is acknowledged. */
static const struct said with_a_hole[] = {
	{ TCP, false, 900, 2049, 0x02, 99, 0, .count = 0 },
	{ TCP, true, 900, 2049, 0x12, 499, 100, .count = 0 },
	{ TCP, false, 900, 2049, 0x10, 100, 500, .words = { LAST | 40, CALL_OF(1, 100003, 3, 0) }, .count = 11 },
	{ TCP, true, 900, 2049, 0x10, 500, 144, .words = { LAST | 64, REPLY_TO(1), 5, 5 }, .count = 9 },
	{ TCP, true, 900, 2049, 0x10, 552, 144, .words = { 5, 5, 5, 5 }, .count = 4 },
	{ TCP, false, 900, 2049, 0x10, 144, 568, .count = 0 },
	{ TCP, false, 900, 2049, 0x11, 144, 568, .count = 0 },
	{ TCP, true, 900, 2049, 0x11, 568, 145, .count = 0 },
};

Test(rpc_carriers, a_hole_in_a_stream_leaves_its_message_incomplete)
{
	begin(1 << 20, false);
	GIVE(with_a_hole);
	end();
	cr_assert_eq(reported_count, 1);
	cr_expect(reported[0].call.complete);
	cr_expect_not(reported[0].reply.complete);
	cr_expect_eq(reported[0].reply.length, 64);
	cr_expect_eq(missing[0].offset, 32);
	cr_expect_eq(missing[0].reason, RTAP_MISSING_NOT_CAPTURED);
}

Test(rpc_carriers, a_stream_seen_from_the_middle_knows_its_server_by_the_port)
{
	static const struct said said[] = {
		{ TCP, true, 900, 2049, 0x10, 7, 1, .words = { LAST | 40, CALL_OF(9, 0x40000000, 1, 0) }, .count = 11 },
		{ TCP, false, 900, 2049, 0x10, 1, 51, .words = { LAST | 24, REPLY_TO(9) }, .count = 7 },
	};

	begin(1 << 20, false);
	GIVE(said);
	end();
	cr_assert_eq(reported_count, 1);
	cr_expect(reported[0].reverse);
	cr_expect(reported[0].call.complete && reported[0].reply.complete);
}

Test(rpc_carriers, connections_without_rpc_are_ignored)
{
	static const struct said said[] = {
		{ TCP, false, 900, 80, 0x10, 1, 1, .words = { 0x47455420, 0x2f20 }, .count = 2 },
		{ TCP, true, 900, 80, 0x10, 1, 9, .words = { LAST | 24, REPLY_TO(9) }, .count = 7 },
	};

	begin(1 << 20, false);
	GIVE(said);
	end();
	cr_expect_eq(reported_count, 0);
	cr_expect_eq(numbers, 0);
}

Test(rpc_carriers, calls_without_replies_stay_within_the_budget)
{
	struct said said = { UDP, false, 700, 111, .words = { CALL_OF(0, 100000, 2, 0) }, .count = 10 };
	static const uint64_t limits[] = { 0, 100, 5000, 1 << 20 };

	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		begin(limits[i], false);
		for (uint32_t j = 0; j < 10000; j++) {
			said.port = (uint16_t)(700 + (j % 3 ? 0 : j));
			said.words[0] = j;
			give(&said);
			cr_assert_leq(budget.used, limits[i]);
		}
		end();
		cr_expect_eq(reported_count, limits[i] > 1000 ? 10000 : 0, "%llu: %u", (unsigned long long)limits[i], reported_count);
	}
}

/* A call that the capture truncated, after another one: memory is short for some of the bytes that were captured. */
static void hear_cut_call(const struct said *said, const uint8_t *bytes)
{
	const struct rpc_heard heard = {
		.bytes = { bytes, 3000 }, .seen = 3000, .length = 5000, .reason = RTAP_MISSING_SNAPPED, .first_frame = 2, .last_frame = 2, .time_ns = 1,
		.time_end_ns = 1,
	};
	struct rtap_context context = { 0 };
	struct rpc_conversation *conversation;
	uint8_t frame[SAID_ROOM];
	uint32_t length = said_frame(frame, said);
	struct kit kit;
	bool from_a;

	kit_dissect(&kit, RTAP_LINK_RAW, frame, length, length, NULL);
	kit.frame.number = ++frames;
	kit.frame.time_ns = 1;
	conversation = rpc_carriers_datagram(&carriers, &kit.packet, &from_a, &context);
	cr_assert(conversation);
	budget.limit = budget.used + 2500;
	frames++;
	rpc_conversation_hear(conversation, from_a, &heard);
	kit_free(&kit);
}

static struct rtap_missing cut_call_missing[2];
static struct xdr_extent cut_call_extents[3];

static void take_cut_call(void *owner, const struct rpc_exchange *exchange)
{
	(void)owner;
	if (exchange->xid != 2)
		return;
	reported_count++;
	cr_assert_eq(exchange->call.missing_count, 2);
	cr_assert_eq(exchange->call.extent_count, 3);
	cr_expect(!exchange->call.complete && exchange->call.length == 5000);
	memcpy(cut_call_missing, exchange->call.missing, sizeof cut_call_missing);
	memcpy(cut_call_extents, exchange->call.extents, sizeof cut_call_extents);
}

/* doc/json.md, missing[].reason */
Test(rpc_carriers, what_memory_does_not_hold_of_a_truncated_call_is_apart_from_what_was_truncated)
{
	const struct said first = { UDP, false, 700, 111, .words = { CALL_OF(1, 100000, 2, 0) }, .count = 10 };
	const struct said cut = { UDP, false, 700, 111, .words = { CALL_OF(2, 100000, 2, 0) }, .count = 10 };
	static uint8_t bytes[3000], frame[SAID_ROOM];
	uint64_t kept;

	begin(1 << 20, false);
	carriers.user.exchange = take_cut_call;
	said_frame(frame, &cut);
	memcpy(bytes, frame + 28, 40);
	hear_cut_call(&first, bytes);
	end();
	cr_assert_eq(reported_count, 1);
	kept = cut_call_extents[0].length;
	cr_expect(cut_call_extents[0].kind == XDR_BYTES && kept >= 40 && kept < 3000);
	cr_expect(cut_call_extents[1].kind == XDR_ELSEWHERE && cut_call_extents[1].length == 3000 - kept);
	cr_expect(cut_call_extents[2].kind == XDR_HOLE && cut_call_extents[2].length == 2000);
	cr_expect(cut_call_missing[0].offset == kept && cut_call_missing[0].length == 3000 - kept && cut_call_missing[0].reason == RTAP_MISSING_EVICTED);
	cr_expect(cut_call_missing[1].offset == 3000 && cut_call_missing[1].length == 2000 && cut_call_missing[1].reason == RTAP_MISSING_SNAPPED);
}

/* With random changes, nothing is reported twice, no memory leaks, nothing is read beyond the packet. */
Test(rpc_carriers, damaged_packets_do_no_harm)
{
	static const struct {
		const struct said *said;
		size_t count;
	} inputs[] = {
		{ mount_over_udp, sizeof mount_over_udp / sizeof mount_over_udp[0] },
		{ over_tcp, sizeof over_tcp / sizeof over_tcp[0] },
		{ with_a_hole, sizeof with_a_hole / sizeof with_a_hole[0] },
	};
	uint32_t random = 1;

	for (int round = 0; round < 3000; round++) {
		begin(round % 2 ? 4000 : 1 << 20, false);
		for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
			for (size_t j = 0; j < inputs[i].count; j++) {
				struct said said = inputs[i].said[j];

				random = random * 1664525 + 1013904223;
				if (said.count && random >> 30 == 0)
					said.words[(random >> 8) % said.count] ^= 1u << (random >> 16) % 32;
				if (said.count && random >> 28 == 15)
					said.cut = (random >> 8) % (4 * said.count);
				give(&said);
			}
		}
		end();
	}
}
