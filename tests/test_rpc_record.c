/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "reassembly/upper/rpc_record.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LAST 0x80000000u
#define MOST_RECORDS 200

static struct budget budget;
static struct rpc_record_reader reader;
static struct rpc_record_copies copies;
static uint8_t stream[400000];
static uint32_t stream_length;
static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % below;
}

/* What was reported. */
static struct reported {
	struct rpc_record record;
	uint8_t *bytes;
} reported[MOST_RECORDS];
static uint32_t reported_count;
static uint64_t memory_wanted; /* by the receiver of reports, in the call */

static void on_record(void *owner, const struct rpc_record *record)
{
	struct reported *one = &reported[reported_count++];
	struct budget_entry other = { 0 };

	if (memory_wanted && budget_take(&budget, &other, memory_wanted))
		budget_give(&budget, &other, memory_wanted);
	cr_assert_eq(owner, &reader);
	cr_assert_leq(reported_count, MOST_RECORDS);
	one->record = *record;
	one->bytes = malloc(record->bytes.length + 1);
	if (record->bytes.length)
		memcpy(one->bytes, record->bytes.bytes, record->bytes.length);
}

static void begin(uint64_t limit, bool is_beginning)
{
	budget_init(&budget, limit);
	rpc_record_copies_init(&copies, UINT64_MAX);
	rpc_record_init(&reader, &budget, &copies, &(struct rpc_record_user){ &reader, on_record }, is_beginning);
	reported_count = 0;
}

static void end(void)
{
	rpc_record_end(&reader);
	rpc_record_fini(&reader);
	cr_assert_eq(budget.used, 0);
	for (uint32_t i = 0; i < reported_count; i++)
		free(reported[i].bytes);
}

static void give(uint32_t from, uint32_t to, uint64_t frame)
{
	uint8_t *block = malloc(to - from + 1);

	memcpy(block, stream + from, to - from);
	rpc_record_bytes(&reader, &(struct tcp_bytes){ .offset = from, .span = { block, to - from }, .frame = frame,
						       .time_ns = (int64_t)frame * 1000 });
	free(block);
}

static void put32(uint32_t word)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		stream[stream_length++] = (uint8_t)(word >> shift);
}

static void put_words(const uint32_t *words, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		put32(words[i]);
}

static const uint32_t call[] = { 0x11111111, 0, 2, 100003, 3, 7, 1, 4, 0xabcdef01, 0, 0 };
static const uint32_t reply[] = { 0x11111111, 1, 0, 0, 0, 0 };

/* A mark and a message: header, then `more` bytes that are random. */
static void put_message(bool is_reply, uint32_t more)
{
	put32(LAST | ((is_reply ? sizeof reply : sizeof call) + more));
	put_words(is_reply ? reply : call, is_reply ? COUNT(reply) : COUNT(call));
	while (more--)
		stream[stream_length++] = (uint8_t)draw(256);
}

TestSuite(rpc_record, .timeout = HANG_SECONDS);

Test(rpc_record, only_possible_calls_and_replies_are_recognised)
{
	static const struct {
		const char *what;
		uint32_t words[10], bytes;
		enum rpc_record_guess strict, known;
	} cases[] = {
		{ "call", { LAST | 40, 1, 0, 2, 100003, 3, 0, 0, 0, 0 }, 36, RPC_RECORD_YES, RPC_RECORD_YES },
		{ "call, cut short", { LAST | 40, 1, 0, 2, 100003, 3, 0, 0, 0, 0 }, 35, RPC_RECORD_PERHAPS, RPC_RECORD_PERHAPS },
		{ "shorter than a call", { LAST | 36, 1, 0, 2, 100003, 3, 0, 0, 0, 0 }, 36, RPC_RECORD_NO, RPC_RECORD_NO },
		{ "RPC version 3", { LAST | 40, 1, 0, 3, 100003, 3, 0, 0, 0, 0 }, 36, RPC_RECORD_NO, RPC_RECORD_NO },
		{ "no program's number", { LAST | 40, 1, 0, 2, 99999, 3, 0, 0, 0, 0 }, 36, RPC_RECORD_NO, RPC_RECORD_NO },
		{ "credential too long", { LAST | 4000, 1, 0, 2, 100003, 3, 0, 1, 401, 0 }, 36, RPC_RECORD_NO, RPC_RECORD_NO },
		{ "reply", { LAST | 24, 1, 1, 0, 0, 0, 0 }, 28, RPC_RECORD_YES, RPC_RECORD_YES },
		{ "reply with a verifier", { LAST | 40, 1, 1, 0, 6, 12, 0x12345678 }, 36, RPC_RECORD_YES, RPC_RECORD_YES },
		{ "no accept state", { LAST | 24, 1, 1, 0, 0, 0, 6 }, 28, RPC_RECORD_NO, RPC_RECORD_NO },
		{ "denied", { LAST | 20, 1, 1, 1, 1, 5 }, 24, RPC_RECORD_YES, RPC_RECORD_YES },
		{ "neither", { LAST | 40, 1, 2 }, 12, RPC_RECORD_NO, RPC_RECORD_NO },
		{ "a mark only", { LAST | 40 }, 4, RPC_RECORD_PERHAPS, RPC_RECORD_PERHAPS },
		{ "less than a mark", { LAST | 40 }, 3, RPC_RECORD_PERHAPS, RPC_RECORD_PERHAPS },
		{ "not the last fragment", { 40, 1, 0, 2, 100003, 3, 0, 0, 0, 0 }, 36, RPC_RECORD_NO, RPC_RECORD_YES },
		{ "no multiple of four", { LAST | 41, 1, 0, 2, 100003, 3, 0, 0, 0, 0 }, 36, RPC_RECORD_NO, RPC_RECORD_YES },
		{ "too large", { LAST | 0x500000, 1, 0, 2, 100003, 3, 0, 0, 0, 0 }, 36, RPC_RECORD_NO, RPC_RECORD_YES },
		{ "empty fragment", { 0 }, 4, RPC_RECORD_NO, RPC_RECORD_YES },
		{ "short fragment", { 8, 1, 0 }, 12, RPC_RECORD_NO, RPC_RECORD_YES },
		{ "a record of TLS", { 0x16030100, 0xc8010000 }, 8, RPC_RECORD_NO, RPC_RECORD_PERHAPS },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		stream_length = 0;
		put_words(cases[i].words, COUNT(cases[i].words));
		cr_expect_eq(rpc_record_guess(stream, cases[i].bytes, true), cases[i].strict, "%s", cases[i].what);
		cr_expect_eq(rpc_record_guess(stream, cases[i].bytes, false), cases[i].known, "%s", cases[i].what);
	}
}

Test(rpc_record, a_record_in_one_piece_is_not_copied)
{
	stream_length = 0;
	put_message(false, 1000);
	put_message(true, 0);
	begin(1, true); /* no memory for a copy */
	give(0, stream_length, 5);
	cr_assert_eq(reported_count, 2);
	cr_expect_eq(reported[0].record.missing, RPC_RECORD_WHOLE);
	cr_expect_eq(reported[0].record.length, 1044);
	cr_expect_arr_eq(reported[0].bytes, stream + 4, 1044);
	cr_expect_eq(reported[0].record.frames.first, 5);
	cr_expect_eq(reported[1].record.offset, 1048);
	end();
}

Test(rpc_record, a_record_over_many_segments_has_the_first_and_the_last_one)
{
	stream_length = 0;
	put_message(false, 1000);
	begin(1 << 20, true);
	give(0, 2, 5);
	give(2, 30, 6);
	give(30, 500, 7);
	give(500, 1048, 8);
	cr_assert_eq(reported_count, 1);
	cr_expect_eq(reported[0].record.frames.first, 5);
	cr_expect_eq(reported[0].record.frames.first_ns, 5000);
	cr_expect_eq(reported[0].record.frames.last, 8);
	cr_expect_eq(reported[0].record.frames.last_ns, 8000);
	cr_expect_arr_eq(reported[0].bytes, stream + 4, 1044);
	end();
}

Test(rpc_record, the_frames_of_a_record_are_by_number_not_by_place)
{
	static const uint32_t cuts[] = { 3, 20, 30, 500 };
	static const uint64_t orders[][5] = { { 9, 6, 7, 8, 5 }, { 6, 9, 5, 7, 8 }, { 7, 5, 9, 6, 8 }, { 6, 7, 8, 5, 9 } };

	/* bytes after a gap are captured before those in it */
	for (size_t i = 0; i < COUNT(orders); i++) {
		stream_length = 0;
		put_message(false, 1000);
		begin(1 << 20, true);
		for (uint32_t k = 0; k < 5; k++)
			give(k ? cuts[k - 1] : 0, k < 4 ? cuts[k] : stream_length, orders[i][k]);
		cr_assert_eq(reported_count, 1);
		cr_expect_eq(reported[0].record.frames.first, 5, "order %zu", i);
		cr_expect_eq(reported[0].record.frames.first_ns, 5000, "order %zu", i);
		cr_expect_eq(reported[0].record.frames.last, 9, "order %zu", i);
		cr_expect_eq(reported[0].record.frames.last_ns, 9000, "order %zu", i);
		end();
	}
}

Test(rpc_record, bytes_before_a_record_do_not_give_it_their_frame)
{
	/* the end of another record, whose beginning is missing */
	stream_length = 0;
	put32(0x12345678);
	stream_length = 3;
	put_message(true, 200);
	begin(1 << 20, false);
	give(0, 3, 4);
	give(3, 4, 6);
	give(4, stream_length, 7);
	cr_assert_eq(reported_count, 1);
	cr_expect_eq(reported[0].record.frames.first, 6);
	cr_expect_eq(reported[0].record.frames.last, 7);
	end();
}

Test(rpc_record, fragments_are_put_together_empty_ones_too)
{
	for (uint32_t step = 1; step < 120; step++) {
		uint8_t whole[44];

		stream_length = 0;
		put_words(call, COUNT(call));
		memcpy(whole, stream, sizeof whole);
		stream_length = 0;
		put32(0);
		put32(8);
		put_words(call, 2);
		put32(0);
		put32(32);
		put_words(call + 2, 8);
		put32(LAST | 4);
		put_words(call + 10, 1);
		put_message(true, 0);
		begin(1 << 20, true);
		for (uint32_t at = 0; at < stream_length; at += step)
			give(at, at + step < stream_length ? at + step : stream_length, 1);
		cr_assert_eq(reported_count, 2, "step %u: %u", step, reported_count);
		cr_expect_eq(reported[0].record.fragments, 5);
		cr_expect_eq(reported[0].record.length, 44);
		cr_expect_arr_eq(reported[0].bytes, whole, 44);
		cr_expect_eq(reported[1].record.length, 24);
		end();
	}
}

Test(rpc_record, records_beyond_the_limit_are_skipped_by_length)
{
	static const uint8_t zeros[65536];
	uint32_t length = 5u << 20;

	stream_length = 0;
	put32(LAST | length);
	put_words(call, COUNT(call));
	begin(1 << 20, true);
	give(0, stream_length, 1);
	for (uint32_t left = length - sizeof call, step; left; left -= step) {
		step = left < sizeof zeros ? left : sizeof zeros;
		rpc_record_bytes(&reader, &(struct tcp_bytes){ .span = { zeros, step }, .frame = 2 });
	}
	stream_length = 0;
	put_message(true, 0);
	give(0, stream_length, 3);
	cr_assert_eq(reported_count, 2);
	cr_expect_eq(reported[0].record.missing, RPC_RECORD_TOO_LARGE);
	cr_expect_eq(reported[0].record.length, length);
	cr_expect_eq(reported[0].record.bytes.length, 0);
	cr_expect_eq(reported[1].record.missing, RPC_RECORD_WHOLE);
	cr_expect_eq(budget.peak, 0);
	end();
}

Test(rpc_record, records_beyond_memory_are_reported_without_bytes)
{
	struct budget_entry other = { 0 };

	stream_length = 0;
	put_message(false, 100000);
	put_message(false, 100000);
	begin(90000, true);
	give(0, 50000, 1);
	give(50000, 150000, 2);
	cr_assert_eq(reported_count, 1);
	cr_expect_eq(reported[0].record.missing, RPC_RECORD_EVICTED);
	cr_expect_eq(reported[0].record.length, 100044);
	cr_assert(budget_take(&budget, &other, 90000));
	give(150000, stream_length, 3);
	cr_assert_eq(reported_count, 2);
	cr_expect_eq(reported[1].record.missing, RPC_RECORD_EVICTED);
	budget_give(&budget, &other, 90000);
	end();
}

Test(rpc_record, a_callback_cannot_evict_its_argument)
{
	stream_length = 0;
	put_message(false, 1000);
	begin(1 << 20, true);
	memory_wanted = 1 << 20;
	give(0, 500, 1);
	give(500, stream_length, 2);
	memory_wanted = 0;
	cr_assert_eq(reported_count, 1);
	cr_expect_arr_eq(reported[0].bytes, stream + 4, 1044);
	end();
}

Test(rpc_record, a_hole_that_hides_no_mark_costs_one_record_and_leaves_its_beginning)
{
	stream_length = 0;
	put_message(false, 1000);
	put_message(false, 100);
	begin(1 << 20, true);
	give(0, 700, 1);
	rpc_record_hole(&reader, &(struct tcp_hole){ 700, 348, TCP_HOLE_SNAPPED });
	give(1048, stream_length, 2);
	cr_assert_eq(reported_count, 2);
	cr_expect_eq(reported[0].record.missing, RPC_RECORD_HOLE);
	cr_expect_eq(reported[0].record.hole, TCP_HOLE_SNAPPED);
	cr_expect_eq(reported[0].record.length, 1044);
	cr_expect_eq(reported[0].record.bytes.length, 696);
	cr_expect_arr_eq(reported[0].bytes, stream + 4, 696);
	cr_expect_eq(reported[1].record.missing, RPC_RECORD_WHOLE);
	cr_expect(!reported[1].record.recovered);
	end();
}

Test(rpc_record, the_end_of_the_stream_leaves_a_record_unfinished)
{
	stream_length = 0;
	put_message(false, 1000);
	begin(1 << 20, true);
	give(0, 100, 1);
	rpc_record_end(&reader);
	cr_assert_eq(reported_count, 1);
	cr_expect_eq(reported[0].record.missing, RPC_RECORD_UNFINISHED);
	cr_expect_eq(reported[0].record.bytes.length, 96);
	end();
}

Test(rpc_record, garbage_is_passed_over_and_a_record_after_it_found)
{
	for (uint32_t seed = 0; seed < 300; seed++) {
		uint32_t garbage;

		random_state = seed;
		stream_length = 0;
		garbage = draw(3000);
		for (uint32_t i = 0; i < garbage; i++)
			stream[stream_length++] = seed % 3 ? (uint8_t)draw(256) : (uint8_t)(draw(8) ? 0 : 0x80);
		put_message(seed & 1, 4 * draw(500));
		put_message(!(seed & 1), 4 * draw(500));
		begin(1 << 20, false);
		for (uint32_t at = 0, step; at < stream_length; at += step) {
			step = 1 + draw(seed & 4 ? 10 : 2000);
			if (step > stream_length - at)
				step = stream_length - at;
			give(at, at + step, at);
		}
		cr_assert_eq(reported_count, 2, "seed %u: %u", seed, reported_count);
		cr_assert_eq(reported[0].record.offset, garbage, "seed %u", seed);
		cr_assert(reported[0].record.recovered && !reported[1].record.recovered);
		cr_assert_eq(reader.passed_over, garbage);
		end();
	}
}

/* Where the records of a random stream are. */
static struct truth {
	uint32_t begin, end, length;
	bool whole;      /* no hole touches it */
	bool single;     /* one fragment: it can be found by searching */
	uint8_t *bytes;
} truths[MOST_RECORDS];
static uint32_t truth_count;

static void put_truth(void)
{
	struct truth *truth = &truths[truth_count++];
	uint32_t start = stream_length, at = 0;
	static uint8_t message[20000];

	put_message(draw(2), 4 * draw(draw(4) ? 100 : 3000));
	*truth = (struct truth){ .begin = start, .length = stream_length - start - 4, .whole = true, .single = draw(5) };
	memcpy(message, stream + start + 4, truth->length);
	truth->bytes = malloc(truth->length);
	memcpy(truth->bytes, message, truth->length);
	if (!truth->single)
		for (stream_length = start; at < truth->length;) {
			uint32_t step = draw(4) ? draw(truth->length) : draw(5);

			if (step > truth->length - at)
				step = truth->length - at;
			put32(step | (at + step == truth->length ? LAST : 0));
			memcpy(stream + stream_length, message + at, step);
			stream_length += step;
			at += step;
		}
	truth->end = stream_length;
}

static void mark_hole(uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < truth_count; i++)
		if (from < truths[i].end && to > truths[i].begin)
			truths[i].whole = false;
}

static const struct truth *truth_at(uint64_t offset)
{
	for (uint32_t i = 0; i < truth_count; i++)
		if (truths[i].begin == offset)
			return &truths[i];
	return NULL;
}

static bool was_reported(const struct truth *truth)
{
	for (uint32_t i = 0; i < reported_count; i++)
		if (reported[i].record.offset == truth->begin && reported[i].record.missing == RPC_RECORD_WHOLE)
			return true;
	return false;
}

Test(rpc_record, of_a_stream_with_holes_every_record_that_no_hole_touches_comes_whole_and_no_wrong_byte)
{
	for (uint32_t seed = 0; seed < 3000; seed++) {
		bool has_holes = seed % 3, lost = false;

		random_state = seed;
		stream_length = truth_count = 0;
		while (truth_count < 20)
			put_truth();
		begin(1 << 20, true);
		for (uint32_t at = 0, step; at < stream_length; at += step) {
			step = 1 + draw(seed & 1 ? 60 : 3000);
			if (step > stream_length - at)
				step = stream_length - at;
			if (has_holes && !draw(12)) {
				mark_hole(at, at + step);
				rpc_record_hole(&reader, &(struct tcp_hole){ at, step, TCP_HOLE_NOT_CAPTURED });
			} else {
				give(at, at + step, at);
			}
		}
		rpc_record_end(&reader);
		for (uint32_t i = 0; i < reported_count; i++) {
			const struct truth *truth = truth_at(reported[i].record.offset);

			cr_assert(truth, "seed %u: a record at %lu", seed, (unsigned long)reported[i].record.offset);
			cr_assert_leq(reported[i].record.bytes.length, truth->length);
			cr_assert_arr_eq(reported[i].bytes, truth->bytes, reported[i].record.bytes.length);
			cr_assert(reported[i].record.missing || reported[i].record.length == truth->length);
			cr_assert_eq(!reported[i].record.missing, truth->whole);
		}
		/* after a hole one of several fragments may be missed, and found again is the next of one */
		for (uint32_t i = 0; i < truth_count; i++) {
			if (!truths[i].whole)
				lost = true;
			else if (truths[i].single)
				lost = false;
			if (truths[i].whole && !lost)
				cr_assert(was_reported(&truths[i]), "seed %u: record %u", seed, i);
			free(truths[i].bytes);
		}
		end();
	}
}

Test(rpc_record, the_rest_of_an_evicted_record_is_skipped)
{
	uint32_t next;

	stream_length = 0;
	put_message(false, 3000);
	next = stream_length;
	put_message(false, 500);
	for (uint32_t cut = 40; cut < next; cut += 1000) {
		begin(1 << 20, true);
		give(0, cut, 1);
		rpc_record_give_up(&reader);
		rpc_record_give_up(&reader);
		cr_assert_eq(reported_count, 1);
		cr_expect_eq(reported[0].record.missing, RPC_RECORD_UNFINISHED);
		cr_expect(reported[0].record.bytes.length == cut - 4 && reported[0].record.seen == cut - 4);
		cr_expect_eq(reported[0].record.length, next - 4);
		cr_expect_eq(budget.used, 0);
		give(cut, stream_length, 2);
		cr_assert_eq(reported_count, 2);
		cr_expect_eq(reported[1].record.offset, next);
		cr_expect_eq(reported[1].record.missing, RPC_RECORD_WHOLE);
		cr_expect_eq(reader.passed_over, next - cut);
		end();
	}
}

/* A record evicted by others: its first bytes remain, and the number of received bytes is known. */
Test(rpc_record, records_without_progress_lose_their_bytes_to_others)
{
	struct rpc_record_reader other;

	stream_length = 0;
	put_message(false, 100000);
	for (int completes = 0; completes < 2; completes++) {
		begin(1 << 20, true);
		copies.most = 100000;
		rpc_record_init(&other, &budget, &copies, &(struct rpc_record_user){ &reader, on_record }, true);
		give(0, 50000, 1);
		budget_advance(&budget, 0);
		budget_advance(&budget, 999999999);
		rpc_record_bytes(&other, &(struct tcp_bytes){ .span = { stream, 50000 }, .frame = 2 });
		cr_expect_gt(copies.bytes, 100000);
		/* a second after the last bytes of the first one */
		budget_advance(&budget, 1000000000);
		rpc_record_bytes(&other, &(struct tcp_bytes){ .offset = 50000, .span = { stream + 50000, 100 }, .frame = 3 });
		cr_expect_leq(copies.bytes, 100000);
		cr_expect_leq(reader.room, 1024);
		give(50000, 60000, 4);
		if (completes)
			give(60000, stream_length, 5);
		else
			rpc_record_give_up(&reader);
		cr_assert_eq(reported_count, 1);
		cr_expect_eq(reported[0].record.missing, completes ? RPC_RECORD_EVICTED : RPC_RECORD_UNFINISHED);
		cr_expect_eq(reported[0].record.seen, (completes ? stream_length : 60000) - 4);
		cr_expect_eq(reported[0].record.bytes.length, 512);
		cr_expect_arr_eq(reported[0].bytes, stream + 4, 512);
		rpc_record_end(&other);
		rpc_record_fini(&other);
		cr_expect(TAILQ_EMPTY(&copies.readers) && !copies.bytes);
		end();
	}
}
