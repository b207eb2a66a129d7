/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "reassembly/connection.h"
#include "reassembly/upper/rpc_answers.h"
#include "reassembly/upper/rpc_state.h"

#define FIRST_ROOM 2
#define SILENCE_NS INT64_C(90000000000) /* NFS clients retry after a minute, queue pairs before that */

/*
 * The first connection may have changed. Times are not always in the order of frames: it can be due before the previous one.
 */
static void note_due(struct rtap_tracker *tracker)
{
	const struct rpc_connection *first = TAILQ_FIRST(&rpc_state_of(tracker)->answering);

	if (first)
		connections_due(tracker, first->answers.latest_ns, SILENCE_NS);
}

static void leave(struct rtap_tracker *tracker, struct rpc_connection *of)
{
	struct rpc_state *state = rpc_state_of(tracker);

	TAILQ_REMOVE(&state->answering, of, answering);
	note_due(tracker);
}

static void discard_bytes(struct rtap_tracker *tracker, struct rpc_connection *of, struct rpc_answer *answer)
{
	if (!answer->bytes)
		return;
	budget_give(&tracker->budget, &of->connection->entry, answer->length);
	of->answers.kept -= answer->length;
	free(answer->bytes);
	answer->bytes = NULL;
}

/* The ring grows only while it is filled for the first time, so that entries keep their index. */
static bool reserve(struct rtap_tracker *tracker, struct rpc_connection *of)
{
	struct rpc_answers *answers = &of->answers;
	uint32_t room = answers->room ? answers->room * 2 : FIRST_ROOM;
	struct rpc_answer *larger;

	if (answers->next < answers->room || answers->room == RPC_ANSWERS_MAX)
		return true;
	larger = memory_resize(answers->ring, room * sizeof *larger);
	if (!larger)
		return answers->room > 0;
	/* other members of an unused entry are not read */
	for (uint32_t i = answers->room; i < room; i++)
		larger[i].bytes = NULL;
	budget_add(&tracker->budget, &of->connection->entry, (room - answers->room) * sizeof *larger);
	answers->ring = larger;
	answers->room = room;
	return true;
}

/* XIDs mostly count up: the upper bits of the product separate neighbours. */
static uint32_t bucket_of(uint32_t xid)
{
	return (xid * UINT32_C(0x9e3779b1)) >> 26;
}

void rpc_answers_add(struct rtap_tracker *tracker, struct rpc_connection *of, const struct rpc_answer *answer)
{
	struct rpc_state *state = rpc_state_of(tracker);
	struct rpc_answers *answers = &of->answers;
	struct rpc_answer *place;

	if (answers->ring && TAILQ_NEXT(of, answering))
		leave(tracker, of);
	if (!reserve(tracker, of)) {
		free(answer->bytes);
		return;
	}
	if (TAILQ_LAST(&state->answering, rpc_answering) != of)
		TAILQ_INSERT_TAIL(&state->answering, of, answering);
	answers->latest_ns = tracker->now_ns;
	note_due(tracker);
	place = &answers->ring[answers->next & (answers->room - 1)];
	discard_bytes(tracker, of, place);
	*place = *answer;
	place->number = answers->next++;
	place->older = answers->newest[bucket_of(answer->xid)];
	answers->newest[bucket_of(answer->xid)] = (uint8_t)(place - answers->ring + 1);
	if (!answer->bytes)
		return;
	answers->kept += answer->length;
	budget_add(&tracker->budget, &of->connection->entry, answer->length);
	if (answers->next - answers->oldest_kept > answers->room)
		answers->oldest_kept = answers->next - answers->room;
	while (answers->kept > RPC_ANSWERS_BYTES && answers->oldest_kept != answers->next)
		discard_bytes(tracker, of, &answers->ring[answers->oldest_kept++ & (answers->room - 1)]);
}

struct rpc_answer *rpc_answers_find(const struct rpc_connection *of, bool from_a, uint32_t xid)
{
	const struct rpc_answers *answers = &of->answers;
	uint32_t bucket = bucket_of(xid), age = 0;

	for (uint8_t at = answers->newest[bucket]; at;) {
		struct rpc_answer *answer = &answers->ring[at - 1];

		/* The entry was reused by a later one. */
		if (answers->next - answer->number <= age || bucket_of(answer->xid) != bucket)
			return NULL;
		if (answer->xid == xid && answer->from_a == from_a)
			return answer;
		age = answers->next - answer->number;
		at = answer->older;
	}
	return NULL;
}

void rpc_answers_move(struct rtap_tracker *tracker, struct rpc_connection *from, struct rpc_connection *to, bool turned)
{
	struct rpc_answers *answers = &from->answers;
	uint32_t count = answers->next < answers->room ? answers->next : answers->room;

	for (uint32_t age = count; age > 0; age--) {
		struct rpc_answer *answer = &answers->ring[(answers->next - age) & (answers->room - 1)];

		answer->from_a ^= turned;
		if (answer->bytes) {
			budget_give(&tracker->budget, &from->connection->entry, answer->length);
			answers->kept -= answer->length;
		}
		rpc_answers_add(tracker, to, answer);
		answer->bytes = NULL;
	}
	rpc_answers_fini(tracker, from);
}

void rpc_answers_fini(struct rtap_tracker *tracker, struct rpc_connection *of)
{
	struct rpc_answers *answers = &of->answers;

	if (!answers->ring)
		return;
	leave(tracker, of);
	for (uint32_t i = 0; i < answers->room; i++)
		discard_bytes(tracker, of, &answers->ring[i]);
	budget_give(&tracker->budget, &of->connection->entry, answers->room * sizeof *answers->ring);
	free(answers->ring);
	*answers = (struct rpc_answers){ 0 };
}

void rpc_answers_advance(struct rtap_tracker *tracker)
{
	const struct rpc_state *state = rpc_state_of(tracker);
	struct rpc_connection *first;

	while ((first = TAILQ_FIRST(&state->answering)) && tracker->now_ns - first->answers.latest_ns >= SILENCE_NS)
		rpc_answers_fini(tracker, first);
	note_due(tracker);
}
