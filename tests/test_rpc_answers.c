/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ring of answered calls, held against a plain list of them. */
#include "config.h"

#include <stdlib.h>

#include <criterion/criterion.h>

#include "reassembly/upper/rpc_state.h"

#define ADDED 1000

static struct rtap_tracker *tracker;
static struct connection *connection;

static void open_state(void)
{
	tracker = calloc(1, sizeof *tracker);
	connection = calloc(1, sizeof *connection);
	cr_assert(tracker && connection);
	budget_init(&tracker->budget, 1 << 20);
	cr_assert(rpc_state_init(tracker) && rpc_state_make(tracker, connection));
}

static void close_state(void)
{
	rpc_state_drop(tracker, connection);
	cr_expect_eq(tracker->budget.used, 0);
	cr_expect(TAILQ_EMPTY(&rpc_state_of(tracker)->answering));
	rpc_state_fini(tracker);
	free(connection);
	free(tracker);
}

static void add(uint32_t xid, uint64_t frame, uint32_t length)
{
	struct rpc_answer answer = { .xid = xid, .from_a = frame % 2, .frame = frame, .bytes = length ? malloc(length) : NULL, .length = length };

	cr_assert(!length || answer.bytes);
	rpc_answers_add(tracker, rpc_state_of_connection(connection), &answer);
}

/* Frame of the newest of the last RPC_ANSWERS_MAX answers with that number; 0: it is none of them. */
static uint64_t listed(const uint32_t *xids, size_t count, bool from_a, uint32_t xid)
{
	for (size_t i = count; i > 0 && count - i < RPC_ANSWERS_MAX; i--)
		if (xids[i - 1] == xid && i % 2 == from_a)
			return i;
	return 0;
}

TestSuite(rpc_answers, .init = open_state, .fini = close_state, .timeout = HANG_SECONDS);

/* Few numbers, so that they share buckets and are reused before and after they were discarded. */
Test(rpc_answers, the_newest_of_a_number_is_found_until_its_place_is_taken)
{
	static uint32_t xids[ADDED];
	uint32_t chance = 1;

	for (size_t count = 0; count < ADDED; count++) {
		chance = chance * UINT32_C(1664525) + UINT32_C(1013904223);
		xids[count] = chance >> 24;
		add(xids[count], count + 1, 0);
		for (uint32_t xid = 0; xid < 256; xid += 1 + count % 7) {
			bool from_a = (xid + count) % 2;
			const struct rpc_answer *found = rpc_answers_find(rpc_state_of_connection(connection), from_a, xid);

			cr_assert_eq(found ? found->frame : 0, listed(xids, count + 1, from_a, xid), "%u after %zu", xid, count + 1);
		}
	}
}

Test(rpc_answers, bytes_are_kept_of_the_newest_as_far_as_there_is_room)
{
	for (uint64_t frame = 1; frame <= 100; frame++)
		add((uint32_t)frame, frame, RPC_ANSWERS_BYTES / 10);
	for (uint64_t frame = 1; frame <= 100; frame++) {
		const struct rpc_answer *found = rpc_answers_find(rpc_state_of_connection(connection), frame % 2, (uint32_t)frame);

		cr_assert_not_null(found);
		cr_expect_eq(found->bytes != NULL, frame > 90, "frame %lu", (unsigned long)frame);
	}
}
