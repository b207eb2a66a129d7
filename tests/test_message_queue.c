/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The order in which messages are reported: by first frame, numbered from 1, each once, and none while one before it can still change;
 * but one that waits too long does not delay the others. The expectation is a sorted list.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include <rdmatap/tracker.h>

#include "reassembly/connection_lifecycle.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/message_queue.h"
#include "reassembly/tracker.h"

#define MOST 600
#define LATE 4000  /* the first frames of late messages, */
#define LATER 5000 /* and of those after them */
#define FRAMES (LATER + 1800)
#define GIVE_UP_NS (UINT64_C(60) * 1000000000)
/* A deferred message that is over is reported within this time. */
#define SOON_NS (GIVE_UP_NS / 32)

/* The test's data of a message, by frame. */
struct known {
	struct message *message; /* NULL: none, or it is over */
	uint64_t partner;        /* frame; 0: none */
	bool exists, is_over;
};

static struct rtap_tracker *tracker;
static struct connection *connection;
static struct psn_stream *stream;
static struct known known[FRAMES + 1];
static struct rtap_message reported[FRAMES + 1];
static uint32_t reported_count;
static uint64_t used;
static uint32_t chance = 1;

static uint32_t below(uint32_t limit)
{
	chance = chance * 1664525 + 1013904223;
	return (chance >> 8) % limit;
}

static void take(void *owner, const struct rtap_message *message)
{
	(void)owner;
	cr_assert_lt(reported_count, FRAMES);
	reported[reported_count++] = *message;
}

static void begin(void)
{
	struct rtap_tracker_options options = { .size = sizeof options, .message = take, .give_up_ns = GIVE_UP_NS };

	cr_assert_eq(rtap_tracker_open(&tracker, &options, NULL), RTAP_STATUS_OK);
	connection = connection_create(tracker, 1, 0);
	cr_assert_not_null(connection);
	stream = &connection->streams[1];
	stream->connection = connection;
	stream->from_a = stream->reliable = true;
	memset(known, 0, sizeof known);
	reported_count = 0;
	used = tracker->budget.used;
}

static void finish(void)
{
	rtap_tracker_close(tracker);
}

TestSuite(message_queue, .init = begin, .fini = finish, .timeout = HANG_SECONDS);

static struct message *create(uint64_t frame)
{
	struct piece piece = { .frame = frame, .time_ns = tracker->now_ns };
	struct message *last = TAILQ_LAST(&stream->messages, message_list);
	struct message *message = assembly_create(tracker, stream, last, (last ? last->low : 0) + 1, &piece, RTAP_VERB_SEND);

	cr_assert_not_null(message);
	message->active_ns = tracker->now_ns;
	known[frame] = (struct known){ .message = message, .exists = true };
	return message;
}

static void end(uint64_t frame)
{
	message_settle(tracker, known[frame].message);
	known[frame].message = NULL;
	known[frame].is_over = true;
}

static void pair(uint64_t request, uint64_t response)
{
	known[request].message->partner = known[response].message;
	known[response].message->partner = known[request].message;
	known[response].message->is_response = true;
	known[request].partner = response;
	known[response].partner = request;
}

static void expect_order(const uint64_t *order, uint32_t count)
{
	cr_assert_eq(reported_count, count, "%" PRIu32 " reported", reported_count);
	for (uint32_t i = 0; i < count; i++) {
		cr_expect_eq(reported[i].first_frame, order[i], "message %" PRIu32 " is of frame %" PRIu64, i + 1, reported[i].first_frame);
		cr_expect_eq(reported[i].number, i + 1);
	}
}

Test(message_queue, a_message_waits_for_those_that_began_before_it)
{
	create(1);
	create(2);
	create(3);
	end(2);
	messages_advance(tracker);
	expect_order(NULL, 0);
	end(1);
	messages_advance(tracker);
	expect_order((uint64_t[]){ 1, 2 }, 2);
	end(3);
	messages_advance(tracker);
	expect_order((uint64_t[]){ 1, 2, 3 }, 3);
	cr_expect_eq(tracker->budget.used, used);
}

/* Until the response's number is known, no message in between can change. */
Test(message_queue, a_request_has_the_number_of_its_response_and_the_other_way_round)
{
	for (uint64_t frame = 1; frame <= 4; frame++)
		create(frame);
	pair(1, 3);
	end(1);
	end(3);
	end(4);
	messages_advance(tracker);
	expect_order(NULL, 0);
	end(2);
	messages_advance(tracker);
	expect_order((uint64_t[]){ 1, 2, 3, 4 }, 4);
	cr_expect_eq(reported[0].partner, 3);
	cr_expect_eq(reported[1].partner, 0);
	cr_expect_eq(reported[2].partner, 1);
	cr_expect_eq(reported[3].partner, 0);
}

Test(message_queue, a_message_that_waits_too_long_is_reported_when_it_ends_and_delays_none_for_longer)
{
	create(1);
	create(2);
	create(3);
	end(2);
	end(3);
	tracker->budget.clock_ns += GIVE_UP_NS - 1;
	tracker->now_ns += GIVE_UP_NS - 1;
	known[1].message->active_ns = tracker->now_ns;
	messages_advance(tracker);
	expect_order(NULL, 0);
	tracker->budget.clock_ns += 1;
	messages_advance(tracker);
	expect_order((uint64_t[]){ 2, 3 }, 2);
	create(4);
	end(4);
	tracker->budget.clock_ns += GIVE_UP_NS;
	tracker->now_ns += GIVE_UP_NS;
	known[1].message->active_ns = tracker->now_ns;
	messages_advance(tracker);
	expect_order((uint64_t[]){ 2, 3, 4 }, 3);
	end(1);
	tracker->budget.clock_ns += SOON_NS;
	messages_advance(tracker);
	expect_order((uint64_t[]){ 2, 3, 4, 1 }, 4);
}

/* Without a packet of it, and without time that passes. */
Test(message_queue, a_deferred_message_of_a_request_is_reported_as_soon_as_that_ends)
{
	static struct request request;
	struct message *held = create(1);

	request = (struct request){ .connection = connection };
	TAILQ_INIT(&request.claimed);
	create(2);
	end(1);
	end(2);
	held->request = &request;
	tracker->budget.clock_ns += GIVE_UP_NS / 2;
	create(3);
	messages_advance(tracker);
	expect_order(NULL, 0);
	tracker->budget.clock_ns += GIVE_UP_NS / 2;
	messages_advance(tracker);
	expect_order((uint64_t[]){ 2 }, 1);
	message_release(tracker, held);
	messages_advance(tracker);
	expect_order((uint64_t[]){ 2, 1 }, 2);
}

Test(message_queue, a_deferred_response_is_reported_after_its_request)
{
	for (uint64_t frame = 1; frame <= 3; frame++)
		create(frame);
	pair(1, 2);
	tracker->budget.clock_ns += GIVE_UP_NS;
	tracker->now_ns += GIVE_UP_NS;
	for (uint64_t frame = 1; frame <= 3; frame++)
		known[frame].message->active_ns = tracker->now_ns;
	end(2);
	end(3);
	messages_advance(tracker);
	expect_order((uint64_t[]){ 3 }, 1);
	end(1);
	tracker->budget.clock_ns += SOON_NS;
	messages_advance(tracker);
	expect_order((uint64_t[]){ 3, 1, 2 }, 3);
	cr_expect_eq(reported[1].partner, 3);
	cr_expect_eq(reported[2].partner, 2);
}

Test(message_queue, at_the_end_of_the_input_all_are_settled_and_reported_in_order)
{
	static const uint64_t frames[] = { 5, 2, 9, 1, 7 };

	for (unsigned i = 0; i < 5; i++)
		create(frames[i]);
	end(2);
	messages_flush(tracker);
	expect_order((uint64_t[]){ 1, 2, 5, 7, 9 }, 5);
	cr_expect_eq(tracker->counters.messages, 5);
	cr_expect_eq(tracker->counters.incomplete_messages, 5);
	cr_expect(TAILQ_EMPTY(&tracker->waiting));
	cr_expect_eq(tracker->budget.used, used);
}

Test(message_queue, when_memory_is_short_the_oldest_is_reported_incomplete)
{
	create(1);
	create(2);
	messages_evict_first(tracker);
	expect_order((uint64_t[]){ 1 }, 1);
	cr_expect_not(reported[0].complete);
	cr_expect_eq(tracker->counters.evictions, 1);
	end(2);
	messages_evict_first(tracker);
	expect_order((uint64_t[]){ 1, 2 }, 2);
	cr_expect_eq(tracker->counters.evictions, 1, "a message that was over is not lost");
	cr_expect(TAILQ_EMPTY(&tracker->waiting));
}

Test(message_queue, a_message_that_was_merged_is_not_reported_and_leaves_no_gap)
{
	create(1);
	create(2);
	create(3);
	pair(2, 3);
	end(1);
	message_drop(tracker, known[2].message);
	end(3);
	messages_advance(tracker);
	expect_order((uint64_t[]){ 1, 3 }, 2);
	cr_expect_eq(reported[1].partner, 0);
	cr_expect_eq(tracker->budget.used, used);
}

/* How many of all messages, in the order of frames, can be reported. */
static uint32_t can_be_reported(uint32_t already)
{
	uint32_t count = 0, ready = 0;
	uint64_t until = 0; /* frame of the response whose number is needed */

	for (uint64_t frame = 1; frame <= MOST; frame++) {
		if (!known[frame].exists)
			continue;
		if (!known[frame].is_over)
			break;
		count++;
		if (known[frame].partner > until)
			until = known[frame].partner;
		if (frame >= until)
			ready = count;
	}
	/* a request whose response cannot be numbered yet waits, and so do those after it */
	return ready > already ? ready : already;
}

static void expect_all_in_order(uint32_t round)
{
	uint32_t at = 0;

	for (uint64_t frame = 1; frame <= FRAMES && at < reported_count; frame++) {
		if (!known[frame].exists)
			continue;
		cr_assert_eq(reported[at].first_frame, frame, "round %" PRIu32, round);
		cr_assert_eq(reported[at].number, at + 1);
		if (known[frame].partner) {
			uint64_t number = 0;

			for (uint64_t other = 1; other <= known[frame].partner; other++)
				number += known[other].exists;
			cr_assert_eq(reported[at].partner, number, "round %" PRIu32 ", frame %" PRIu64, round, frame);
		} else {
			cr_assert_eq(reported[at].partner, 0);
		}
		at++;
	}
}

Test(message_queue, any_messages_are_reported_as_soon_as_those_before_them_are_over)
{
	for (uint32_t round = 0; round < 60; round++) {
		uint64_t frame = 0;
		uint32_t before = 0;

		finish();
		begin();
		while (frame < MOST - 20) {
			uint64_t other = 1 + below((uint32_t)frame + 1);

			frame += 1 + below(3);
			create(frame);
			/* one in four is a response to a message that is not over */
			if (!below(4) && known[other].message && !known[other].partner && other < frame)
				pair(other, frame);
			for (uint32_t i = below(4); i; i--) {
				other = frame - (frame > 20 ? below(20) : below((uint32_t)frame));
				if (known[other].message)
					end(other);
			}
			if (frame > 40 && known[frame - 40].message)
				end(frame - 40);
			messages_advance(tracker);
			before = can_be_reported(before);
			cr_assert_eq(reported_count, before, "round %" PRIu32 ", frame %" PRIu64 ": %" PRIu32 " and %" PRIu32, round, frame, reported_count,
				     before);
		}
		messages_flush(tracker);
		expect_all_in_order(round);
		cr_assert_eq(tracker->budget.used, used);
	}
}

/* Late ones: a response that had to wait for its request's queue pair begins before others that wait. */
Test(message_queue, messages_that_are_known_late_are_reported_in_their_places)
{
	for (uint32_t round = 0; round < 200; round++) {
		uint32_t count = 2 + below(200);

		finish();
		begin();
		for (uint32_t i = 0; i < count; i++) {
			uint64_t frame = 1 + below(MOST);

			if (!known[frame].exists)
				create(frame);
			if (!below(8))
				messages_advance(tracker);
		}
		for (uint64_t frame = MOST; frame; frame--)
			if (known[frame].message)
				end(frame);
		messages_advance(tracker);
		expect_all_in_order(round);
		cr_assert(TAILQ_EMPTY(&tracker->waiting));
	}
}

/*
 * Gaps of iWARP streams are given up together: one direction's messages become known one after the other while those of others go on. Many
 * messages precede and follow them in the list, more than are passed in search of a place.
 */
Test(message_queue, late_messages_in_a_row_are_in_their_places_however_many_follow_them)
{
	finish();
	begin();
	for (uint64_t frame = 1; frame <= 1200; frame++)
		create(frame);
	for (uint64_t i = 0; i < 900; i++) {
		create(LATE + i);
		create(LATER + 2 * i);
		create(LATER + 2 * i + 1);
	}
	for (uint64_t frame = FRAMES; frame; frame--)
		if (known[frame].message)
			end(frame);
	messages_advance(tracker);
	cr_assert_eq(reported_count, 1200 + 3 * 900);
	expect_all_in_order(0);
}

/* A request is deferred before its response comes. Messages after the response are not between the two, although the request is now the last. */
Test(message_queue, a_response_joins_its_deferred_request_and_nothing_else_is_deferred)
{
	create(1);
	tracker->budget.clock_ns += GIVE_UP_NS / 4;
	create(2);
	tracker->budget.clock_ns += GIVE_UP_NS / 2;
	create(3);
	tracker->budget.clock_ns += GIVE_UP_NS / 4;
	messages_advance(tracker);
	cr_assert(known[1].message->deferred && !known[2].message->deferred);
	pair(1, 2);
	end(2);
	tracker->budget.clock_ns += GIVE_UP_NS / 4;
	messages_advance(tracker);
	cr_expect_not(known[3].message->deferred);
	end(3);
	messages_advance(tracker);
	expect_order((uint64_t[]){ 3 }, 1);
	end(1);
	tracker->budget.clock_ns += SOON_NS;
	messages_advance(tracker);
	expect_order((uint64_t[]){ 3, 1, 2 }, 3);
}

Test(message_queue, without_an_order_only_requests_delay_later_messages_until_they_are_given_up)
{
	struct request request = { 0 };

	tracker_set_any_order(tracker);
	create(1);
	create(2);
	end(2);
	tracker->budget.clock_ns += GIVE_UP_NS / UNORDERED_PART;
	known[1].message->request = &request;
	messages_advance(tracker);
	expect_order(NULL, 0);
	known[1].message->request = NULL;
	messages_advance(tracker);
	expect_order((uint64_t[]){ 2 }, 1);
}

Test(message_queue, each_of_many_deferred_messages_is_reported_soon_after_its_end)
{
	uint64_t ended_ns[MOST + 1] = { 0 };
	uint32_t ended = 0;

	for (uint64_t frame = 1; frame <= MOST; frame++)
		create(frame);
	tracker->budget.clock_ns += GIVE_UP_NS;
	tracker->now_ns += GIVE_UP_NS;
	while (reported_count < MOST) {
		uint32_t before = reported_count;

		for (uint64_t frame = 1; frame <= MOST; frame++)
			if (known[frame].message)
				known[frame].message->active_ns = tracker->now_ns;
		for (int i = 0; i < 5; i++) {
			uint64_t frame = 1 + below(MOST);

			if (ended == MOST)
				break;
			while (!known[frame].message)
				frame = 1 + frame % MOST;
			end(frame);
			ended_ns[frame] = tracker->budget.clock_ns;
			ended++;
		}
		tracker->budget.clock_ns += GIVE_UP_NS / 256;
		tracker->now_ns += GIVE_UP_NS / 256;
		messages_advance(tracker);
		for (uint32_t i = before; i < reported_count; i++) {
			cr_assert(known[reported[i].first_frame].is_over, "frame %" PRIu64, reported[i].first_frame);
			cr_assert_leq(tracker->budget.clock_ns - ended_ns[reported[i].first_frame], SOON_NS);
		}
		cr_assert(ended < MOST || reported_count > before || tracker->budget.clock_ns < 4 * GIVE_UP_NS, "%" PRIu32 " reported", reported_count);
	}
	cr_expect_eq(tracker->deferred.heap.count, 0);
	cr_expect_eq(tracker->deferred.due_ns, UINT64_MAX);
}
