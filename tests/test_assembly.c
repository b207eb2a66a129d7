/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Assignment of packets to messages: SENDs and WRITEs of one queue pair whose packets are lost, repeated and late. By IBTA vol. 1, 9.7.2
 * a message has consecutive PSNs, all its packets but the last carry the path MTU, and it begins with a First and ends with a Last, or is an Only.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <rdmatap/tracker.h>

#include "reassembly/message_settle.h"
#include "reassembly/connection_lifecycle.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/message_queue.h"

#define PMTU 256
#define MESSAGES 12
#define MOST_PACKETS 5
#define BASE_PSN UINT64_C(0x1fffff0) /* the 24 bits of the wire wrap */
#define ROUNDS 1500

/* IBTA vol. 1, table 38: operations of RC, by whether the packet is the first and the last of its message */
static const uint8_t opcode_of[2][2][2] = {
	{ { 0x01, 0x02 }, { 0x00, 0x04 } }, /* SEND: Middle, Last; First, Only */
	{ { 0x07, 0x08 }, { 0x06, 0x0a } }, /* RDMA WRITE */
};

static struct rtap_tracker *tracker;
static struct psn_stream *stream;
static uint32_t chance = 1;

static uint32_t below(uint32_t limit)
{
	chance = chance * 1664525 + 1013904223;
	return (chance >> 8) % limit;
}

static void begin(void)
{
	struct connection *connection;

	cr_assert_eq(rtap_tracker_open(&tracker, &(struct rtap_tracker_options){ .size = sizeof(struct rtap_tracker_options), .checksums = true }, NULL),
		     RTAP_STATUS_OK);
	connection = connection_create(tracker, 1, 0);
	cr_assert_not_null(connection);
	stream = &connection->streams[1];
	stream->connection = connection;
	stream->from_a = stream->reliable = true;
}

static void finish(void)
{
	rtap_tracker_close(tracker);
}

TestSuite(assembly, .init = begin, .fini = finish, .timeout = HANG_SECONDS);

/* The number of packets of a message; one if it has no bytes. */
Test(assembly, the_number_of_packets_is_that_of_full_ones_and_the_rest)
{
	for (uint32_t pmtu = 256; pmtu <= 4096; pmtu *= 2)
		for (uint64_t length = 0; length <= 3 * 4096 + 1; length++) {
			uint64_t packets = 0, left = length;

			do {
				left -= left < pmtu ? left : pmtu;
				packets++;
			} while (left);
			cr_assert_eq(assembly_packets_of(length, pmtu), packets, "%" PRIu64 " bytes of %" PRIu32, length, pmtu);
			cr_assert_eq(assembly_psn_count(length, pmtu), packets);
		}
	cr_expect_eq(assembly_packets_of(UINT64_C(1) << 31, 256), 1 << 23);
	/* Up to the smallest path MTU, it is one packet for any path MTU. */
	cr_expect_eq(assembly_psn_count(0, 0), 1);
	cr_expect_eq(assembly_psn_count(256, 0), 1);
	cr_expect_eq(assembly_psn_count(257, 0), 0);
}

struct verb_case {
	enum rtap_verb verb;
	enum rtap_message_kind kind;
};

Test(assembly, a_verb_gives_the_kind_of_message)
{
	static const struct verb_case cases[] = {
		{ RTAP_VERB_SEND, RTAP_KIND_SEND }, { RTAP_VERB_WRITE, RTAP_KIND_WRITE }, { RTAP_VERB_READ, RTAP_KIND_READ },
		{ RTAP_VERB_COMPARE_SWAP, RTAP_KIND_ATOMIC }, { RTAP_VERB_FETCH_ADD, RTAP_KIND_ATOMIC },
		{ RTAP_VERB_ATOMIC_WRITE, RTAP_KIND_ATOMIC }, { RTAP_VERB_FLUSH, RTAP_KIND_FLUSH },
	};
	struct message message = { 0 };

	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assembly_set_verb(&message, cases[i].verb);
		cr_expect_eq(message.shown.verb, cases[i].verb);
		cr_expect_eq(message.shown.kind, cases[i].kind);
	}
}

/* IBTA vol. 1, 14.2.5.6: 256, 512, 1024, 2048 and 4096 bytes. */
Test(assembly, a_path_mtu_is_one_of_five_lengths_and_gives_announced_messages_their_ends)
{
	struct piece none = { .frame = 1 };
	struct message *read = assembly_create(tracker, stream, NULL, 100, &none, RTAP_VERB_READ);

	cr_assert_not_null(read);
	read->shown.request_seen = true;
	read->shown.length = 5000;
	stream->next = 101;
	for (uint32_t bytes = 0; bytes < 10000; bytes++) {
		bool is_one = bytes == 256 || bytes == 512 || bytes == 1024 || bytes == 2048 || bytes == 4096;

		stream->pmtu = 0;
		assembly_learn_path_mtu(stream, bytes);
		cr_assert_eq(stream->pmtu, is_one ? bytes : 0, "%" PRIu32 " bytes", bytes);
		if (bytes < 256)
			cr_assert_eq(read->end, 0);
		if (bytes == 256) {
			/* its responses take 20 PSNs, which no later request has */
			cr_assert_eq(read->end, 120);
			cr_assert_eq(stream->next, 120);
		}
	}
}

Test(assembly, the_oldest_of_too_many_messages_is_settled_incomplete)
{
	struct piece none = { .frame = 1 };
	struct message *oldest = assembly_create(tracker, stream, NULL, BASE_PSN, &none, RTAP_VERB_SEND), *last = oldest;

	cr_assert_not_null(oldest);
	for (uint32_t i = 1; i < 8192; i++)
		last = assembly_create(tracker, stream, last, BASE_PSN + i, &none, RTAP_VERB_SEND);
	cr_expect_eq(stream->in_flight, 8192);
	cr_expect_eq(tracker->counters.evictions, 0);
	cr_expect_eq(oldest->stream, stream);
	cr_assert_not_null(assembly_create(tracker, stream, last, BASE_PSN + 8192, &none, RTAP_VERB_SEND));
	cr_expect_eq(stream->in_flight, 8192);
	cr_expect_eq(tracker->counters.evictions, 1);
	cr_expect_null(oldest->stream);
	cr_expect_not(oldest->shown.complete);
	cr_expect(oldest->evicted);
}

struct whole_case {
	enum rtap_verb verb;
	bool request_seen, has_first, has_last;
	uint32_t length, bytes;
	bool is_whole;
};

Test(assembly, a_message_is_whole_with_all_its_packets_and_the_response_that_it_needs)
{
	static const struct whole_case cases[] = {
		{ RTAP_VERB_SEND, false, true, true, 0, 100, true }, { RTAP_VERB_SEND, false, true, false, 0, 100, false },
		{ RTAP_VERB_SEND, false, false, true, 0, 100, false }, { RTAP_VERB_WRITE, true, true, true, 100, 100, true },
		{ RTAP_VERB_WRITE, true, true, false, 100, 100, true }, { RTAP_VERB_WRITE, true, true, true, 101, 100, false },
		{ RTAP_VERB_WRITE, true, true, true, 0, 0, true }, { RTAP_VERB_WRITE, true, true, false, 0, 0, false },
		{ RTAP_VERB_WRITE, false, false, true, 100, 100, false }, { RTAP_VERB_READ, true, true, true, 100, 100, true },
		{ RTAP_VERB_READ, true, true, false, 100, 100, false }, { RTAP_VERB_READ, false, true, true, 100, 100, false },
		{ RTAP_VERB_READ, true, true, true, 101, 100, false }, { RTAP_VERB_ATOMIC_WRITE, true, false, false, 8, 8, true },
		{ RTAP_VERB_ATOMIC_WRITE, true, false, true, 8, 4, false }, { RTAP_VERB_ATOMIC_WRITE, false, false, true, 8, 8, false },
		{ RTAP_VERB_FETCH_ADD, true, false, true, 8, 8, true }, { RTAP_VERB_FETCH_ADD, true, true, false, 8, 0, false },
		{ RTAP_VERB_FLUSH, true, false, true, 0, 0, true }, { RTAP_VERB_FLUSH, false, false, true, 0, 0, false },
	};
	static const uint8_t bytes[100];

	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct piece piece = { .bytes = bytes, .captured = cases[i].bytes, .wire = cases[i].bytes, .frame = 1 };
		struct message *message = assembly_create(tracker, stream, NULL, BASE_PSN, &piece, cases[i].verb);

		cr_assert_not_null(message);
		message->shown.request_seen = cases[i].request_seen;
		message->shown.length = cases[i].length;
		message->has_first = cases[i].has_first;
		message->has_last = cases[i].has_last;
		assembly_add_payload(tracker, message, BASE_PSN, &piece);
		cr_expect_eq(assembly_is_whole(message), cases[i].is_whole, "case %u", i);
		message_drop(tracker, message);
	}
}

Test(assembly, a_part_that_joins_another_brings_all_that_it_has)
{
	static const uint8_t bytes[PMTU];
	struct piece piece = { .bytes = bytes, .captured = PMTU, .wire = PMTU, .frame = 7, .time_ns = 70 };
	struct frame_result result = { .outer = NULL };
	struct message *message, *other;

	stream->pmtu = PMTU;
	message = assembly_create(tracker, stream, NULL, BASE_PSN, &piece, RTAP_VERB_SEND);
	assembly_extend(message, BASE_PSN, IB_FIRST);
	assembly_note_frame(tracker, &result, message, &piece, assembly_add_payload(tracker, message, BASE_PSN, &piece));
	piece.frame = 5;
	piece.time_ns = 90;
	other = assembly_create(tracker, stream, message, BASE_PSN + 1, &piece, RTAP_VERB_SEND);
	assembly_extend(other, BASE_PSN + 1, IB_LAST);
	assembly_note_frame(tracker, &result, other, &piece, assembly_add_payload(tracker, other, BASE_PSN + 1, &piece));
	other->shown.repeats = 3;
	other->shown.wanted = other->shown.bytes_evicted = other->shown.has_immediate = other->shown.has_invalidate = true;
	other->shown.immediate = 0x12345678;
	other->shown.invalidated_r_key = 0x4321;
	result.completed = other;
	assembly_join(tracker, message, other, &result);
	cr_expect_eq(stream->in_flight, 1);
	cr_expect_null(message_list_after(message));
	cr_expect(assembly_is_whole(message));
	cr_expect_eq(message->shown.frames, 2);
	cr_expect_eq(message->shown.repeats, 3);
	cr_expect(message->shown.wanted && message->shown.bytes_evicted);
	cr_expect(message->shown.has_immediate && message->shown.immediate == 0x12345678);
	cr_expect(message->shown.has_invalidate && message->shown.invalidated_r_key == 0x4321);
	cr_expect_eq(message->shown.first_frame, 5);
	cr_expect_eq(message->shown.last_frame, 7);
	cr_expect_eq(message->shown.time_ns, 70);
	cr_expect_eq(message->shown.time_end_ns, 90);
	cr_expect_null(result.completed);
	cr_expect_null(result.touched);
}

/* Packets of a SEND of which bytes are wanted; returns how many bytes are kept. */
static uint64_t keep(struct message *message, uint32_t packets)
{
	static const uint8_t bytes[4096];
	struct piece piece = { .bytes = bytes, .captured = sizeof bytes, .wire = sizeof bytes, .frame = 1 };

	stream->pmtu = sizeof bytes;
	message->bytes_wanted = true;
	for (uint32_t i = 0; i < packets; i++)
		cr_expect_eq(assembly_add_payload(tracker, message, BASE_PSN + i, &piece), sizeof bytes);
	cr_expect_eq(message->coverage.total, packets * sizeof bytes);
	return message->coverage.bytes ? message->coverage.total : 0;
}

Test(assembly, bytes_are_kept_while_they_can_be_a_message_of_an_upper_layer_and_are_accounted_for)
{
	struct piece none = { .frame = 1 };
	uint64_t used = tracker->budget.used;
	struct message *message = assembly_create(tracker, stream, NULL, BASE_PSN, &none, RTAP_VERB_SEND);

	cr_expect_eq(keep(message, 64), 256 << 10);
	cr_expect_geq(tracker->budget.used, used + (256 << 10));
	message_drop(tracker, message);
	cr_expect_eq(tracker->budget.used, used);
	/* a byte more is bulk data */
	message = assembly_create(tracker, stream, NULL, BASE_PSN, &none, RTAP_VERB_SEND);
	cr_expect_eq(keep(message, 65), 0);
	cr_expect_lt(tracker->budget.used, used + 4096);
	cr_expect(message->bytes_dropped);
	message_drop(tracker, message);
	cr_expect_eq(tracker->budget.used, used);
	/* data of a WRITE has no such limit, but all data kept ahead has one */
	message = assembly_create(tracker, stream, NULL, BASE_PSN, &none, RTAP_VERB_WRITE);
	cr_expect_eq(keep(message, 66), 66 * 4096);
	message_drop(tracker, message);
	cr_expect_eq(tracker->budget.used, used);
	cr_expect_eq(tracker->ahead.bytes, 0);
}

Test(assembly, the_oldest_bytes_without_a_known_need_are_dropped_first)
{
	struct piece none = { .frame = 1 };
	struct message *messages[8], *before = NULL;
	uint64_t kept = 0;

	/* a share of 512 MiB is 4 MiB */
	for (unsigned i = 0; i < 8; i++) {
		messages[i] = before = assembly_create(tracker, stream, before, BASE_PSN + 1000 * i, &none, RTAP_VERB_WRITE);
		messages[i]->origin = messages[i]->low = BASE_PSN;
		keep(messages[i], 220);
	}
	for (unsigned i = 0; i < 8; i++) {
		kept += coverage_memory(&messages[i]->coverage);
		cr_expect_eq(messages[i]->coverage.bytes != NULL, i >= 4, "message %u", i);
		cr_expect_eq(messages[i]->coverage.total, 220 * 4096);
	}
	cr_expect_leq(kept, 4 << 20);
	cr_expect_eq(tracker->ahead.bytes, kept);
	cr_expect_eq(tracker->counters.evictions, 0, "what nobody asked for is not lost");
}

/* What was sent. */
struct sent {
	bool is_write;
	uint32_t count, length;
	uint64_t psn;
	uint8_t bytes[MOST_PACKETS * PMTU];
	bool is_lost[MOST_PACKETS];
	bool has_lost;
};

struct delivery {
	uint32_t message, packet;
	uint32_t place;
};

static struct sent sent[MESSAGES];
static struct delivery deliveries[2 * MESSAGES * MOST_PACKETS];
static uint32_t delivery_count;

static void draw_messages(uint32_t loss, bool has_writes)
{
	uint64_t psn = BASE_PSN;

	for (uint32_t i = 0; i < MESSAGES; i++) {
		struct sent *one = &sent[i];

		memset(one, 0, sizeof *one);
		one->is_write = has_writes && below(2);
		one->count = 1 + below(MOST_PACKETS);
		one->length = PMTU * (one->count - 1) + (one->count == 1 ? below(PMTU + 1) : 1 + below(PMTU));
		one->psn = psn;
		psn += one->count;
		for (uint32_t j = 0; j < one->length; j++)
			one->bytes[j] = (uint8_t)below(256);
		for (uint32_t j = 0; j < one->count; j++)
			one->has_lost |= one->is_lost[j] = loss && !below(loss);
	}
}

static int order_of_places(const void *left, const void *right)
{
	const struct delivery *a = left, *b = right;

	return a->place < b->place ? -1 : a->place > b->place ? 1 : a->message < b->message ? -1 : 1;
}

/* The order in which packets arrive: each up to `late` places later than it was sent, some repeated. */
static void draw_deliveries(uint32_t late, uint32_t repeats)
{
	uint32_t place = 0;

	delivery_count = 0;
	for (uint32_t i = 0; i < MESSAGES; i++)
		for (uint32_t j = 0; j < sent[i].count; j++, place += 4) {
			if (sent[i].is_lost[j])
				continue;
			deliveries[delivery_count++] = (struct delivery){ i, j, place + (late ? 4 * below(late) + below(4) : 0) };
			if (repeats && !below(repeats))
				deliveries[delivery_count++] = (struct delivery){ i, j, place + 4 * below(late + 1) + 2 };
		}
	qsort(deliveries, delivery_count, sizeof deliveries[0], order_of_places);
}

/* As reassembly/infiniband/ib_message.c does with each request. */
static void deliver(const struct delivery *delivery, uint64_t frame)
{
	const struct sent *one = &sent[delivery->message];
	uint32_t packet = delivery->packet;
	bool is_first = !packet, is_last = packet + 1 == one->count;
	uint8_t number = opcode_of[one->is_write][is_first][is_last];
	const struct ib_opcode *opcode = &ib_opcodes[number];
	uint64_t psn = one->psn + packet;
	uint32_t length = is_last ? one->length - PMTU * packet : PMTU;
	struct piece piece = { .bytes = one->bytes + PMTU * packet, .captured = length, .wire = length, .frame = frame, .time_ns = (int64_t)frame,
			       .crc = coverage_crc(one->bytes + PMTU * packet, length) };
	struct frame_result result = { .outer = NULL };
	struct message *message;
	bool was_whole;
	uint64_t frames;

	message = assembly_message_of(tracker, stream, message_list_find_before(stream, psn, NULL), psn, opcode, &piece);
	cr_assert_not_null(message, "frame %" PRIu64, frame);
	frames = message->shown.frames;
	was_whole = frames && assembly_is_whole(message);
	assembly_extend(message, psn, opcode->place);
	if (is_first && one->is_write && !message->shown.request_seen) {
		message->shown.request_seen = true;
		message->shown.length = one->length;
		message->end = message->low + one->count;
	}
	assembly_note_frame(tracker, &result, message, &piece, assembly_add_payload(tracker, message, psn, &piece) || (!was_whole && !length));
	assembly_join_next(tracker, message, &result);
}

/* The message that begins with this PSN; NULL: none. */
static struct message *message_at(uint64_t psn)
{
	struct message *message;

	TAILQ_FOREACH(message, &stream->messages, link)
		if (message->low == psn)
			return message;
	return NULL;
}

static void drop_all(void)
{
	struct message *message;

	while ((message = TAILQ_FIRST(&stream->messages))) {
		free((void *)(uintptr_t)message->shown.missing);
		message->shown.missing = NULL;
		message_drop(tracker, message);
	}
}

/* Each message that is reported complete was sent, once; each that was captured completely is complete. */
static void check(uint32_t round)
{
	const struct message *message;
	uint32_t whole = 0;

	TAILQ_FOREACH(message, &stream->messages, link)
		if (message_list_after(message))
			cr_assert_lt(message->low, message_list_after(message)->low, "round %" PRIu32, round);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		struct message *found = message_at(sent[i].psn);

		if (sent[i].has_lost) {
			cr_assert(!found || !assembly_is_whole(found), "round %" PRIu32 ", message %" PRIu32, round, i);
			continue;
		}
		cr_assert_not_null(found, "round %" PRIu32 ", message %" PRIu32, round, i);
		cr_assert(assembly_is_whole(found), "round %" PRIu32 ", message %" PRIu32, round, i);
		message_compute_result(tracker, found);
		cr_assert(found->shown.complete, "round %" PRIu32 ", message %" PRIu32, round, i);
		cr_assert_eq(found->shown.length, sent[i].length, "round %" PRIu32 ", message %" PRIu32, round, i);
		cr_assert_eq(found->shown.kind, sent[i].is_write ? RTAP_KIND_WRITE : RTAP_KIND_SEND);
		cr_assert_eq(found->shown.psn, (uint32_t)(sent[i].psn & 0xffffff));
		cr_assert_eq(found->shown.crc32, crc32_z(0, sent[i].bytes, sent[i].length), "round %" PRIu32 ", message %" PRIu32, round, i);
		whole++;
	}
	TAILQ_FOREACH(message, &stream->messages, link)
		whole -= assembly_is_whole(message);
	cr_assert_eq(whole, 0, "round %" PRIu32, round);
}

/* Frames and repeats of a message are those of its packets. */
static void check_counts(uint32_t round)
{
	for (uint32_t i = 0; i < MESSAGES; i++) {
		const struct message *message = message_at(sent[i].psn);
		uint64_t first = UINT64_MAX, last = 0, frames = 0, seen = 0;

		if (sent[i].has_lost)
			continue;
		for (uint32_t j = 0; j < delivery_count; j++)
			if (deliveries[j].message == i) {
				bool is_new = !(seen >> deliveries[j].packet & 1);

				seen |= UINT64_C(1) << deliveries[j].packet;
				frames++;
				if (!is_new)
					continue;
				first = j + 1 < first ? j + 1 : first;
				last = j + 1;
			}
		cr_assert_eq(message->shown.frames, sent[i].count, "round %" PRIu32 ", message %" PRIu32, round, i);
		cr_assert_eq(message->shown.repeats, frames - sent[i].count, "round %" PRIu32 ", message %" PRIu32, round, i);
		cr_assert_eq(message->shown.first_frame, first, "round %" PRIu32 ", message %" PRIu32, round, i);
		cr_assert_eq(message->shown.last_frame, last, "round %" PRIu32 ", message %" PRIu32, round, i);
		cr_assert_eq(message->shown.time_ns, (int64_t)first);
		cr_assert_eq(message->shown.time_end_ns, (int64_t)last);
	}
}

struct wire_case {
	char what[40];
	uint32_t loss, late, repeats; /* one packet in `loss`, or in `repeats`; 0: none; places that a packet can be late */
	bool has_writes;
};

ParameterizedTestParameters(assembly, whole_messages_are_those_of_which_all_packets_came)
{
	static struct wire_case cases[] = {
		{ "in order", 0, 0, 0, true },
		{ "some lost", 6, 0, 0, true },
		{ "most lost", 2, 0, 0, true },
		{ "SENDs only, some lost", 6, 0, 0, false },
		{ "repeated", 0, 0, 3, true },
		{ "late", 0, 4, 0, true },
		{ "SENDs only, late", 0, 4, 0, false },
		{ "very late", 0, 40, 0, true },
		{ "SENDs only, very late", 0, 40, 0, false },
		{ "late and repeated", 0, 6, 4, true },
		{ "late, some lost", 8, 4, 0, true },
	};

	return cr_make_param_array(struct wire_case, cases, sizeof cases / sizeof cases[0]);
}

ParameterizedTest(struct wire_case *one, assembly, whole_messages_are_those_of_which_all_packets_came)
{
	stream->pmtu = PMTU;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		draw_messages(one->loss, one->has_writes);
		draw_deliveries(one->late, one->repeats);
		for (uint32_t i = 0; i < delivery_count; i++)
			deliver(&deliveries[i], i + 1);
		check(round);
		if (!one->loss)
			check_counts(round);
		drop_all();
		stream->settled_high = stream->settled_end = stream->fragment_psn = 0;
	}
}
