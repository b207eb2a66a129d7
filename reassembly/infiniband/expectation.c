/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/infiniband/ib.h"
#include "reassembly/infiniband/expectation.h"
#include "reassembly/store/memory.h"

#define FIRST_ROOM 8
#define MAX_EXPECTED 128

void expectation_words(const struct flow_key *key, bool turned, uint32_t psn, uint64_t words[5])
{
	memcpy(words, &key->words[turned ? 2 : 0], 2 * sizeof *words);
	memcpy(words + 2, &key->words[turned ? 0 : 2], 2 * sizeof *words);
	words[4] = psn;
}

bool expectation_has_words(const void *value, const void *key)
{
	return !memcmp(((const struct expectation *)value)->words, key, sizeof((struct expectation *)0)->words);
}

void expectation_add(struct rtap_tracker *tracker, struct expectation *expectation)
{
	struct expectation *first = map_find(&tracker->expectations, expectation->hash, expectation_has_words, expectation->words);

	expectation->same_before = first;
	expectation->same_after = first ? first->same_after : NULL;
	if (expectation->same_after)
		expectation->same_after->same_before = expectation;
	if (first)
		first->same_after = expectation;
	else if (!map_add(&tracker->expectations, expectation->hash, expectation))
		expectation->connection = NULL;
}

void expectation_remove(struct rtap_tracker *tracker, struct expectation *expectation)
{
	struct expectation *next = expectation->same_after;

	if (next)
		next->same_before = expectation->same_before;
	if (expectation->same_before) {
		expectation->same_before->same_after = next;
	} else {
		map_remove(&tracker->expectations, expectation->hash, expectation);
		/* The freed slot takes the next one without growing. */
		if (next && !map_add(&tracker->expectations, expectation->hash, next))
			tracker->counters.evictions++;
	}
	expectation->connection = NULL;
}

bool expectation_is_last(const void *value, const void *key)
{
	return !memcmp(((const struct flow *)value)->last_words, key, sizeof((struct flow *)0)->last_words);
}

void expectation_forget_last(struct rtap_tracker *tracker, struct flow *flow)
{
	struct flow *next = flow->last_after;

	if (!flow->last_indexed)
		return;
	flow->last_indexed = false;
	if (next)
		next->last_before = flow->last_before;
	if (flow->last_before) {
		flow->last_before->last_after = next;
	} else {
		map_remove(&tracker->waiting_flows, flow->last_hash, flow);
		if (next && !map_add(&tracker->waiting_flows, flow->last_hash, next))
			tracker->counters.evictions++;
	}
}

void expectation_index_last(struct rtap_tracker *tracker, struct flow *flow)
{
	const struct pending_response *last = &flow->pending[flow->pending_count - 1];
	struct flow *first;

	expectation_forget_last(tracker, flow);
	if (ib_opcodes[last->opcode].class == IB_CONGESTION)
		return;
	expectation_words(&flow->key, false, last->psn, flow->last_words);
	flow->last_hash = map_hash(flow->last_words, 5);
	first = map_find(&tracker->waiting_flows, flow->last_hash, expectation_is_last, flow->last_words);
	flow->last_before = first;
	flow->last_after = first ? first->last_after : NULL;
	if (flow->last_after)
		flow->last_after->last_before = flow;
	if (first)
		first->last_after = flow;
	else if (!map_add(&tracker->waiting_flows, flow->last_hash, flow))
		return;
	flow->last_indexed = true;
}

bool expectation_reserve(struct rtap_tracker *tracker, struct connection *connection)
{
	uint32_t room = connection->expectation_room ? connection->expectation_room * 2 : FIRST_ROOM, kept = connection->expected;
	struct expectation *larger;

	if (connection->expected < connection->expectation_room || connection->expectation_room >= MAX_EXPECTED)
		return true;
	larger = memory_new_zeroed(room, sizeof *larger);
	if (!larger)
		return connection->expectation_room > 0;
	/* The entries moved: updates the pointers in the table. */
	for (uint32_t i = 0; i < kept; i++) {
		struct expectation *old = &connection->expectations[i];

		larger[i] = *old;
		if (old->connection)
			expectation_remove(tracker, old);
	}
	free(connection->expectations);
	connection->expectations = larger;
	connection->expectation_room = room;
	connection->resized = true;
	for (uint32_t i = 0; i < kept; i++)
		if (larger[i].connection)
			expectation_add(tracker, &larger[i]);
	return true;
}

void expectation_forget_all(struct rtap_tracker *tracker, struct connection *connection)
{
	for (uint32_t i = 0; i < connection->expectation_room; i++)
		if (connection->expectations[i].connection)
			expectation_remove(tracker, &connection->expectations[i]);
	free(connection->expectations);
	connection->expectations = NULL;
	connection->expectation_room = connection->expected = 0;
	connection->resized = true;
}
