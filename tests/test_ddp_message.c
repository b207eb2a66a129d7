/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of DDP and RDMAP in any number of segments, from TCP segments through the tracker. Headers are written here by RFC 5041
 * (4.2 tagged, 4.3 untagged), RFC 5040 (4.1 to 4.4) and RFC 7306 (5.2, 6.1), and what is expected is what was sent.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <zlib.h>

#include "reassembly/iwarp/ddp_half.h"
#include "tests/iwarp_stream_kit.h"

#define PORT 7000
#define TAGGED 0x80
#define LAST 0x40
#define DDP_VERSION 1
#define RDMAP_VERSION 0x40
#define TAGGED_HEADER 14
#define UNTAGGED_HEADER 18
#define MOST_DATA 4000
#define OPERATIONS 40
#define ROUNDS 40

enum { WRITE, READ_REQUEST, READ_RESPONSE, SEND, SEND_INVALIDATE, SEND_SE, SEND_SE_INVALIDATE, TERMINATE, IMMEDIATE, IMMEDIATE_SE, ATOMIC_REQUEST,
       ATOMIC_RESPONSE };

/* One direction of the stream. */
struct side {
	struct sender sender;
	uint32_t given;        /* bytes of the stream that were sent */
	uint32_t msn[4];       /* last one of each queue */
};

/* A message that was sent. */
struct sent {
	enum rtap_message_kind kind;
	uint32_t length, crc, msn, key, invalidated;
	uint64_t address, immediate;
	bool has_msn, has_lost;
};

static struct side sides[2]; /* b, a */
static struct sent sent[2 * OPERATIONS];
static uint32_t sent_count, chance = 1, loss;
static uint8_t data[MOST_DATA];

static uint32_t below(uint32_t limit)
{
	chance = chance * 1664525 + 1013904223;
	return (chance >> 8) % limit;
}

static void put64(uint8_t *to, uint64_t value)
{
	put32(to, (uint32_t)(value >> 32));
	put32(to + 4, (uint32_t)value);
}

static void start(void)
{
	for (int i = 0; i < 2; i++) {
		sender_init(&sides[i].sender, SENT_PLAIN, true);
		sides[i].given = 0;
		memset(sides[i].msn, 0, sizeof sides[i].msn);
	}
	sent_count = 0;
	begin(1 << 26, false);
	give_setup(false, true);
}

static void stop(void)
{
	end();
	for (int i = 0; i < 2; i++)
		sender_fini(&sides[i].sender);
}

/* One FPDU in a TCP segment of its own, which may get lost. Returns whether it did. */
static bool give_ulpdu(bool from_a, const uint8_t *ulpdu, uint32_t length)
{
	struct side *side = &sides[from_a];
	uint32_t at = side->given;
	bool is_lost = loss && !below(loss);

	send_fpdu(&side->sender, ulpdu, length);
	side->given = side->sender.length;
	if (!is_lost)
		give(from_a, PORT, FLAG_ACK, SETUP + at, SETUP + sides[!from_a].given, side->sender.bytes + at, side->given - at);
	return is_lost;
}

static bool give_untagged(bool from_a, unsigned opcode, uint32_t queue, uint32_t invalidated, uint32_t length, uint32_t most)
{
	static uint8_t ulpdu[UNTAGGED_HEADER + MOST_DATA];
	uint32_t msn = ++sides[from_a].msn[queue], offset = 0, part;
	bool has_lost = false;

	do {
		part = length - offset < most ? length - offset : most;
		ulpdu[0] = DDP_VERSION | (offset + part == length ? LAST : 0);
		ulpdu[1] = (uint8_t)(RDMAP_VERSION | opcode);
		put32(ulpdu + 2, invalidated);
		put32(ulpdu + 6, queue);
		put32(ulpdu + 10, msn);
		put32(ulpdu + 14, offset);
		memcpy(ulpdu + UNTAGGED_HEADER, data + offset, part);
		has_lost |= give_ulpdu(from_a, ulpdu, UNTAGGED_HEADER + part);
		offset += part;
	} while (offset < length);
	return has_lost;
}

static bool give_tagged(bool from_a, unsigned opcode, uint32_t stag, uint64_t address, uint32_t length, uint32_t most)
{
	static uint8_t ulpdu[TAGGED_HEADER + MOST_DATA];
	uint32_t offset = 0, part;
	bool has_lost = false;

	do {
		part = length - offset < most ? length - offset : most;
		ulpdu[0] = TAGGED | DDP_VERSION | (offset + part == length ? LAST : 0);
		ulpdu[1] = (uint8_t)(RDMAP_VERSION | opcode);
		put32(ulpdu + 2, stag);
		put64(ulpdu + 6, address + offset);
		memcpy(ulpdu + TAGGED_HEADER, data + offset, part);
		has_lost |= give_ulpdu(from_a, ulpdu, TAGGED_HEADER + part);
		offset += part;
	} while (offset < length);
	return has_lost;
}

static struct sent *remember(enum rtap_message_kind kind, uint32_t length)
{
	struct sent *one = &sent[sent_count++];

	*one = (struct sent){ .kind = kind, .length = length, .crc = (uint32_t)crc32_z(0, data, length) };
	return one;
}

static void make_send(uint32_t length, uint32_t most)
{
	static const unsigned opcodes[] = { SEND, SEND_INVALIDATE, SEND_SE, SEND_SE_INVALIDATE };
	unsigned opcode = opcodes[below(4)];
	struct sent *one = remember(RTAP_KIND_SEND, length);

	one->has_msn = true;
	one->msn = sides[1].msn[0] + 1;
	one->invalidated = opcode == SEND_INVALIDATE || opcode == SEND_SE_INVALIDATE ? 0x51ac0000 + sent_count : 0;
	one->has_lost = give_untagged(true, opcode, 0, one->invalidated, length, most);
}

static void make_write(uint32_t length, uint32_t most)
{
	struct sent *one = remember(RTAP_KIND_WRITE, length);

	one->key = 0x1000 + sent_count;
	one->address = (uint64_t)sent_count << 40 | below(1 << 20);
	one->has_lost = give_tagged(true, WRITE, one->key, one->address, length, most);
}

/* RFC 5040, 4.4: sink STag and offset, size, source STag and offset; the response goes to the sink. */
static void make_read(uint32_t length, uint32_t most)
{
	struct sent *one = remember(RTAP_KIND_READ, length);
	uint32_t sink = 0x9000 + sent_count;
	uint64_t sink_offset = (uint64_t)below(1 << 30) << 8;
	uint8_t kept[28];

	one->has_msn = true;
	one->msn = sides[1].msn[1] + 1;
	one->key = 0x2000 + sent_count;
	one->address = (uint64_t)sent_count << 32;
	memcpy(kept, data, sizeof kept);
	put32(data, sink);
	put64(data + 4, sink_offset);
	put32(data + 12, length);
	put32(data + 16, one->key);
	put64(data + 20, one->address);
	one->has_lost = give_untagged(true, READ_REQUEST, 1, 0, 28, 28);
	memcpy(data, kept, sizeof kept);
	one->has_lost |= give_tagged(false, READ_RESPONSE, sink, sink_offset, length, most);
}

/* RFC 7306, 6.1 */
static void make_immediate(void)
{
	struct sent *one = remember(RTAP_KIND_IMMEDIATE, 8);

	one->has_msn = true;
	one->msn = sides[1].msn[0] + 1;
	for (int i = 0; i < 8; i++)
		one->immediate = one->immediate << 8 | data[i];
	one->has_lost = give_untagged(true, below(2) ? IMMEDIATE : IMMEDIATE_SE, 0, 0, 8, 8);
}

static void make_any(void)
{
	uint32_t length = below(3) ? 1 + below(200) : 1 + below(MOST_DATA - 1), most = below(4) ? 1 + below(600) : MOST_DATA;

	fill_noise(data, sizeof data, below(1 << 20));
	if (length / most > 20)
		most = length / 20;
	switch (below(5)) {
	case 0: make_write(length, most); break;
	case 1: make_read(length, most); break;
	case 2: make_immediate(); break;
	default: make_send(length, most); break;
	}
}

static bool is_same(const struct rtap_message *message, const struct sent *one)
{
	return message->kind == one->kind && message->length == one->length && message->crc32 == one->crc && message->has_msn == one->has_msn &&
	       (!one->has_msn || message->psn == one->msn) && (!one->key || (message->r_key == one->key && message->virtual_address == one->address)) &&
	       message->has_invalidate == (one->invalidated != 0) && (!one->invalidated || message->invalidated_r_key == one->invalidated) &&
	       message->has_immediate == (one->kind == RTAP_KIND_IMMEDIATE) && (!message->has_immediate || message->immediate == one->immediate);
}

TestSuite(ddp_message, .timeout = HANG_SECONDS);

Test(ddp_message, messages_in_any_segments_equal_those_sent)
{
	loss = 0;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		start();
		for (int i = 0; i < OPERATIONS; i++)
			make_any();
		stop();
		cr_assert_eq(reported_count, sent_count, "round %" PRIu32 ": %u of %" PRIu32, round, reported_count, sent_count);
		for (uint32_t i = 0; i < sent_count; i++) {
			cr_assert(reported[i].complete, "round %" PRIu32 ", message %" PRIu32, round, i);
			cr_assert(is_same(&reported[i], &sent[i]), "round %" PRIu32 ", message %" PRIu32, round, i);
			cr_assert(reported[i].from_a);
			cr_assert(sent[i].kind != RTAP_KIND_READ || (reported[i].has_latency && reported[i].outcome == RTAP_OUTCOME_GOOD &&
								    reported[i].answered_in == reported[i].last_frame));
		}
		cr_assert_eq(last_connection.anomaly_counts[RTAP_CONNECTION_ANOMALY_UNEXPECTED_RESPONSE], 0);
	}
}

/* Complete messages were sent, each once. A SEND with all segments is complete: each segment has its MSN and its offset in the message. */
Test(ddp_message, lost_segments_make_nothing_complete_that_was_not_sent)
{
	uint32_t lost = 0, complete = 0;

	for (uint32_t round = 0; round < 2 * ROUNDS; round++) {
		bool is_used[2 * OPERATIONS] = { false };

		loss = 4 + round / 2;
		start();
		for (int i = 0; i < OPERATIONS; i++)
			make_any();
		stop();
		for (uint32_t i = 0; i < reported_count; i++) {
			uint32_t j = 0;

			if (!reported[i].complete)
				continue;
			while (j < sent_count && (is_used[j] || sent[j].has_lost || !is_same(&reported[i], &sent[j])))
				j++;
			cr_assert_lt(j, sent_count, "round %" PRIu32 ": message %" PRIu32 " of kind %u was not sent so", round, i, reported[i].kind);
			is_used[j] = true;
			complete++;
		}
		for (uint32_t j = 0; j < sent_count; j++) {
			lost += sent[j].has_lost;
			cr_assert(is_used[j] || sent[j].has_lost || (sent[j].kind != RTAP_KIND_SEND && sent[j].kind != RTAP_KIND_IMMEDIATE),
				  "round %" PRIu32 ": message %" PRIu32 " came whole", round, j);
		}
	}
	cr_expect_gt(lost, 300);
	cr_expect_gt(complete, 1000);
}

/* RFC 7306, 5.2: operation, identifier, STag, offset, operands with masks; the response has the identifier and the original value. */
Test(ddp_message, an_atomic_has_its_operands_and_the_value_that_was_there)
{
	static const struct { uint32_t operation; enum rtap_verb verb; } cases[] = { { 0, RTAP_VERB_FETCH_ADD }, { 2, RTAP_VERB_COMPARE_SWAP } };

	loss = 0;
	start();
	for (unsigned i = 0; i < 2; i++) {
		memset(data, 0, 56);
		put32(data, cases[i].operation);
		put32(data + 4, 77 + i);
		put32(data + 8, 0x3000 + i);
		put64(data + 12, 0x8000000000 + i);
		put64(data + 20, 0x1111111122222222 + i);
		put64(data + 28, UINT64_MAX);
		put64(data + 36, 0x3333333344444444 + i);
		put64(data + 44, UINT64_MAX);
		give_untagged(true, ATOMIC_REQUEST, 1, 0, 52, 52);
	}
	/* responses in order, and one without a request */
	for (unsigned i = 0; i < 3; i++) {
		put32(data, i < 2 ? 77 + i : 99);
		put64(data + 4, 0x5555555566666666 + i);
		give_untagged(false, ATOMIC_RESPONSE, 3, 0, 12, 12);
	}
	stop();
	cr_assert_eq(reported_count, 2);
	for (unsigned i = 0; i < 2; i++) {
		const struct rtap_message *message = &reported[i];

		cr_expect_eq(message->kind, RTAP_KIND_ATOMIC);
		cr_expect_eq(message->verb, cases[i].verb);
		cr_expect(message->complete && message->length == 8);
		cr_expect_eq(message->r_key, 0x3000 + i);
		cr_expect_eq(message->virtual_address, 0x8000000000 + i);
		cr_expect_eq(message->swap_or_add, 0x1111111122222222 + i);
		cr_expect_eq(message->original, 0x5555555566666666 + i);
		cr_expect_eq(message->outcome, RTAP_OUTCOME_GOOD);
		if (message->verb == RTAP_VERB_COMPARE_SWAP)
			cr_expect_eq(message->compare, 0x3333333344444444 + i);
	}
	cr_expect_eq(last_connection.anomaly_counts[RTAP_CONNECTION_ANOMALY_UNEXPECTED_RESPONSE], 1);
}

Test(ddp_message, a_read_without_a_response_is_unanswered)
{
	loss = 0;
	start();
	memset(data, 0, 28);
	put32(data + 12, 100);
	give_untagged(true, READ_REQUEST, 1, 0, 28, 28);
	stop();
	cr_assert_eq(reported_count, 1);
	cr_expect_eq(reported[0].kind, RTAP_KIND_READ);
	cr_expect_not(reported[0].complete);
	cr_expect_eq(reported[0].length, 100);
	cr_expect_eq(reported[0].outcome, RTAP_OUTCOME_UNANSWERED);
	cr_expect_not(reported[0].has_latency);
}

static void ask(uint32_t sink, uint32_t length)
{
	memset(data, 0, 28);
	put32(data, sink);
	put32(data + 12, length);
	give_untagged(true, READ_REQUEST, 1, 0, 28, 28);
}

/* RFC 5040, 5.2.2: a response has the length of its request. */
Test(ddp_message, a_response_is_that_of_the_read_of_its_length)
{
	static const struct { uint32_t lengths[3], complete; } cases[] = {
		{ { 100, 4 }, 2 }, { { 101, 101, 1 }, 3 }, { { 100, 160, 100 }, 0 }, { { 160, 100, 4 }, 3 }, { { 100, 4, 4 }, 0 },
	};

	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const uint32_t *lengths = cases[i].lengths;
		unsigned count = lengths[2] ? 3 : 2;

		loss = 0;
		start();
		for (unsigned j = 0; j < count; j++)
			ask(0x9000, lengths[j]);
		/* all but the last are lost */
		loss = 1;
		for (unsigned j = 0; j + 1 < count; j++)
			give_tagged(false, READ_RESPONSE, 0x9000, 0, lengths[j], 60);
		loss = 0;
		give_tagged(false, READ_RESPONSE, 0x9000, 0, lengths[count - 1], 60);
		stop();
		for (unsigned j = 0; j < reported_count; j++)
			cr_expect(!reported[j].complete || (reported[j].has_msn && reported[j].psn == cases[i].complete), "case %u: READ %u", i, reported[j].psn);
		for (unsigned j = 0; j < reported_count && cases[i].complete; j++)
			cr_expect(!reported[j].has_msn || reported[j].psn != cases[i].complete || reported[j].complete, "case %u", i);
	}
}

/* The first and the last request are not captured; the second response is that to the last one. */
Test(ddp_message, a_read_that_may_be_answered_gets_no_other_response)
{
	loss = 0;
	start();
	sides[1].msn[1] = 1;
	ask(0x9000, 100);
	give_tagged(false, READ_RESPONSE, 0x9000, 0, 100, 100);
	ask(0x9001, 100);
	give_tagged(false, READ_RESPONSE, 0x9000, 0, 100, 100);
	stop();
	for (unsigned i = 0; i < reported_count; i++)
		cr_expect_not(reported[i].complete, "message %u", i);
}

/* A READ and its response are not captured, before the READ of a call's chunk: RPC servers use one sink per READ under way. */
Test(ddp_message, a_read_of_a_chunk_has_the_response_for_its_sink)
{
	/* RPC-over-RDMA with a read chunk of 24 bytes under STag 99 at position 44, then a call of NFS. RFC 8166, 4; RFC 5531, 9 */
	static const uint32_t words[] = { 7, 1, 32, 0, 1, 44, 99, 24, 0, 0, 0, 0, 0, 7, 0, 2, 100003, 3, 7, 0, 0, 0, 0, 24 };

	for (unsigned stag = 98; stag <= 99; stag++) {
		start();
		loss = 1;
		ask(0x8000, 100);
		give_tagged(false, READ_RESPONSE, 0x8000, 0, 100, 100);
		loss = 0;
		for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
			put32(data + 4 * i, words[i]);
		give_untagged(false, SEND, 0, 0, sizeof words, sizeof words);
		memset(data, 0, 28);
		put32(data, 0x9000);
		put32(data + 12, 24);
		put32(data + 16, stag);
		give_untagged(true, READ_REQUEST, 1, 0, 28, 28);
		give_tagged(false, READ_RESPONSE, 0x9000, 0, 24, 24);
		stop();
		for (unsigned i = 0; i < reported_count; i++)
			if (reported[i].kind == RTAP_KIND_READ)
				cr_expect_eq(reported[i].complete, stag == 99);
	}
}

/* Of the first two responses, each of two segments, only a part of the first segment is captured. */
Test(ddp_message, missing_bytes_of_the_size_of_two_responses_are_these)
{
	static const uint8_t first[TAGGED_HEADER + 100] = { TAGGED | DDP_VERSION, RDMAP_VERSION | READ_RESPONSE, [4] = 0x90 };

	loss = 0;
	start();
	for (unsigned i = 0; i < 3; i++)
		ask(0x9000, 200);
	cut_off = 64;
	give_ulpdu(false, first, sizeof first);
	cut_off = 0;
	loss = 1;
	give_tagged(false, READ_RESPONSE, 0x9000, 100, 100, 100);
	give_tagged(false, READ_RESPONSE, 0x9000, 0, 200, 100);
	loss = 0;
	give_tagged(false, READ_RESPONSE, 0x9000, 0, 200, 100);
	stop();
	cr_assert_eq(reported_count, 3);
	for (unsigned i = 0; i < 3; i++)
		cr_expect_eq(reported[i].complete, i == 2);
}

/* Two segments of different responses are captured, and the whole last response: that may be to any READ but the first. */
Test(ddp_message, a_response_after_a_part_of_an_unknown_one_can_be_that_of_several_reads)
{
	static const uint8_t first[TAGGED_HEADER + 100] = { TAGGED | DDP_VERSION, RDMAP_VERSION | READ_RESPONSE, [4] = 0x90 };
	static const uint8_t third[TAGGED_HEADER + 100] = { TAGGED | DDP_VERSION, RDMAP_VERSION | READ_RESPONSE, [4] = 0x90, [13] = 200 };

	loss = 0;
	start();
	for (unsigned i = 0; i < 3; i++)
		ask(0x9000, 303);
	give_ulpdu(false, first, sizeof first);
	loss = 1;
	give_tagged(false, READ_RESPONSE, 0x9000, 100, 203, 100);
	give_tagged(false, READ_RESPONSE, 0x9000, 0, 200, 100);
	loss = 0;
	give_ulpdu(false, third, sizeof third);
	loss = 1;
	give_tagged(false, READ_RESPONSE, 0x9000, 300, 3, 100);
	loss = 0;
	give_tagged(false, READ_RESPONSE, 0x9000, 0, 303, 100);
	stop();
	for (unsigned i = 0; i < reported_count; i++)
		cr_expect(!reported[i].request_seen || reported[i].psn == 3 || !reported[i].complete, "READ %u has other data", reported[i].psn);
}

/* The first request is not captured. Its response has begun when the next one shows that there was one. */
Test(ddp_message, a_response_under_way_when_a_lost_request_is_found_is_one)
{
	static const uint8_t first[TAGGED_HEADER + 100] = { TAGGED | DDP_VERSION, RDMAP_VERSION | READ_RESPONSE, [4] = 0x90 };
	uint32_t sums[4] = { 0 };
	unsigned complete = 0;

	start();
	loss = 1;
	ask(0x9000, 303);
	loss = 0;
	give_ulpdu(false, first, sizeof first);
	ask(0x9000, 303);
	ask(0x9000, 303);
	memset(data, 0, 303);
	give_tagged(false, READ_RESPONSE, 0x9000, 100, 203, 100);
	for (uint8_t msn = 2; msn <= 3; msn++) {
		data[0] = msn;
		sums[msn] = (uint32_t)crc32_z(0, data, 303);
		give_tagged(false, READ_RESPONSE, 0x9000, 0, 303, 100);
	}
	stop();
	for (unsigned i = 0; i < reported_count; i++) {
		if (!reported[i].request_seen || !reported[i].complete)
			continue;
		cr_assert(reported[i].psn == 2 || reported[i].psn == 3);
		cr_expect_eq(reported[i].crc32, sums[reported[i].psn], "READ %u has other data", reported[i].psn);
		complete++;
	}
	cr_expect_eq(complete, 2);
}

/* The last segment of a Send is not captured, or a Send is truncated within its headers: that has the length of a response. */
Test(ddp_message, missing_bytes_of_a_send_are_no_response)
{
	for (unsigned is_cut = 0; is_cut < 2; is_cut++) {
		uint32_t sums[2];
		uint8_t segment[UNTAGGED_HEADER + 96] = { DDP_VERSION | (is_cut ? LAST : 0), RDMAP_VERSION | SEND, [13] = 1 };

		loss = 0;
		start();
		for (unsigned i = 0; i < 2; i++)
			ask(0x9000, 100);
		cut_off = is_cut ? 110 : 0;
		give_ulpdu(false, segment, sizeof segment);
		cut_off = 0;
		segment[0] |= LAST;
		segment[17] = 96;
		loss = 1;
		if (!is_cut)
			give_ulpdu(false, segment, sizeof segment);
		loss = 0;
		for (unsigned i = 0; i < 2; i++) {
			data[0] = (uint8_t)i;
			sums[i] = (uint32_t)crc32_z(0, data, 100);
			give_tagged(false, READ_RESPONSE, 0x9000, 0, 100, 100);
		}
		stop();
		for (unsigned i = 0; i < reported_count; i++)
			cr_expect(reported[i].kind != RTAP_KIND_READ || !reported[i].request_seen || !reported[i].complete ||
				  reported[i].crc32 == sums[reported[i].psn - 1], "is_cut %u: READ %u has other data", is_cut, reported[i].psn);
	}
}

/* Requests are answered in order, so the response to an atomic is that to the one request that was not captured. */
Test(ddp_message, a_read_after_an_atomic_that_was_not_captured_has_its_response)
{
	start();
	fill_noise(data, sizeof data, 1);
	loss = 1;
	give_untagged(true, ATOMIC_REQUEST, 1, 0, 52, 52);
	loss = 0;
	ask(0x9000, 100);
	ask(0x9000, 100);
	put32(data, 77);
	give_untagged(false, ATOMIC_RESPONSE, 3, 0, 12, 12);
	for (unsigned i = 0; i < 2; i++)
		give_tagged(false, READ_RESPONSE, 0x9000, 0, 100, 100);
	stop();
	cr_assert_eq(reported_count, 2);
	for (unsigned i = 0; i < 2; i++)
		cr_expect(reported[i].complete && reported[i].psn == 2 + i);
}

/* Its frame has no byte of it, and no other bytes follow before the response. */
Test(ddp_message, an_atomic_whose_frame_was_truncated_is_answered_by_its_response)
{
	start();
	ask(0x9000, 100);
	give_tagged(false, READ_RESPONSE, 0x9000, 0, 100, 100);
	cut_off = 2 + UNTAGGED_HEADER + 52 + 4;
	give_untagged(true, ATOMIC_REQUEST, 1, 0, 52, 52);
	cut_off = 0;
	put32(data, 77);
	give_untagged(false, ATOMIC_RESPONSE, 3, 0, 12, 12);
	for (unsigned i = 0; i < 2; i++)
		ask(0x9000, 100);
	for (unsigned i = 0; i < 2; i++)
		give_tagged(false, READ_RESPONSE, 0x9000, 0, 100, 100);
	stop();
	cr_assert_eq(reported_count, 3);
	for (unsigned i = 0; i < 3; i++)
		cr_expect(reported[i].complete && reported[i].psn == 1 + i + (i > 0), "message %u", i);
}

/* Gives the bytes of a's stream from `from` up to but excluding `to`. */
static void give_part(uint32_t from, uint32_t to)
{
	give(true, PORT, FLAG_ACK, SETUP + from, SETUP, sides[1].sender.bytes + from, to - from);
}

Test(ddp_message, a_message_begins_with_the_earliest_frame_that_has_a_part_of_it)
{
	uint32_t length;

	start();
	send_send(&sides[1].sender, 600);
	length = sides[1].sender.length;
	give_part(300, length);
	give_part(0, 300);
	end();
	cr_assert_eq(reported_count, 1);
	cr_expect(reported[0].complete);
	cr_expect_eq(reported[0].first_frame, frames - 1);
	cr_expect_eq(reported[0].last_frame, frames);
	cr_expect_eq(reported[0].frames, 2);
}

/* The frame with the end of the second of three segments and all of the third is captured first. */
Test(ddp_message, a_frame_with_parts_of_two_segments_counts_once)
{
	uint8_t ulpdu[UNTAGGED_HEADER + 100] = { DDP_VERSION, RDMAP_VERSION | SEND, [13] = 1 };
	uint32_t middle = 0;

	start();
	for (unsigned i = 0; i < 3; i++) {
		ulpdu[0] = (uint8_t)(DDP_VERSION | (i == 2 ? LAST : 0));
		put32(ulpdu + 14, 100 * i);
		if (i == 1)
			middle = sides[1].sender.length + 50;
		send_fpdu(&sides[1].sender, ulpdu, sizeof ulpdu);
	}
	give_part(middle, sides[1].sender.length);
	give_part(0, middle);
	end();
	cr_assert_eq(reported_count, 1);
	cr_expect(reported[0].complete);
	cr_expect_eq(reported[0].frames, 2);
}

/* The second of three segments is captured before a frame with all three. */
Test(ddp_message, a_frame_around_another_one_counts_once)
{
	uint8_t ulpdu[UNTAGGED_HEADER + 100] = { DDP_VERSION, RDMAP_VERSION | SEND, [13] = 1 };
	uint32_t ends[3];

	start();
	for (unsigned i = 0; i < 3; i++) {
		ulpdu[0] = (uint8_t)(DDP_VERSION | (i == 2 ? LAST : 0));
		put32(ulpdu + 14, 100 * i);
		send_fpdu(&sides[1].sender, ulpdu, sizeof ulpdu);
		ends[i] = sides[1].sender.length;
	}
	give_part(ends[0], ends[1]);
	give_part(0, ends[2]);
	end();
	cr_assert_eq(reported_count, 1);
	cr_expect(reported[0].complete);
	cr_expect_eq(reported[0].frames, 2);
}

/* Of four frames of 200 bytes, the first is truncated and the second not captured. */
Test(ddp_message, what_was_truncated_and_what_was_not_captured_have_their_own_reasons)
{
	const uint32_t header = 2 + UNTAGGED_HEADER;

	start();
	send_send(&sides[1].sender, 800 - header - 4);
	cut_off = 50;
	give_part(0, 200);
	cut_off = 0;
	give_part(400, 600);
	give_part(600, 800);
	end();
	cr_assert_eq(reported_count, 1);
	cr_assert_eq(reported[0].missing_count, 2);
	cr_expect_eq(last_missing[0].reason, RTAP_MISSING_SNAPPED);
	cr_expect_eq(last_missing[0].offset, 150 - header);
	cr_expect_eq(last_missing[0].length, 50);
	cr_expect_eq(last_missing[1].reason, RTAP_MISSING_NOT_CAPTURED);
	cr_expect_eq(last_missing[1].offset, 200 - header);
	cr_expect_eq(last_missing[1].length, 200);
}

Test(ddp_message, an_empty_last_segment_shows_where_a_message_ends)
{
	uint8_t ulpdu[UNTAGGED_HEADER + 100] = { DDP_VERSION, RDMAP_VERSION | SEND, [13] = 1 };
	uint32_t first, second;

	start();
	send_fpdu(&sides[1].sender, ulpdu, sizeof ulpdu);
	first = sides[1].sender.length;
	put32(ulpdu + 14, 100);
	send_fpdu(&sides[1].sender, ulpdu, sizeof ulpdu);
	second = sides[1].sender.length;
	put32(ulpdu + 14, 200);
	ulpdu[0] |= LAST;
	send_fpdu(&sides[1].sender, ulpdu, UNTAGGED_HEADER);
	give_part(0, first);
	give_part(second, sides[1].sender.length);
	end();
	cr_assert_eq(reported_count, 1);
	cr_expect_not(reported[0].complete);
	cr_expect(reported[0].length_known);
	cr_expect_eq(reported[0].length, 200);
}

Test(ddp_message, the_end_of_a_write_is_not_that_of_another_one_of_the_same_memory)
{
	uint8_t ulpdu[TAGGED_HEADER + 100] = { TAGGED | DDP_VERSION, RDMAP_VERSION, [5] = 7 };
	uint32_t begin, first = 0, second = 0;

	start();
	send_send(&sides[1].sender, 10);
	begin = sides[1].sender.length;
	for (unsigned write = 0; write < 2; write++) {
		ulpdu[0] &= (uint8_t)~LAST;
		put32(ulpdu + 10, 0);
		send_fpdu(&sides[1].sender, ulpdu, sizeof ulpdu);
		if (!write)
			first = sides[1].sender.length;
		second = sides[1].sender.length;
		ulpdu[0] |= LAST;
		put32(ulpdu + 10, 100);
		send_fpdu(&sides[1].sender, ulpdu, TAGGED_HEADER + 1);
	}
	give_part(0, begin);
	give_part(begin, first);
	give_part(second, sides[1].sender.length);
	end();
	cr_assert_eq(reported_count, 3);
	cr_expect(reported[0].complete);
	cr_expect_not(reported[1].complete);
	cr_expect_not(reported[2].complete);
}

/* Gives all that a side sent once more, a second later; nothing of the other side is acknowledged. */
static void give_again(bool from_a)
{
	later_ns += 1000000000;
	give(from_a, PORT, FLAG_ACK, SETUP, SETUP, sides[from_a].sender.bytes, sides[from_a].sender.length);
}

Test(ddp_message, a_read_that_recovers_in_both_directions_is_not_used_after_its_end)
{
	static const uint8_t first[TAGGED_HEADER + 100] = { TAGGED | DDP_VERSION, RDMAP_VERSION | READ_RESPONSE, [4] = 0x90 };
	const struct ddp_half *halves;
	uint32_t part;

	loss = 0;
	start();
	ask(0x9000, 104);
	send_fpdu(&sides[0].sender, first, sizeof first);
	part = sides[0].sender.length;
	give(false, PORT, FLAG_ACK, SETUP, SETUP, sides[0].sender.bytes, part);
	halves = TAILQ_FIRST(&tracker->connections)->ddp->halves;
	give_again(true);
	give_again(false);
	cr_assert(halves[0].recovering && halves[0].recovering == halves[1].recovering);
	/* ends the recovery of the response only */
	give(true, PORT, FLAG_ACK, SETUP + sides[1].sender.length, SETUP + part, NULL, 0);
	cr_expect_null(halves[0].recovering);
	cr_assert(halves[1].recovering);
	sides[0].given = part;
	sides[1].given = 0;
	give_tagged(false, READ_RESPONSE, 0x9000, 100, 4, 4);
	/* one more: after the first, a Terminate could follow */
	for (unsigned i = 0; i < 2; i++)
		give(true, PORT, FLAG_ACK, SETUP + sides[1].sender.length, SETUP + sides[0].sender.length, NULL, 0);
	cr_assert_eq(reported_count, 1);
	cr_expect(reported[0].complete);
	cr_expect_null(halves[1].recovering);
	stop();
}

Test(ddp_message, a_segment_of_a_queue_or_opcode_that_there_is_not_is_no_message)
{
	static const struct { unsigned opcode; uint32_t queue; } cases[] = { { 12, 0 }, { 15, 0 }, { SEND, 4 }, { SEND, UINT32_MAX } };

	loss = 0;
	start();
	fill_noise(data, sizeof data, 1);
	make_send(50, 50);
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint8_t ulpdu[UNTAGGED_HEADER + 8] = { DDP_VERSION | LAST, (uint8_t)(RDMAP_VERSION | cases[i].opcode) };

		put32(ulpdu + 6, cases[i].queue);
		put32(ulpdu + 10, 1);
		give_ulpdu(true, ulpdu, sizeof ulpdu);
	}
	make_send(60, 60);
	stop();
	cr_assert_eq(reported_count, 2);
	cr_expect(is_same(&reported[0], &sent[0]));
	cr_expect(is_same(&reported[1], &sent[1]));
}
