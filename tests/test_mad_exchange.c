/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include <rdmatap/tracker.h>

#include "tests/mad_kit.h"

#define SM 0x0a000001u
#define NODE 0x0a000002u
#define MILLISECOND INT64_C(1000000)
#define SECOND (1000 * MILLISECOND)
#define MIB (UINT64_C(1) << 20)
#define PER_SEGMENT 200u

static struct rtap_tracker *tracker;
static struct rtap_packet packet;
static struct rtap_tracker_counters counters;
static uint8_t bytes[ROCE_MAX_FRAME];
static uint64_t frames, reported;
static int64_t now_ns;
static struct rtap_message messages[16]; /* the first ones reported */
static struct rtap_missing holes[16];    /* of each, the first */
static uint8_t payload[16][4];           /* of each, one byte of every segment */
static bool keeps_bytes;
static uint16_t point;
static uint16_t p_key; /* 0: the kit's */

static void note_message(void *owner, const struct rtap_message *message)
{
	(void)owner;
	if (reported < 16) {
		messages[reported] = *message;
		if (message->missing_count)
			holes[reported] = message->missing[0];
		for (uint32_t i = 0; message->segments && i < 4 && i * PER_SEGMENT < message->bytes.length; i++)
			payload[reported][i] = message->bytes.bytes[i * PER_SEGMENT];
	}
	reported++;
}

static void begin(uint64_t max_memory)
{
	struct rtap_tracker_options options = { .size = sizeof options, .max_memory = max_memory, .message = note_message, .bytes = keeps_bytes,
						.checksums = keeps_bytes };

	frames = reported = 0;
	now_ns = 1000 * SECOND;
	cr_assert_eq(rtap_tracker_open(&tracker, &options, NULL), RTAP_STATUS_OK);
}

static void end(void)
{
	rtap_tracker_finish(tracker);
	rtap_tracker_counters(tracker, &counters, sizeof counters);
	rtap_tracker_close(tracker);
	tracker = NULL;
}

static void put(uint32_t source, uint32_t destination, const struct mad *mad, int64_t wait_ns, uint32_t captured)
{
	uint32_t length = mad_frame(bytes, source, destination, mad);
	struct rtap_frame frame = { .bytes = bytes, .captured_length = captured ? captured : length, .wire_length = length,
				    .link_type = RTAP_LINK_RAW, .number = ++frames, .capture_point = point };

	if (p_key)
		roce_put(bytes + ROCE_P_KEY_AT, p_key, 2);
	now_ns += wait_ns;
	frame.time_ns = now_ns;
	rtap_tracker_frame(tracker, &frame, &packet);
}

static struct mad get(uint64_t transaction)
{
	return (struct mad){ .management_class = MAD_CLASS_PERFORMANCE, .method = 0x01, .attribute = 0x12, .transaction_id = transaction };
}

static struct mad answer(uint64_t transaction)
{
	return (struct mad){ .management_class = MAD_CLASS_PERFORMANCE, .method = 0x81, .attribute = 0x12, .transaction_id = transaction };
}

TestSuite(mad_exchange, .timeout = HANG_SECONDS);

Test(mad_exchange, an_answer_and_its_request_name_each_other)
{
	struct mad request = get(7), response = answer(7);

	begin(16 * MIB);
	put(SM, NODE, &request, 0, 0);
	put(NODE, SM, &response, 3 * MILLISECOND, 0);
	cr_expect_eq(packet.flow.request_frame, 1);
	cr_expect(packet.flow.has_latency);
	cr_expect_eq(packet.flow.latency_ns, 3 * MILLISECOND);
	end();
	cr_assert_eq(reported, 2);
	cr_expect_eq(messages[0].partner, 2);
	cr_expect_eq(messages[0].answered_in, 2);
	cr_expect_eq(messages[1].partner, 1);
	cr_expect_eq(messages[1].latency_ns, 3 * MILLISECOND);
	cr_expect_eq(messages[0].outcome, RTAP_OUTCOME_NONE);
}

Test(mad_exchange, a_request_that_two_points_have_is_one_and_counted)
{
	struct mad request = get(7), response = answer(7);

	begin(16 * MIB);
	put(SM, NODE, &request, 0, 0);
	point = 1;
	put(SM, NODE, &request, 0, 0);
	cr_expect_eq(packet.flow.analysis, RTAP_PSN_CAPTURED_TWICE);
	put(NODE, SM, &response, MILLISECOND, 0);
	end();
	cr_expect_eq(reported, 2);
	cr_expect_eq(counters.anomaly_counts[RTAP_CONNECTION_ANOMALY_CAPTURED_TWICE], 1);
}

/* A limited member of the partition requests, a full one responds. IBTA vol. 1, 10.9.3. */
Test(mad_exchange, partitions_do_not_part_an_answer_from_its_request)
{
	struct mad request = get(7), response = answer(7);

	begin(16 * MIB);
	p_key = 0x7fff;
	put(SM, NODE, &request, 0, 0);
	p_key = 0xffff;
	put(NODE, SM, &response, MILLISECOND, 0);
	cr_expect_eq(packet.flow.request_frame, 1);
	cr_expect_eq(packet.ib.p_key, 0xffff);
	end();
	cr_expect_eq(messages[0].partner, 2);
}

/* By method: whether it is a request, and its response. IBTA vol. 1, 13.4.5, 15.2.2. */
Test(mad_exchange, every_request_method_has_its_response)
{
	static const struct {
		uint8_t request, response;
		bool is_answered;
	} cases[] = {
		{ 0x01, 0x81, true }, { 0x02, 0x81, true }, { 0x05, 0x07, true }, { 0x06, 0x86, true }, { 0x12, 0x92, true }, { 0x13, 0x92, true },
		{ 0x14, 0x94, true }, { 0x15, 0x95, true }, { 0x03, 0x83, false }, { 0x81, 0x81, false }, { 0x01, 0x01, false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mad request = get(7), response = answer(7);

		request.method = cases[i].request;
		response.method = cases[i].response;
		begin(16 * MIB);
		put(SM, NODE, &request, 0, 0);
		put(NODE, SM, &response, MILLISECOND, 0);
		cr_expect_eq(packet.flow.request_frame, cases[i].is_answered, "%zu", i);
		end();
		cr_expect_eq(messages[0].outcome == RTAP_OUTCOME_UNANSWERED, i == 10, "%zu", i);
	}
}

/* Differences that assign a response to another request. */
Test(mad_exchange, only_a_response_of_the_same_transaction_answers)
{
	struct mad request = get(7), others[5];

	begin(16 * MIB);
	put(SM, NODE, &request, 0, 0);
	for (size_t i = 0; i < 5; i++)
		others[i] = answer(7);
	others[0].transaction_id = 8;
	others[1].management_class = MAD_CLASS_DEVICE;
	others[2].attribute = 0x1d;
	others[3].method = 0x03;
	for (size_t i = 0; i < 4; i++) {
		put(NODE, SM, &others[i], MILLISECOND, 0);
		cr_expect_eq(packet.flow.request_frame, 0, "%zu", i);
	}
	put(NODE, SM + 8, &others[4], MILLISECOND, 0);
	cr_expect_eq(packet.flow.request_frame, 0);
	put(SM, NODE, &others[4], MILLISECOND, 0);
	cr_expect_eq(packet.flow.request_frame, 0);
	put(NODE, SM, &others[4], MILLISECOND, 0);
	cr_expect_eq(packet.flow.request_frame, 1);
	end();
}

/* Above the kernel, requests do not have the client's number yet. */
Test(mad_exchange, an_upper_half_of_zero_is_any)
{
	struct mad request = get(7), response = answer(UINT64_C(0x300000007)), other = answer(UINT64_C(0x500000007));

	begin(16 * MIB);
	put(SM, NODE, &request, 0, 0);
	put(NODE, SM, &response, MILLISECOND, 0);
	cr_expect_eq(packet.flow.request_frame, 1);
	request.transaction_id = response.transaction_id;
	request.attribute = response.attribute = other.attribute = 0x1d;
	put(SM, NODE, &request, MILLISECOND, 0);
	put(NODE, SM, &other, MILLISECOND, 0);
	cr_expect_eq(packet.flow.request_frame, 0);
	end();
}

Test(mad_exchange, retries_are_counted_and_the_latency_is_that_of_the_first)
{
	struct mad request = get(7), response = answer(7);

	begin(16 * MIB);
	put(SM, NODE, &request, 0, 0);
	put(SM, NODE, &request, 100 * MILLISECOND, 0);
	cr_expect_eq(packet.flow.analysis, RTAP_PSN_RETRANSMISSION);
	put(SM, NODE, &request, 200 * MILLISECOND, 0);
	put(NODE, SM, &response, MILLISECOND, 0);
	cr_expect_eq(packet.flow.latency_ns, 301 * MILLISECOND);
	/* answered: the number is used again */
	put(SM, NODE, &request, MILLISECOND, 0);
	cr_expect_eq(packet.flow.analysis, RTAP_PSN_NONE);
	end();
	cr_expect_eq(messages[0].repeats, 2);
	cr_expect_eq(messages[0].retry_of, 0);
	cr_expect_eq(messages[1].retry_of, 1);
	cr_expect_eq(messages[2].retry_of, 1);
	cr_expect_eq(messages[4].retry_of, 0);
	cr_expect_eq(messages[4].outcome, RTAP_OUTCOME_UNANSWERED);
}

Test(mad_exchange, a_request_is_reported_after_two_seconds_and_discarded_after_sixty)
{
	struct mad first = get(1), second = get(2), late = answer(1);

	begin(16 * MIB);
	put(SM, NODE, &first, 0, 0);
	put(SM, NODE, &second, SECOND, 0);
	cr_expect_eq(reported, 0);
	second.transaction_id = 3;
	put(SM, NODE, &second, SECOND, 0);
	put(SM, NODE, &second, MILLISECOND, 0);
	cr_expect_eq(reported, 1);
	cr_expect_eq(messages[0].outcome, RTAP_OUTCOME_UNANSWERED);
	put(NODE, SM, &late, 10 * SECOND, 0);
	cr_expect_eq(packet.flow.request_frame, 1);
	put(NODE, SM, &late, 50 * SECOND, 0);
	cr_expect_eq(packet.flow.request_frame, 0);
	end();
}

/* Requests without end take no more memory than allowed, and answers still find the newest. */
Test(mad_exchange, memory_is_bounded)
{
	begin(MIB);
	for (uint64_t i = 1; i <= 50000; i++) {
		struct mad request = get(i);

		put(SM, NODE, &request, 1000, 0);
	}
	put(NODE, SM, &(struct mad){ .management_class = MAD_CLASS_PERFORMANCE, .method = 0x81, .attribute = 0x12,
				     .transaction_id = 50000 }, 1000, 0);
	cr_expect_eq(packet.flow.request_frame, 50000);
	end();
	cr_expect_leq(counters.peak_memory, 2 * MIB);
	cr_expect_eq(reported, 50001);
}

/* A segment of a response whose data are all `segment`. */
static struct mad segment_of(uint64_t transaction, uint32_t segment, uint32_t last, uint8_t *data)
{
	memset(data, (int)segment, PER_SEGMENT);
	return (struct mad){
		.management_class = MAD_CLASS_ADMINISTRATION, .method = 0x92, .attribute = 0x35, .transaction_id = transaction,
		.rmpp_type = RMPP_DATA, .rmpp_segment = segment, .attribute_offset = 8,
		.rmpp_flags = (uint8_t)(RMPP_FLAG_ACTIVE | (segment == 1 ? RMPP_FLAG_FIRST : 0) | (segment == last ? RMPP_FLAG_LAST : 0)),
		.rmpp_length = segment == last ? 20 + PER_SEGMENT : 0, .data = data, .data_length = PER_SEGMENT,
	};
}

static void put_segment(uint32_t segment, uint32_t last, uint32_t captured)
{
	uint8_t data[PER_SEGMENT];
	struct mad mad = segment_of(9, segment, last, data);

	put(NODE, SM, &mad, MILLISECOND, captured);
}

TestSuite(rmpp, .timeout = HANG_SECONDS);

Test(rmpp, a_transfer_is_shown_with_the_segment_that_completes_it)
{
	static const uint32_t orders[][10] = {
		{ 1, 2, 3, 4, 5, 6, 7, 8 }, { 8, 7, 6, 5, 4, 3, 2, 1 }, { 2, 1, 4, 3, 6, 5, 8, 7 }, { 1, 1, 2, 3, 5, 6, 7, 8, 5, 4 },
	};

	for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
		uint8_t seen = 0;

		begin(16 * MIB);
		for (size_t j = 0; j < 10 && orders[i][j]; j++) {
			put_segment(orders[i][j], 8, 0);
			seen |= (uint8_t)(1 << (orders[i][j] - 1));
			cr_expect_eq(packet.mad.record_count, seen == 0xff ? 25 : 0, "%zu: segment %zu", i, j);
			cr_expect_eq(packet.source_count, seen == 0xff ? 2 : 1);
		}
		for (uint32_t at = 0; at < 8 * PER_SEGMENT; at++)
			cr_assert_eq(packet.sources[1].bytes[at], at / PER_SEGMENT + 1, "%zu: byte %u", i, at);
		/* and again */
		put_segment(3, 8, 0);
		cr_expect_eq(packet.mad.record_count, 0);
		cr_expect_eq(packet.flow.analysis, RTAP_PSN_RETRANSMISSION);
		end();
	}
}

Test(rmpp, a_segment_that_the_capture_cut_leaves_a_hole)
{
	begin(16 * MIB);
	put_segment(1, 3, 0);
	put_segment(2, 3, MAD_FRAME_AT + 255);
	put_segment(3, 3, 0);
	cr_expect_eq(packet.mad.record_count, 0);
	put_segment(2, 3, 0);
	cr_expect_eq(packet.mad.record_count, 9);
	end();
}

Test(rmpp, gaps_say_how_many_segments_are_missing)
{
	begin(16 * MIB);
	put_segment(1, 90, 0);
	put_segment(5, 90, 0);
	cr_expect_eq(packet.flow.analysis, RTAP_PSN_GAP);
	cr_expect_eq(packet.flow.missing, 3);
	put_segment(4, 90, 0);
	cr_expect_eq(packet.flow.analysis, RTAP_PSN_OUT_OF_ORDER);
	put_segment(6, 90, 0);
	cr_expect_eq(packet.flow.analysis, RTAP_PSN_IN_ORDER);
	end();
}

/* Only the last segment's length counts; absurd ones do not. */
Test(rmpp, the_last_segment_gives_the_length)
{
	static const struct {
		uint32_t reported, bytes;
	} cases[] = { { 20 + 64, 264 }, { 20 + 200, 400 }, { 20, 200 }, { 19, 400 }, { 221, 400 }, { 0, 400 }, { UINT32_MAX, 400 } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint8_t data[PER_SEGMENT];
		struct mad last = segment_of(9, 2, 2, data);

		begin(16 * MIB);
		put_segment(1, 2, 0);
		last.rmpp_length = cases[i].reported;
		put(NODE, SM, &last, MILLISECOND, 0);
		cr_assert_eq(packet.source_count, 2, "%zu", i);
		cr_expect_eq(packet.sources[1].captured, cases[i].bytes, "%zu: %u", i, packet.sources[1].captured);
		end();
	}
}

Test(rmpp, transfers_that_never_end_are_bounded_by_the_budget)
{
	static uint8_t data[PER_SEGMENT];

	begin(MIB);
	for (uint64_t i = 0; i < 400; i++)
		for (uint32_t j = 1; j <= 50; j++) {
			struct mad mad = segment_of(i, j, UINT32_MAX, data);

			put(NODE, SM, &mad, 1000, 0);
		}
	/* far ahead, and out of range */
	for (uint32_t segment = 1; segment; segment *= 2) {
		struct mad mad = segment_of(1000, segment, UINT32_MAX, data);

		put(NODE, SM, &mad, 1000, 0);
	}
	end();
	cr_expect_leq(counters.peak_memory, 2 * MIB);
}

static void put_control(uint8_t type, uint32_t segment)
{
	struct mad mad = {
		.management_class = MAD_CLASS_ADMINISTRATION, .method = 0x12, .attribute = 0x35, .transaction_id = 9, .rmpp_type = type,
		.rmpp_flags = RMPP_FLAG_ACTIVE, .rmpp_segment = segment,
	};

	put(SM, NODE, &mad, MILLISECOND, 0);
}

static void put_table_request(void)
{
	struct mad mad = { .management_class = MAD_CLASS_ADMINISTRATION, .method = 0x12, .attribute = 0x35, .transaction_id = 9 };

	put(SM, NODE, &mad, 0, 0);
}

Test(rmpp, the_segments_of_a_transfer_are_one_message)
{
	static const uint32_t orders[][8] = { { 1, 2, 3, 4 }, { 4, 3, 2, 1 }, { 1, 3, 3, 2, 1, 4 } };

	for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
		uint64_t count = 0;

		keeps_bytes = i & 1;
		begin(16 * MIB);
		put_table_request();
		while (count < 8 && orders[i][count])
			put_segment(orders[i][count++], 4, 0);
		cr_expect(packet.flow.completes);
		cr_expect_eq(packet.flow.message_first_frame, 2);
		cr_expect_eq(packet.flow.message_frames, 4);
		cr_expect_eq(packet.flow.message_length, 4 * PER_SEGMENT);
		end();
		cr_assert_eq(reported, 2, "%zu: %lu", i, (unsigned long)reported);
		cr_expect_eq(messages[0].partner, 2);
		cr_expect_eq(messages[0].answered_in, 2);
		cr_expect_eq(messages[1].partner, 1);
		cr_expect_eq(messages[1].segments, 4);
		cr_expect_eq(messages[1].segments_lost, 0);
		cr_expect_eq(messages[1].frames, 4);
		cr_expect_eq(messages[1].repeats, count - 4);
		cr_expect_eq(messages[1].first_frame, 2);
		cr_expect_eq(messages[1].last_frame, 1 + count);
		cr_expect_eq(messages[1].latency_ns, MILLISECOND);
		cr_expect_eq(messages[1].time_end_ns - messages[1].time_ns, (int64_t)(count - 1) * MILLISECOND);
		cr_expect_eq(messages[1].length, 4 * PER_SEGMENT);
		cr_expect(messages[1].complete);
		cr_expect_eq(messages[1].rmpp_segment, 0);
		cr_expect_eq(messages[1].has_crc, keeps_bytes);
		for (uint8_t j = 0; keeps_bytes && j < 4; j++)
			cr_expect_eq(payload[1][j], j + 1);
	}
	keeps_bytes = false;
}

/* Captured out of order: the request is among the segments of its response. */
Test(rmpp, an_answer_that_began_before_its_request_is_reported_before_it)
{
	begin(16 * MIB);
	put_segment(1, 3, 0);
	put_table_request();
	put_segment(2, 3, 0);
	put_segment(3, 3, 0);
	end();
	cr_assert_eq(reported, 2);
	cr_expect_eq(messages[0].segments, 3);
	cr_expect_eq(messages[0].partner, 0);
	cr_expect_eq(messages[1].answered_in, 3);
	cr_expect_eq(messages[1].partner, 0);
}

/* Subnet administration has a header of 20 bytes in each segment. */
Test(rmpp, a_last_segment_without_data_reports_missing_segments)
{
	uint8_t data[PER_SEGMENT];
	struct mad mad = segment_of(9, 3, 3, data);

	begin(16 * MIB);
	mad.rmpp_length = 20;
	put(NODE, SM, &mad, MILLISECOND, 0);
	end();
	cr_assert_eq(reported, 1);
	cr_expect_not(messages[0].complete);
	cr_expect_eq(messages[0].segments, 3);
	cr_expect_eq(messages[0].segments_lost, 2);
	cr_expect_eq(messages[0].length, 2 * PER_SEGMENT);
	cr_assert_eq(messages[0].missing_count, 1);
	cr_expect_eq(holes[0].length, 2 * PER_SEGMENT);
}

Test(rmpp, segments_that_are_missing_are_reported)
{
	begin(16 * MIB);
	put_segment(1, 4, 0);
	put_segment(2, 4, MAD_FRAME_AT + 256 - 50);
	put_segment(4, 4, 0);
	end();
	cr_assert_eq(reported, 1);
	cr_expect_not(messages[0].complete);
	cr_expect_eq(messages[0].segments, 4);
	cr_expect_eq(messages[0].segments_lost, 1);
	cr_expect_eq(messages[0].length, 4 * PER_SEGMENT);
	cr_expect_eq(messages[0].missing_count, 2);
	cr_expect_eq(holes[0].reason, RTAP_MISSING_SNAPPED);
	cr_expect_eq(holes[0].offset, 350);
	cr_expect_eq(holes[0].length, 50);
	/* the last one: their number is unknown */
	begin(16 * MIB);
	put_segment(2, 9, 0);
	end();
	cr_expect_eq(messages[0].segments, 2);
	cr_expect_eq(messages[0].segments_lost, 1);
	cr_expect_eq(messages[0].missing_count, 2);
	cr_expect_eq(holes[0].offset, 0);
	cr_expect_eq(holes[0].length, 200);
}

/* Until then it delays later messages; late segments are separate messages. */
Test(rmpp, a_message_waits_until_its_last_segment_is_acknowledged_or_two_seconds)
{
	static const struct {
		bool whole;
		uint8_t control;
		uint32_t acknowledged;
		int64_t wait_ns;
		bool is_reported;
	} cases[] = {
		{ true, 0, 0, MILLISECOND, false }, { true, RMPP_ACK, 1, MILLISECOND, false }, { true, RMPP_ACK, 2, MILLISECOND, true },
		{ true, 0, 0, 2 * SECOND, true }, { false, 0, 0, 50 * SECOND, false }, { false, RMPP_ACK, 2, 50 * SECOND, false },
		{ false, RMPP_STOP, 0, MILLISECOND, true }, { false, RMPP_ABORT, 0, MILLISECOND, true }, { false, 0, 0, 61 * SECOND, true },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mad other = get(1000);

		begin(16 * MIB);
		put_segment(1, 2, 0);
		if (cases[i].whole)
			put_segment(2, 2, 0);
		if (cases[i].control)
			put_control(cases[i].control, cases[i].acknowledged);
		put(SM, NODE, &other, cases[i].wait_ns, 0);
		put(SM, NODE, &other, MILLISECOND, 0);
		cr_expect_eq(reported > 0, cases[i].is_reported, "%zu", i);
		put_segment(2, 2, 0);
		end();
		cr_expect_eq(messages[0].complete, cases[i].whole || !cases[i].is_reported, "%zu", i);
		cr_expect_eq(messages[0].repeats, cases[i].whole && !cases[i].is_reported, "%zu", i);
		if (cases[i].whole && cases[i].is_reported)
			cr_expect_eq(messages[reported - 1].rmpp_segment, 2, "%zu", i);
	}
}

/* A request that is repeated with the same transaction id has another transfer as its response. */
Test(rmpp, a_repeated_request_has_a_separate_message)
{
	for (int64_t wait_s = 0; wait_s <= 50; wait_s += 5) {
		begin(16 * MIB);
		put_table_request();
		for (uint32_t i = 1; i <= 3; i++)
			put_segment(i, 3, 0);
		if (wait_s > 5)
			put_control(RMPP_ACK, 3);
		now_ns += wait_s * SECOND;
		put_table_request();
		for (uint32_t i = 1; i <= 3; i++)
			put_segment(i, 3, 0);
		cr_expect(packet.flow.completes);
		put_segment(3, 3, 0);
		cr_expect_eq(packet.flow.analysis, RTAP_PSN_RETRANSMISSION);
		end();
		for (uint64_t i = 0, answers = 0; i < reported; i++) {
			if (!messages[i].segments)
				continue;
			cr_expect_eq(messages[i].first_frame, answers++ ? wait_s > 5 ? 7 : 6 : 2, "%ld s", (long)wait_s);
			cr_expect_eq(messages[i].segments, 3);
			cr_expect_eq(messages[i].repeats, answers == 2);
			cr_expect(messages[i].complete);
			cr_expect_neq(messages[i].partner, 0);
		}
		cr_expect_eq(reported, wait_s > 5 ? 5 : 4, "%ld s: %lu", (long)wait_s, (unsigned long)reported);
	}
}

/* Without its first segment it cannot be distinguished from a repeat of the transfer before. */
Test(rmpp, repeats_after_a_repeated_request_begin_no_message_without_the_first_segment)
{
	begin(16 * MIB);
	put_table_request();
	for (uint32_t i = 1; i <= 3; i++)
		put_segment(i, 3, 0);
	put_table_request();
	put_segment(3, 3, 0);
	cr_expect_eq(packet.flow.analysis, RTAP_PSN_RETRANSMISSION);
	end();
	cr_expect_eq(reported, 3);
	cr_expect_eq(messages[1].repeats, 1);
}

/* Its receiver may stop the transfer after all segments; repeats are still recognised. */
Test(rmpp, a_transfer_stopped_after_its_last_segment_is_complete)
{
	begin(16 * MIB);
	put_segment(1, 2, 0);
	put_segment(2, 2, 0);
	put_control(RMPP_STOP, 0);
	put_segment(2, 2, 0);
	cr_expect_eq(packet.flow.analysis, RTAP_PSN_RETRANSMISSION);
	end();
	cr_expect(messages[0].complete);
	cr_expect_eq(messages[0].segments, 2);
}

/* Requests can have several segments too: a repeat of the first is counted once. */
Test(rmpp, repeats_of_a_request_s_segments_are_counted_once)
{
	uint8_t bytes_of[PER_SEGMENT];
	struct mad mad;

	begin(16 * MIB);
	for (uint32_t i = 0; i < 3; i++) {
		mad = segment_of(9, i ? i : 1, 2, bytes_of);
		mad.method = 0x14;
		put(SM, NODE, &mad, MILLISECOND, 0);
	}
	mad = (struct mad){ .management_class = MAD_CLASS_ADMINISTRATION, .method = 0x94, .attribute = 0x35, .transaction_id = 9 };
	put(NODE, SM, &mad, MILLISECOND, 0);
	end();
	cr_assert_eq(reported, 2);
	cr_expect_eq(messages[0].segments, 2);
	cr_expect_eq(messages[0].repeats, 1);
	cr_expect_eq(messages[0].partner, 2);
	cr_expect_eq(messages[1].latency_ns, 3 * MILLISECOND);
}

Test(rmpp, a_whole_message_is_whole_without_the_memory_for_its_transfer)
{
	static uint8_t data[PER_SEGMENT];

	begin(MIB);
	put_segment(1, 2, 0);
	put_segment(2, 2, 0);
	for (uint64_t i = 0; i < 8000; i++) {
		struct mad mad = segment_of(1000 + i, 1, UINT32_MAX, data);

		put(NODE, SM, &mad, 100, 0);
	}
	end();
	cr_expect(messages[0].complete);
	cr_expect_eq(messages[0].missing_count, 0);
}

Test(rmpp, without_memory_a_message_is_reported_incomplete)
{
	static uint8_t data[PER_SEGMENT];

	begin(MIB);
	put_segment(1, 3, 0);
	for (uint64_t i = 0; i < 8000; i++) {
		struct mad mad = segment_of(1000 + i, 1, UINT32_MAX, data);

		put(NODE, SM, &mad, 1000, 0);
	}
	end();
	cr_expect_eq(reported, 8001);
	cr_expect_not(messages[0].complete);
	cr_expect_eq(messages[0].missing_count, 1);
	cr_expect_eq(holes[0].reason, RTAP_MISSING_EVICTED);
	cr_expect_leq(counters.peak_memory, 2 * MIB);
}

/* More records than a packet has layers, or a single datagram room. */
Test(rmpp, long_transfers_show_all_records)
{
	begin(64 * MIB);
	for (uint32_t i = 1; i <= 3200; i++)
		put_segment(i, 3200, 0);
	cr_expect_eq(packet.mad.record_count, 10000);
	end();
}
