/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time-outs of idle connections. Clocks may be set back: the earliest entry need not be due first.
 */
#include "config.h"

#include <criterion/criterion.h>

#include "reassembly/connection_lifecycle.h"
#include "reassembly/upper/rpc_state.h"

#define SECOND INT64_C(1000000000)
#define SILENCE (90 * SECOND) /* responses are remembered for this time */

/* The oldest one stays open: none after it is reported before it. */
static struct rtap_tracker *tracker;
static struct connection *oldest, *first, *second;
static uint64_t reported;

static void note_connection(void *owner, const struct rtap_connection *connection)
{
	(void)owner;
	(void)connection;
	reported++;
}

static void advance_to(int64_t now_ns)
{
	tracker->now_ns = now_ns;
	connections_advance(tracker);
}

static void begin(void)
{
	cr_assert_eq(rtap_tracker_open(&tracker,
				       &(struct rtap_tracker_options){ .size = sizeof(struct rtap_tracker_options),
								       .connection = note_connection },
				       NULL),
		     RTAP_STATUS_OK);
	advance_to(100 * SECOND);
	oldest = connection_create(tracker, 1, tracker->now_ns);
	first = connection_create(tracker, 2, tracker->now_ns);
	second = connection_create(tracker, 3, tracker->now_ns);
	cr_assert(oldest && first && second);
}

static void end(void)
{
	rtap_tracker_close(tracker);
}

static void answer(struct connection *connection, int64_t now_ns)
{
	tracker->now_ns = now_ns;
	connection->layer = tracker->layers[0];
	rpc_answers_add(tracker, rpc_state_make(tracker, connection), &(struct rpc_answer){ .xid = 1 });
}

TestSuite(connection, .init = begin, .fini = end, .timeout = HANG_SECONDS);

Test(connection, one_that_closed_is_retired_a_second_later)
{
	connection_close(tracker, first);
	advance_to(101 * SECOND - 1);
	cr_expect_not(first->retired);
	advance_to(101 * SECOND);
	cr_expect(first->retired);
	cr_expect_eq(reported, 0);
}

Test(connection, one_that_closed_is_retired_in_time_after_another_that_waits_for_its_messages)
{
	connection_close(tracker, first);
	oldest->references++;
	connection_retire(tracker, oldest);
	advance_to(101 * SECOND - 2);
	cr_expect_eq(reported, 0);
	oldest->references--;
	advance_to(101 * SECOND - 1);
	cr_expect_eq(reported, 1);
	cr_expect_not(first->retired);
	advance_to(101 * SECOND);
	cr_expect_eq(reported, 2);
}

Test(connection, one_that_closed_after_another_after_the_clock_was_set_back_is_retired_in_its_own_time)
{
	connection_close(tracker, first);
	tracker->now_ns = 50 * SECOND;
	connection_close(tracker, second);
	connection_retire(tracker, first);
	advance_to(51 * SECOND - 1);
	cr_expect_not(second->retired);
	advance_to(51 * SECOND);
	cr_expect(second->retired);
}

Test(connection, answers_are_discarded_after_a_silence)
{
	answer(first, 100 * SECOND);
	answer(first, 110 * SECOND);
	advance_to(110 * SECOND + SILENCE - 1);
	cr_expect_not_null(rpc_state_of_connection(first)->answers.ring);
	advance_to(110 * SECOND + SILENCE);
	cr_expect_null(rpc_state_of_connection(first)->answers.ring);
}

Test(connection, answers_after_others_after_the_clock_was_set_back_are_discarded_in_their_own_time)
{
	answer(first, 100 * SECOND);
	answer(second, 50 * SECOND);
	rpc_answers_fini(tracker, rpc_state_of_connection(first));
	advance_to(50 * SECOND + SILENCE - 1);
	cr_expect_not_null(rpc_state_of_connection(second)->answers.ring);
	advance_to(50 * SECOND + SILENCE);
	cr_expect_null(rpc_state_of_connection(second)->answers.ring);
}
