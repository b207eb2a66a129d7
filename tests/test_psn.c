/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include "reassembly/infiniband/psn.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MILLISECOND INT64_C(1000000)

static struct psn_stream stream;
static bool differs;

static void begin(uint32_t psn)
{
	stream = (struct psn_stream){ 0 };
	psn_start(&stream, psn);
}

static void end(void)
{
	psn_fini(&stream);
	cr_expect_null(stream.gaps.list);
	cr_expect_null(stream.response_gaps.list);
	cr_expect_eq(stream.requests.room + stream.responses.room, 0);
}

static enum rtap_psn_analysis request(uint32_t psn, uint64_t count, int64_t time_ns, uint32_t point, uint32_t digest)
{
	const struct psn_identity identity = { .time_ns = time_ns, .point = point, .digest = digest };

	return psn_request(&stream, psn_unwrap(&stream, psn & PSN_MASK), count, &identity, &differs);
}

/* A request at a time, and its expected label. */
struct step {
	uint32_t psn;
	int64_t ms;
	enum rtap_psn_analysis analysis;
	uint32_t count;     /* PSNs; 0: one */
	uint32_t point, digest;
	bool differs;
	uint32_t nak;       /* a NAK for this PSN comes before; 0: none */
	uint32_t ack;       /* PSNs below are acknowledged before; 0: none */
};

#define STEP(number, milliseconds, is, ...) { .psn = number, .ms = milliseconds, .analysis = is, __VA_ARGS__ }

static const struct {
	const char *what;
	uint32_t start;
	struct step steps[8];
	uint64_t lost; /* in the end */
} cases[] = {
	{ "in order", 5, { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(6, 0, RTAP_PSN_IN_ORDER), STEP(7, 0, RTAP_PSN_IN_ORDER) }, 0 },
	{ "in order past the wrap", 0xfffffe,
	  { STEP(0xfffffe, 0, RTAP_PSN_IN_ORDER), STEP(0xffffff, 0, RTAP_PSN_IN_ORDER), STEP(0, 0, RTAP_PSN_IN_ORDER),
	    STEP(1, 0, RTAP_PSN_IN_ORDER) }, 0 },
	{ "gap", 5, { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(8, 0, RTAP_PSN_GAP), STEP(9, 0, RTAP_PSN_IN_ORDER) }, 2 },
	{ "gap over the wrap", 0xfffffe, { STEP(0xfffffe, 0, RTAP_PSN_IN_ORDER), STEP(2, 0, RTAP_PSN_GAP),
					   STEP(0, 1, RTAP_PSN_OUT_OF_ORDER) }, 2 },
	{ "late", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(8, 0, RTAP_PSN_GAP), STEP(6, 1, RTAP_PSN_OUT_OF_ORDER), STEP(7, 1, RTAP_PSN_OUT_OF_ORDER),
	    STEP(9, 1, RTAP_PSN_IN_ORDER) }, 0 },
	{ "late in the middle of a gap", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(10, 0, RTAP_PSN_GAP), STEP(7, 1, RTAP_PSN_OUT_OF_ORDER), STEP(9, 1, RTAP_PSN_OUT_OF_ORDER) }, 2 },
	{ "late at the end of a gap, then again", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(8, 0, RTAP_PSN_GAP), STEP(7, 1, RTAP_PSN_OUT_OF_ORDER), STEP(7, 1, RTAP_PSN_DUPLICATE) }, 1 },
	{ "too late to be only late", 5, { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(7, 0, RTAP_PSN_GAP), STEP(6, 4, RTAP_PSN_RETRANSMISSION) }, 0 },
	{ "asked for by a NAK", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(7, 0, RTAP_PSN_GAP), STEP(6, 0, RTAP_PSN_RETRANSMISSION, .nak = 6),
	    STEP(7, 0, RTAP_PSN_RETRANSMISSION) }, 0 },
	{ "again at once", 5, { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(5, 0, RTAP_PSN_DUPLICATE) }, 0 },
	{ "again later", 5, { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(5, 2, RTAP_PSN_RETRANSMISSION) }, 0 },
	{ "again with other bytes", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER, .digest = 1), STEP(5, 2, RTAP_PSN_RETRANSMISSION, .digest = 2, .differs = true) }, 0 },
	{ "on another capture point", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(5, 0, RTAP_PSN_CAPTURED_TWICE, .point = 1),
	    STEP(5, 1, RTAP_PSN_RETRANSMISSION, .point = 1) }, 0 },
	{ "on another capture point with other bytes", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER, .digest = 1), STEP(5, 0, RTAP_PSN_CAPTURED_TWICE, .point = 1, .digest = 2, .differs = true) }, 0 },
	{ "before the first", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(2, 0, RTAP_PSN_OUT_OF_ORDER), STEP(3, 0, RTAP_PSN_OUT_OF_ORDER),
	    STEP(6, 0, RTAP_PSN_IN_ORDER) }, 1 },
	{ "before the first past the wrap", 1, { STEP(1, 0, RTAP_PSN_IN_ORDER), STEP(0xffffff, 0, RTAP_PSN_OUT_OF_ORDER) }, 1 },
	{ "many PSNs", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER, .count = 100), STEP(105, 0, RTAP_PSN_IN_ORDER), STEP(5, 2, RTAP_PSN_RETRANSMISSION, .count = 100) }, 0 },
	{ "many PSNs that fill a gap and more", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(20, 0, RTAP_PSN_GAP), STEP(6, 0, RTAP_PSN_OUT_OF_ORDER, .count = 100) }, 0 },
	{ "again after a gap", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(8, 0, RTAP_PSN_GAP), STEP(8, 0, RTAP_PSN_DUPLICATE), STEP(6, 0, RTAP_PSN_OUT_OF_ORDER) }, 1 },
	{ "again, with an earlier time", 5, { STEP(5, 10, RTAP_PSN_IN_ORDER), STEP(5, 5, RTAP_PSN_RETRANSMISSION) }, 0 },
	{ "again at once, before what a NAK asked for", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(6, 0, RTAP_PSN_IN_ORDER), STEP(7, 0, RTAP_PSN_IN_ORDER),
	    STEP(5, 0, RTAP_PSN_DUPLICATE, .nak = 7) }, 0 },
	{ "asked for by a NAK, and only what is before it acknowledged", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(6, 0, RTAP_PSN_IN_ORDER), STEP(6, 0, RTAP_PSN_RETRANSMISSION, .nak = 6, .ack = 6) }, 0 },
	{ "acknowledged but not seen", 5,
	  { STEP(5, 0, RTAP_PSN_IN_ORDER), STEP(9, 0, RTAP_PSN_IN_ORDER, .ack = 9), STEP(7, 0, RTAP_PSN_OUT_OF_ORDER) }, 2 },
};

static void run_case(size_t at)
{
	begin(cases[at].start);
	for (size_t i = 0; i < COUNT(cases[at].steps) && cases[at].steps[i].analysis; i++) {
		const struct step *step = &cases[at].steps[i];
		enum rtap_psn_analysis analysis;

		if (step->nak) {
			stream.nak = true;
			stream.nak_psn = psn_unwrap(&stream, step->nak);
		}
		if (step->ack)
			psn_acknowledge(&stream, psn_unwrap(&stream, step->ack), step->ms * MILLISECOND);
		analysis = request(step->psn, step->count ? step->count : 1, step->ms * MILLISECOND, step->point, step->digest);
		cr_expect_eq(analysis, step->analysis, "%s: step %zu is %d", cases[at].what, i, analysis);
		cr_expect_eq(differs, step->differs, "%s: step %zu", cases[at].what, i);
	}
	cr_expect_eq(psn_end_gaps(&stream, UINT64_MAX).packets, cases[at].lost, "%s", cases[at].what);
	cr_expect_eq(stream.gaps.count, 0);
	end();
}

TestSuite(psn, .timeout = HANG_SECONDS);

Test(psn, the_label_of_a_packet_follows_from_earlier_packets)
{
	for (size_t i = 0; i < COUNT(cases); i++)
		run_case(i);
}

Test(psn, numbers_unwrap_to_the_nearest)
{
	static const struct {
		uint32_t start, psn;
		int64_t difference;
	} unwraps[] = {
		{ 5, 5, 0 }, { 5, 4, -1 }, { 0, 0xffffff, -1 }, { 0xffffff, 0, 1 }, { 0, 0x7fffff, 0x7fffff }, { 0, 0x800000, -0x800000 },
		{ 0x800000, 0, -0x800000 }, { 0x7fffff, 0xffffff, -0x800000 }, { 0x800001, 0, 0x7fffff },
	};

	for (size_t i = 0; i < COUNT(unwraps); i++) {
		begin(unwraps[i].start);
		cr_expect_eq((int64_t)(psn_unwrap(&stream, unwraps[i].psn) - stream.next), unwraps[i].difference, "case %zu", i);
		end();
	}
}

Test(psn, a_sequence_can_wrap_many_times)
{
	begin(0xfff000);
	for (uint64_t i = 0; i < 3 * UINT64_C(0x1000000); i += 512) {
		cr_assert_eq(request((uint32_t)(0xfff000 + i) & PSN_MASK, 512, 0, 0, 0), RTAP_PSN_IN_ORDER);
		psn_acknowledge(&stream, stream.next, 0);
	}
	cr_expect_eq(stream.gaps.count, 0);
	end();
}

/* Everything that is not acknowledged can be sent again: all of it is remembered, up to the window. */
Test(psn, the_ring_grows_with_outstanding_packets)
{
	begin(0xfffff0);
	for (uint32_t i = 0; i < PSN_WINDOW; i++)
		cr_assert_eq(request(0xfffff0 + i, 1, 0, 0, i), RTAP_PSN_IN_ORDER);
	cr_expect_eq(stream.requests.room, PSN_WINDOW);
	for (uint32_t i = 0; i < PSN_WINDOW; i++) {
		cr_assert_eq(request(0xfffff0 + i, 1, 5 * MILLISECOND, 0, i ^ 1), RTAP_PSN_RETRANSMISSION);
		cr_assert(differs);
	}
	for (uint32_t i = 0; i < 100000; i++)
		request(0xfffff0 + PSN_WINDOW + i, 1, 0, 0, 0);
	cr_expect_eq(stream.requests.room, PSN_WINDOW);
	end();
}

Test(psn, acknowledged_packets_need_no_room)
{
	begin(0);
	for (uint32_t i = 0; i < 100000; i++) {
		request(i, 1, 0, 0, 0);
		psn_acknowledge(&stream, psn_unwrap(&stream, (i + 1) & PSN_MASK), 0);
	}
	cr_expect_eq(stream.requests.room, 16);
	end();
}

Test(psn, gaps_beyond_the_limit_are_not_kept_and_nothing_else_is_lost)
{
	const uint32_t gaps = 10000;
	uint64_t lost;

	begin(0);
	for (uint32_t i = 0; i < gaps; i++)
		cr_assert_eq(request(2 * i, 1, 0, 0, 0), i ? RTAP_PSN_GAP : RTAP_PSN_IN_ORDER);
	cr_expect_eq(stream.gaps.count, 4096);
	cr_expect_eq(request(2 * gaps - 1, 1, 0, 0, 0), RTAP_PSN_IN_ORDER);
	/* those kept are still filled; splitting one when there is no room for its rest must not write past the end */
	cr_expect_eq(request(2 * 100 + 1, 1, 0, 0, 0), RTAP_PSN_OUT_OF_ORDER);
	cr_expect_eq(stream.gaps.count, 4095);
	cr_expect_eq(request(2 * gaps + 10, 1, 0, 0, 0), RTAP_PSN_GAP);
	cr_expect_eq(request(2 * gaps + 5, 1, 0, 0, 0), RTAP_PSN_OUT_OF_ORDER);
	cr_expect_eq(stream.gaps.count, 4096);
	lost = psn_end_gaps(&stream, stream.low + 100).packets;
	cr_expect_eq(lost, 50);
	lost += psn_end_gaps(&stream, UINT64_MAX).packets;
	cr_expect_leq(lost, gaps + 10);
	cr_expect_geq(lost, 4095);
	end();
}

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % below;
}

/* Gaps are exactly the PSNs between the lowest and the next one that were never seen. */
Test(psn, gaps_are_uncaptured_psns)
{
	for (uint32_t seed = 0; seed < 300; seed++) {
		bool seen[4096] = { false };
		uint32_t start = 0xffff80 + seed, low, next;
		uint64_t lost = 0;

		random_state = seed;
		low = 1000;
		next = 1001;
		begin(start + 1000);
		cr_assert_eq(request(start + 1000, 1, 0, 0, 0), RTAP_PSN_IN_ORDER);
		seen[1000] = true;
		for (int i = 0; i < 400; i++) {
			uint32_t at = draw(8) ? next + draw(3) : low - 20 + draw(next - low + 30), count = draw(10) ? 1 : 1 + draw(12);

			if (at + count >= 4096 || at < 50 || seen[at])
				continue;
			/* requests do not overlap */
			for (uint32_t j = 1; j < count; j++)
				if (seen[at + j])
					count = j;
			request(start + at, count, 0, 0, 0);
			for (uint32_t j = 0; j < count && at + j < 4096; j++)
				seen[at + j] = true;
			low = at < low ? at : low;
			next = at + count > next ? at + count : next;
		}
		for (uint32_t i = low; i < next; i++)
			lost += !seen[i];
		cr_expect_eq(stream.next - stream.low, next - low, "seed %u", seed);
		cr_expect_eq(psn_end_gaps(&stream, UINT64_MAX).packets, lost, "seed %u", seed);
		end();
	}
}

Test(psn, psns_of_a_request_are_in_no_gap)
{
	/* gaps are 2 to 9 and 12 to 14 */
	static const struct {
		uint32_t begin, end, left;
	} fillings[] = {
		{ 2, 2, 11 }, { 0, 2, 11 }, { 10, 12, 11 }, { 2, 3, 10 }, { 9, 10, 10 }, { 5, 6, 10 }, { 2, 10, 3 }, { 1, 11, 3 }, { 2, 9, 4 },
		{ 3, 10, 4 }, { 3, 9, 5 }, { 9, 13, 9 }, { 1, 20, 0 }, { 12, 15, 8 }, { 13, 14, 10 }, { 15, 20, 11 },
	};

	for (size_t i = 0; i < sizeof fillings / sizeof fillings[0]; i++) {
		uint64_t seen = 0;

		begin(0);
		request(0, 2, 0, 0, 0);
		request(10, 2, 0, 0, 0);
		request(15, 1, 0, 0, 0);
		psn_fill(&stream, psn_unwrap(&stream, fillings[i].begin), psn_unwrap(&stream, fillings[i].end));
		for (uint32_t at = 0; at < stream.gaps.count; at++) {
			cr_expect_lt(stream.gaps.list[at].begin, stream.gaps.list[at].end, "%zu", i);
			cr_expect_geq(stream.gaps.list[at].begin, seen, "%zu", i);
			seen = stream.gaps.list[at].end;
		}
		cr_expect_eq(psn_end_gaps(&stream, UINT64_MAX).packets, fillings[i].left, "%zu", i);
		end();
	}
}

Test(psn, a_gap_is_given_up_in_parts)
{
	begin(5);
	request(5, 1, 0, 0, 0);
	request(10, 1, 0, 0, 0);
	cr_expect_eq(psn_end_gaps(&stream, psn_unwrap(&stream, 8)).packets, 2);
	cr_expect_eq(request(7, 1, 0, 0, 0), RTAP_PSN_RETRANSMISSION);
	cr_expect_eq(request(8, 1, 0, 0, 0), RTAP_PSN_OUT_OF_ORDER);
	cr_expect_eq(psn_end_gaps(&stream, UINT64_MAX).packets, 1);
	end();
}

/* A sender that increments its IP identifications: they identify packets and the order in which they were sent. */
Test(psn, identifications_distinguish_a_copy_from_a_retransmission)
{
	static const struct {
		const char *what;
		uint32_t psn, point;
		uint16_t id;
		int64_t ms;
		enum rtap_psn_analysis analysis;
	} comers[] = {
		{ "the frame again, much later", 7, 0, 107, 900, RTAP_PSN_DUPLICATE },
		{ "the frame at another capture point, much later", 7, 1, 107, 900, RTAP_PSN_CAPTURED_TWICE },
		{ "sent again at once", 7, 0, 120, 0, RTAP_PSN_RETRANSMISSION },
		{ "missing, held back for long", 4, 0, 104, 900, RTAP_PSN_OUT_OF_ORDER },
		{ "missing, sent again at once", 4, 0, 120, 0, RTAP_PSN_RETRANSMISSION },
	};

	for (size_t i = 0; i < COUNT(comers); i++) {
		struct psn_identity identity = { .time_ns = comers[i].ms * MILLISECOND, .point = comers[i].point, .id = comers[i].id };

		begin(0);
		for (uint16_t psn = 0; psn < 10; psn++)
			if (psn != 4)
				psn_request(&stream, psn_unwrap(&stream, psn), 1, &(struct psn_identity){ .id = (uint16_t)(100 + psn) },
					    &differs);
		cr_expect_eq(psn_request(&stream, psn_unwrap(&stream, comers[i].psn), 1, &identity, &differs), comers[i].analysis, "%s", comers[i].what);
		end();
	}
}

/* The retransmission came before enough packets to show that their sender counts. */
Test(psn, later_identifications_show_that_a_packet_is_a_copy_of_a_retransmission)
{
	static const struct {
		uint32_t psn;
		uint16_t id;
		int64_t ms;
		enum rtap_psn_analysis analysis;
	} packets[] = {
		{ 0, 100, 0, RTAP_PSN_IN_ORDER }, { 0, 101, 5, RTAP_PSN_RETRANSMISSION }, { 1, 102, 5, RTAP_PSN_IN_ORDER },
		{ 2, 103, 5, RTAP_PSN_IN_ORDER }, { 0, 101, 10, RTAP_PSN_DUPLICATE }, { 0, 104, 10, RTAP_PSN_RETRANSMISSION },
	};

	begin(0);
	for (size_t i = 0; i < COUNT(packets); i++) {
		struct psn_identity identity = { .time_ns = packets[i].ms * MILLISECOND, .id = packets[i].id };

		cr_expect_eq(psn_request(&stream, psn_unwrap(&stream, packets[i].psn), 1, &identity, &differs), packets[i].analysis, "%zu", i);
	}
	end();
}

/* A sender that numbers all alike, or by chance, gives no evidence. */
Test(psn, identifications_that_do_not_count_are_not_relied_upon)
{
	static const uint16_t ids[][6] = { { 1, 1, 1, 1, 1, 1 }, { 0, 0, 0, 0, 0, 0 }, { 50000, 20, 31000, 60000, 9, 40000 } };

	for (size_t i = 0; i < COUNT(ids); i++) {
		struct psn_identity identity = { 0 };

		begin(0);
		for (uint32_t psn = 0; psn < 6; psn++) {
			identity.id = ids[i][psn];
			psn_request(&stream, psn_unwrap(&stream, psn), 1, &identity, &differs);
		}
		identity.id = ids[i][3];
		identity.time_ns = 5 * MILLISECOND;
		cr_expect_eq(psn_request(&stream, psn_unwrap(&stream, 3), 1, &identity, &differs), RTAP_PSN_RETRANSMISSION, "%zu", i);
		end();
	}
}

static enum rtap_psn_analysis response(uint32_t psn, bool is_inside, int64_t time_ns)
{
	const struct psn_identity identity = { .time_ns = time_ns };

	uint64_t unwrapped = psn_unwrap(&stream, psn);

	if (!psn_is_next_response(&stream, unwrapped))
		return psn_response(&stream, unwrapped, is_inside, false, &identity, &differs);
	psn_next_response(&stream, unwrapped, &identity);
	return RTAP_PSN_IN_ORDER;
}

/* A READ of 40 responses: the label of each repeated one, at any time after its first copy. */
Test(psn, a_response_is_a_retransmission_if_it_was_captured_or_requested_again)
{
	begin(0);
	request(0, 40, 0, 0, 0);
	stream.response_next = stream.low;
	for (uint32_t psn = 0; psn < 10; psn++)
		cr_expect_eq(response(psn, psn, 0), RTAP_PSN_IN_ORDER);
	psn_miss_responses(&stream, psn_unwrap(&stream, 10), psn_unwrap(&stream, 13), true, 0);
	for (uint32_t psn = 13; psn < 35; psn++)
		cr_expect_eq(response(psn, true, 0), RTAP_PSN_IN_ORDER);
	cr_expect_eq(response(10, true, MILLISECOND), RTAP_PSN_OUT_OF_ORDER);
	psn_ask_again(&stream, psn_unwrap(&stream, 11), psn_unwrap(&stream, 40), false, false);
	for (uint32_t psn = 11; psn < 40; psn++)
		cr_expect_eq(response(psn, true, MILLISECOND), RTAP_PSN_RETRANSMISSION, "%u", psn);
	/* without requests */
	cr_expect_eq(response(3, true, MILLISECOND / 2), RTAP_PSN_DUPLICATE);
	cr_expect_eq(response(3, true, 5 * MILLISECOND), RTAP_PSN_RETRANSMISSION);
	cr_expect_eq(stream.response_gaps.count, 0);
	end();
}

/* Later responses do not turn a response into a repeat if it was never captured. */
Test(psn, a_response_that_nothing_was_known_of_comes_late)
{
	begin(0);
	stream.response_next = stream.low;
	cr_expect_eq(response(0, false, 0), RTAP_PSN_IN_ORDER);
	cr_expect_eq(response(3, true, 0), RTAP_PSN_IN_ORDER);
	cr_expect_eq(response(1, true, 0), RTAP_PSN_OUT_OF_ORDER);
	cr_expect_eq(response(2, true, 0), RTAP_PSN_OUT_OF_ORDER);
	cr_expect_eq(response(2, true, 5 * MILLISECOND), RTAP_PSN_RETRANSMISSION);
	end();
}

/* A ring that has grown since has a slot for it again, which is empty. */
Test(psn, a_response_whose_slot_was_taken_is_not_new_after_the_ring_grew)
{
	begin(0);
	stream.response_next = stream.low;
	for (uint32_t psn = 0; psn < 18; psn++)
		cr_expect_eq(response(psn, false, 0), RTAP_PSN_IN_ORDER);
	stream.next = psn_unwrap(&stream, 40);
	cr_expect_eq(response(18, false, 0), RTAP_PSN_IN_ORDER);
	cr_expect_geq(stream.responses.room, 32);
	cr_expect_eq(response(1, false, 1), RTAP_PSN_RETRANSMISSION);
	end();
}

/* RFC 4737, 4.2 and 4.3: packets of the same sequence, and the time, since the first one sent later. An answer is none. */
Test(psn, a_request_is_late_by_the_requests_since_the_first_later_one)
{
	begin(0);
	request(0, 1, 0, 0, 0);
	psn_acknowledge(&stream, psn_unwrap(&stream, 4), 1 * MILLISECOND);
	cr_expect_eq(request(1, 1, 2 * MILLISECOND, 0, 0), RTAP_PSN_OUT_OF_ORDER);
	cr_expect_eq(stream.late_packets, 0);
	cr_expect_eq(request(3, 1, 2 * MILLISECOND + 1, 0, 0), RTAP_PSN_OUT_OF_ORDER);
	cr_expect_eq(stream.late_packets, 0);
	cr_expect_eq(request(4, 1, 2 * MILLISECOND + 2, 0, 0), RTAP_PSN_IN_ORDER);
	cr_expect_eq(request(2, 1, 2 * MILLISECOND + 5, 0, 0), RTAP_PSN_OUT_OF_ORDER);
	cr_expect_eq(stream.late_packets, 2);
	cr_expect_eq(stream.late_ns, 4);
	end();
}

Test(psn, psns_of_no_known_request_may_be_responses)
{
	begin(10);
	request(10, 1, 0, 0, 0);
	psn_skip_to(&stream, psn_unwrap(&stream, 12), 0);
	request(12, 1, 0, 0, 0);
	cr_expect_eq(psn_miss_unknown(&stream, psn_unwrap(&stream, 10), psn_unwrap(&stream, 15), 0), 3, "11, 13 and 14");
	cr_expect_eq(stream.response_gaps.count, 2);
	psn_request_missing(&stream, psn_unwrap(&stream, 11), psn_unwrap(&stream, 12));
	cr_expect(stream.response_gaps.list[0].is_requested);
	cr_expect_not(stream.response_gaps.list[1].is_requested);
	end();
}
