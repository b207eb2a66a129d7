/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Results of a message: its length, whether it is complete, and which bytes are missing and why. The expectation is a map
 * of the message's bytes, one state each. The rules are those of IBTA vol. 1, 9.7.2: all packets but the last carry the path MTU; a
 * WRITE's First and a READ's request announce the length, a SEND's Last ends it.
 */
#include "config.h"

#include <criterion/criterion.h>
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
#define MOST_PACKETS 6
#define BASE_PSN UINT64_C(0x1000010)
#define ROUNDS 20000
#define UNKNOWN UINT64_MAX

enum state { ABSENT, PRESENT, CUT };

static struct rtap_tracker *tracker;
static struct connection *connection;
static struct psn_stream *stream;
static uint32_t chance = 1;

static uint32_t below(uint32_t limit)
{
	chance = chance * 1664525 + 1013904223;
	return (chance >> 8) % limit;
}

static void begin(void)
{
	cr_assert_eq(rtap_tracker_open(&tracker, &(struct rtap_tracker_options){ .size = sizeof(struct rtap_tracker_options), .bytes = true,
				       .checksums = true }, NULL), RTAP_STATUS_OK);
	connection = connection_create(tracker, 1, 0);
	cr_assert_not_null(connection);
	stream = &connection->streams[1];
	stream->connection = connection;
	stream->from_a = stream->reliable = true;
	stream->pmtu = PMTU;
}

static void finish(void)
{
	rtap_tracker_close(tracker);
}

TestSuite(message_settle, .init = begin, .fini = finish, .timeout = HANG_SECONDS);

/* The packets that were sent, and those captured. */
struct sent {
	enum rtap_verb verb;
	uint32_t count, length;             /* packets, bytes */
	uint8_t bytes[MOST_PACKETS * PMTU];
	uint32_t captured[MOST_PACKETS];    /* bytes of each packet; UINT32_MAX: the packet is not captured */
};

static uint32_t wire_length(const struct sent *sent, uint32_t packet)
{
	return packet + 1 < sent->count ? PMTU : sent->length - PMTU * (sent->count - 1);
}

static void draw(struct sent *sent)
{
	static const enum rtap_verb verbs[] = { RTAP_VERB_SEND, RTAP_VERB_WRITE, RTAP_VERB_READ };

	sent->verb = verbs[below(3)];
	sent->count = 1 + below(MOST_PACKETS);
	sent->length = PMTU * (sent->count - 1) + 1 + below(PMTU);
	for (uint32_t i = 0; i < sent->length; i++)
		sent->bytes[i] = (uint8_t)below(256);
	for (uint32_t i = 0; i < sent->count; i++) {
		uint32_t fate = below(8);

		sent->captured[i] = fate == 0 ? UINT32_MAX : fate == 1 ? below(wire_length(sent, i)) : wire_length(sent, i);
	}
}

static bool is_captured(const struct sent *sent, uint32_t packet)
{
	return sent->captured[packet] != UINT32_MAX;
}

/* As reassembly/infiniband does with each packet. */
static void add_packet(struct message *message, const struct sent *sent, uint32_t packet)
{
	bool is_last = packet + 1 == sent->count;
	enum ib_place place = sent->count == 1 ? IB_ONLY : !packet ? IB_FIRST : is_last ? IB_LAST : IB_MIDDLE;
	const uint8_t *bytes = sent->bytes + PMTU * packet;
	struct piece piece = {
		.bytes = bytes, .captured = sent->captured[packet], .wire = wire_length(sent, packet), .frame = 1 + packet,
		.crc = coverage_crc(bytes, sent->captured[packet]),
	};

	assembly_extend(message, BASE_PSN + packet, place);
	if (!packet && sent->verb == RTAP_VERB_WRITE) {
		message->shown.request_seen = true;
		message->shown.length = sent->length;
	}
	assembly_add_payload(tracker, message, BASE_PSN + packet, &piece);
}

/* The captured packets in any order. NULL: none is captured. */
static struct message *assemble(const struct sent *sent)
{
	uint32_t order[MOST_PACKETS], count = 0;
	struct message *message;
	struct piece none = { .frame = 1 };

	for (uint32_t i = 0; i < sent->count; i++)
		if (is_captured(sent, i))
			order[count++] = i;
	if (!count)
		return NULL;
	for (uint32_t i = count - 1; i; i--) {
		uint32_t other = below(i + 1), kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
	message = assembly_create(tracker, stream, TAILQ_LAST(&stream->messages, message_list),
				  sent->verb == RTAP_VERB_READ ? BASE_PSN : BASE_PSN + order[0], &none, sent->verb);
	cr_assert_not_null(message);
	if (sent->verb == RTAP_VERB_READ) {
		message->shown.request_seen = true;
		message->shown.length = sent->length;
	}
	for (uint32_t i = 0; i < count; i++)
		add_packet(message, sent, order[i]);
	return message;
}

struct missing {
	uint64_t offset, length; /* UNKNOWN: not known */
	enum state state;
};

struct expected {
	uint64_t length;
	bool length_known, complete;
	struct missing missing[2 * MOST_PACKETS + 2];
	uint32_t count;
};

static void expect_missing(struct expected *expected, uint64_t offset, uint64_t length, enum state state)
{
	expected->missing[expected->count++] = (struct missing){ offset, length, state };
}

/* From the map of bytes. */
static struct expected expect(const struct sent *sent)
{
	enum state map[MOST_PACKETS * PMTU];
	struct expected expected = { .complete = false };
	uint32_t first = UINT32_MAX, last = 0, begin_at, end;
	bool announced;

	memset(map, 0, sizeof map);
	for (uint32_t i = 0; i < sent->count; i++) {
		if (!is_captured(sent, i))
			continue;
		if (first == UINT32_MAX)
			first = i;
		last = i;
		for (uint32_t j = 0; j < wire_length(sent, i); j++)
			map[PMTU * i + j] = j < sent->captured[i] ? PRESENT : CUT;
	}
	announced = sent->verb == RTAP_VERB_READ || (sent->verb == RTAP_VERB_WRITE && !first);
	begin_at = announced ? 0 : PMTU * first;
	end = announced ? sent->length : PMTU * last + wire_length(sent, last);
	expected.length = end - begin_at;
	expected.length_known = announced || (!first && last + 1 == sent->count);
	if (!announced && first)
		expect_missing(&expected, 0, UNKNOWN, ABSENT);
	for (uint32_t at = begin_at, to; at < end; at = to) {
		for (to = at; to < end && map[to] == map[at]; to++)
			;
		if (map[at] != PRESENT)
			expect_missing(&expected, at - begin_at, to - at, map[at]);
	}
	if (!announced && last + 1 < sent->count)
		expect_missing(&expected, expected.length, UNKNOWN, ABSENT);
	expected.complete = !expected.count;
	return expected;
}

static void check_reported(const struct rtap_message *shown, const struct expected *expected, uint32_t round)
{
	cr_assert_eq(shown->complete, expected->complete, "round %" PRIu32, round);
	cr_assert_eq(shown->length, expected->length, "round %" PRIu32 ": %" PRIu64 " and %" PRIu64, round, shown->length, expected->length);
	cr_assert_eq(shown->length_known, expected->length_known, "round %" PRIu32, round);
	cr_assert_eq(shown->missing_count, expected->count, "round %" PRIu32, round);
	for (uint32_t i = 0; i < expected->count; i++) {
		const struct missing *missing = &expected->missing[i];

		cr_assert_eq(shown->missing[i].offset, missing->offset, "round %" PRIu32, round);
		cr_assert_eq(shown->missing[i].length_known, missing->length != UNKNOWN, "round %" PRIu32, round);
		cr_assert_eq(shown->missing[i].length, missing->length == UNKNOWN ? 0 : missing->length, "round %" PRIu32, round);
		cr_assert_eq(shown->missing[i].reason, missing->state == CUT ? RTAP_MISSING_SNAPPED : RTAP_MISSING_NOT_CAPTURED, "round %" PRIu32, round);
	}
}

static void discard(struct message *message)
{
	free((void *)(uintptr_t)message->shown.missing);
	message->shown.missing = NULL;
	message->shown.missing_count = 0;
	message_drop(tracker, message);
}

Test(message_settle, any_packets_in_any_order_give_the_bytes_that_are_there_and_name_the_others)
{
	uint32_t complete = 0;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct sent sent;
		struct message *message;
		struct expected expected;

		draw(&sent);
		message = assemble(&sent);
		if (!message)
			continue;
		expected = expect(&sent);
		message_compute_result(tracker, message);
		check_reported(&message->shown, &expected, round);
		cr_assert_eq(message->shown.outcome, RTAP_OUTCOME_UNANSWERED);
		cr_assert_eq(message->shown.has_crc, expected.complete, "round %" PRIu32, round);
		if (expected.complete) {
			cr_assert_eq(message->shown.crc32, crc32_z(0, sent.bytes, sent.length), "round %" PRIu32, round);
			cr_assert_eq(message->shown.bytes.length, sent.length);
			cr_assert_arr_eq(message->shown.bytes.bytes, sent.bytes, sent.length, "round %" PRIu32, round);
		} else {
			cr_assert_null(message->shown.bytes.bytes);
		}
		complete += expected.complete;
		discard(message);
	}
	cr_expect_gt(complete, ROUNDS / 10);
	cr_expect_eq(connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_LENGTH_MISMATCH], 0);
}

/* A message of these packets of a SEND of `count` packets of the path MTU. */
static struct message *send_of(const uint32_t *packets, uint32_t seen, uint32_t count)
{
	static struct sent sent;
	struct message *message;
	struct piece none = { .frame = 1 };

	sent.verb = RTAP_VERB_SEND;
	sent.count = count;
	sent.length = count * PMTU;
	for (uint32_t i = 0; i < count; i++)
		sent.captured[i] = PMTU;
	message = assembly_create(tracker, stream, TAILQ_LAST(&stream->messages, message_list), BASE_PSN + packets[0], &none, sent.verb);
	cr_assert_not_null(message);
	for (uint32_t i = 0; i < seen; i++)
		add_packet(message, &sent, packets[i]);
	return message;
}

Test(message_settle, where_the_message_before_ends_one_packet_before_the_first_is_missing_with_a_known_length)
{
	static const uint32_t packets[] = { 1, 2 };
	struct message *message;

	stream->settled_end = BASE_PSN;
	message = send_of(packets, 2, 3);
	message_compute_result(tracker, message);
	cr_expect_not(message->shown.complete);
	cr_expect(message->shown.length_known);
	cr_expect_eq(message->shown.length, 3 * PMTU);
	cr_expect_eq(message->shown.psn, (uint32_t)(BASE_PSN & 0xffffff));
	cr_assert_eq(message->shown.missing_count, 1);
	cr_expect_eq(message->shown.missing[0].offset, 0);
	cr_expect_eq(message->shown.missing[0].length, PMTU);
	cr_expect(message->shown.missing[0].length_known);
	discard(message);
	/* with two packets in between, they may be one packet of another message too */
	stream->settled_end = BASE_PSN - 1;
	message = send_of(packets, 2, 3);
	message_compute_result(tracker, message);
	cr_expect_not(message->shown.length_known);
	cr_expect_eq(message->shown.length, 2 * PMTU);
	discard(message);
}

/* The message that ends before it, still being reassembled: by its Last, or by its announced length. */
Test(message_settle, the_message_before_it_can_wait_too)
{
	static const uint32_t packets[] = { 1, 2 };

	for (int i = 0; i < 4; i++) {
		struct piece none = { .frame = 1 };
		struct message *before = assembly_create(tracker, stream, NULL, BASE_PSN - 2 - i % 2, &none, RTAP_VERB_WRITE), *message;

		cr_assert_not_null(before);
		before->has_last = i < 2;
		before->high = BASE_PSN - 1 - i % 2;
		before->end = i < 2 ? 0 : BASE_PSN - i % 2;
		message = send_of(packets, 2, 3);
		message_compute_result(tracker, message);
		cr_expect_eq(message->shown.length_known, i % 2 == 0, "case %d", i);
		discard(message);
		discard(before);
	}
}

Test(message_settle, a_packet_that_another_point_captured_whole_is_complete)
{
	static struct sent sent = { .verb = RTAP_VERB_SEND, .count = 2, .length = PMTU + 50, .captured = { 100, 50 } };
	struct message *message = assemble(&sent);

	sent.captured[0] = PMTU;
	add_packet(message, &sent, 0);
	message_compute_result(tracker, message);
	cr_expect(message->shown.complete);
	cr_expect_eq(message->shown.length, PMTU + 50);
	cr_expect_eq(message->shown.missing_count, 0);
	discard(message);
	sent.captured[0] = 100;
}

Test(message_settle, bytes_dropped_for_lack_of_memory_are_evicted_and_never_complete)
{
	static const uint32_t all[] = { 0, 1, 2 }, holes[] = { 0, 2 };
	struct message *message = send_of(all, 3, 3);

	message->evicted = true;
	message_compute_result(tracker, message);
	cr_expect_not(message->shown.complete);
	discard(message);
	message = send_of(holes, 2, 3);
	message->evicted = true;
	message_compute_result(tracker, message);
	cr_assert_eq(message->shown.missing_count, 1);
	cr_expect_eq(message->shown.missing[0].reason, RTAP_MISSING_EVICTED);
	discard(message);
}

/* Packets that carry more or fewer bytes than announced are an error. */
Test(message_settle, a_write_or_read_of_another_length_than_announced_is_not_complete_and_counted)
{
	static const uint32_t announced[] = { 2 * PMTU - 1, 2 * PMTU, 2 * PMTU + 1, 3 * PMTU, 1 };

	for (unsigned i = 0; i < 2 * sizeof announced / sizeof announced[0]; i++) {
		uint64_t before = connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_LENGTH_MISMATCH];
		struct sent sent = { .verb = i & 1 ? RTAP_VERB_READ : RTAP_VERB_WRITE, .count = 2, .length = 2 * PMTU, .captured = { PMTU, PMTU } };
		struct message *message = assemble(&sent);
		bool is_right = announced[i / 2] == 2 * PMTU;

		message->shown.length = announced[i / 2];
		message_compute_result(tracker, message);
		cr_expect_eq(message->shown.complete, is_right, "%" PRIu32 " bytes", announced[i / 2]);
		cr_expect_eq(connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_LENGTH_MISMATCH] - before, !is_right);
		discard(message);
	}
}

struct request_case {
	enum rtap_verb verb;
	bool request_seen, answered;
	uint32_t bytes;
	bool complete;
};

Test(message_settle, requests_without_data_of_their_own_are_complete_with_their_response)
{
	/* IBTA vol. 1, 9.4.5 (atomics: 8 bytes return) and A19 (ATOMIC WRITE: its 8 bytes are in the request; FLUSH: no bytes) */
	static const struct request_case cases[] = {
		{ RTAP_VERB_COMPARE_SWAP, true, true, 8, true }, { RTAP_VERB_COMPARE_SWAP, true, false, 0, false },
		{ RTAP_VERB_COMPARE_SWAP, false, true, 8, false }, { RTAP_VERB_FETCH_ADD, true, true, 8, true },
		{ RTAP_VERB_FETCH_ADD, true, true, 4, false }, { RTAP_VERB_ATOMIC_WRITE, true, false, 8, true },
		{ RTAP_VERB_ATOMIC_WRITE, true, false, 0, false }, { RTAP_VERB_FLUSH, true, true, 0, true }, { RTAP_VERB_FLUSH, true, false, 0, false },
	};

	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		static const uint8_t bytes[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
		struct piece piece = { .bytes = bytes, .captured = cases[i].bytes, .wire = cases[i].bytes, .crc = coverage_crc(bytes, cases[i].bytes) };
		struct message *message = assembly_create(tracker, stream, TAILQ_LAST(&stream->messages, message_list), BASE_PSN, &piece, cases[i].verb);

		cr_assert_not_null(message);
		message->shown.request_seen = cases[i].request_seen;
		message->shown.length = cases[i].verb == RTAP_VERB_FLUSH ? 100 : 8;
		message->has_first = message->has_last = cases[i].answered;
		if (cases[i].bytes)
			assembly_add_payload(tracker, message, BASE_PSN, &piece);
		message_compute_result(tracker, message);
		cr_expect_eq(message->shown.complete, cases[i].complete, "case %u", i);
		discard(message);
	}
}

Test(message_settle, lost_responses_of_a_read_are_counted_by_packets)
{
	static struct sent sent = { .verb = RTAP_VERB_READ, .count = 5, .length = 4 * PMTU + 9,
				    .captured = { PMTU, UINT32_MAX, UINT32_MAX, PMTU, 9 } };
	struct message *message = assemble(&sent);

	message->end = BASE_PSN + 5;
	message_compute_result(tracker, message);
	cr_expect_eq(connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED], 2);
	discard(message);
	/* nothing was lost of a READ that is not answered yet; all was if later requests are acknowledged */
	for (uint32_t i = 0; i < 5; i++)
		sent.captured[i] = UINT32_MAX;
	for (int is_passed = 0; is_passed < 2; is_passed++) {
		struct piece none = { .frame = 1 };

		message = assembly_create(tracker, stream, NULL, BASE_PSN, &none, RTAP_VERB_READ);
		cr_assert_not_null(message);
		message->shown.request_seen = true;
		message->shown.length = sent.length;
		message->end = BASE_PSN + 5;
		stream->acknowledged = BASE_PSN + (is_passed ? 5 : 0);
		message_compute_result(tracker, message);
		cr_expect_eq(connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED], is_passed ? 2 + 5 : 2);
		discard(message);
	}
}

Test(message_settle, only_a_message_that_awaits_no_answer_has_no_outcome)
{
	static const uint32_t all[] = { 0 };
	struct message *message;

	stream->reliable = false;
	message = send_of(all, 1, 1);
	message_compute_result(tracker, message);
	cr_expect_eq(message->shown.outcome, 0);
	cr_expect(message->shown.complete);
	discard(message);
	stream->reliable = true;
	message = send_of(all, 1, 1);
	message->shown.outcome = RTAP_OUTCOME_GOOD;
	message_compute_result(tracker, message);
	cr_expect_eq(message->shown.outcome, RTAP_OUTCOME_GOOD);
	discard(message);
}
