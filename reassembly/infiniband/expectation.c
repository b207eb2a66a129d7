/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/infiniband/ib.h"
#include "reassembly/infiniband/expectation.h"

#define FIRST_ROOM 8
#define MAX_EXPECTED 128

void expectation_init(struct rtap_tracker *tracker)
{
	tracker->expectations.link = offsetof(struct expectation, link);
	tracker->waiting_flows.link = offsetof(struct flow, last_link);
}

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
	uint64_t hash = map_hash(expectation->words, 5);

	if (!multimap_add(&tracker->expectations, hash, expectation_has_words, expectation->words, expectation))
		expectation->connection = NULL;
}

void expectation_remove(struct rtap_tracker *tracker, struct expectation *expectation)
{
	multimap_remove(&tracker->expectations, expectation);
	expectation->connection = NULL;
}

bool expectation_last_has_words(const void *value, const void *key)
{
	return !memcmp(((const struct flow *)value)->last_words, key, sizeof((struct flow *)0)->last_words);
}

void expectation_discard_last(struct rtap_tracker *tracker, struct flow *flow)
{
	if (flow->last_indexed)
		multimap_remove(&tracker->waiting_flows, flow);
	flow->last_indexed = false;
}

void expectation_index_last(struct rtap_tracker *tracker, struct flow *flow)
{
	const struct pending_response *last = &flow->pending[flow->pending_count - 1];
	uint64_t hash;

	expectation_discard_last(tracker, flow);
	if (ib_opcodes[last->opcode].class == IB_CONGESTION)
		return;
	expectation_words(&flow->key, false, last->psn, flow->last_words);
	hash = map_hash(flow->last_words, 5);
	flow->last_indexed = multimap_add(&tracker->waiting_flows, hash, expectation_last_has_words, flow->last_words, flow);
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

void expectation_discard_all(struct rtap_tracker *tracker, struct connection *connection)
{
	for (uint32_t i = 0; i < connection->expectation_room; i++)
		if (connection->expectations[i].connection)
			expectation_remove(tracker, &connection->expectations[i]);
	free(connection->expectations);
	connection->expectations = NULL;
	connection->expectation_room = connection->expected = 0;
	connection->resized = true;
}

bool expectation_may_have_requests(const struct rtap_tracker *tracker, const struct psn_stream *stream)
{
	const struct flow *flow = stream->connection->flows[!stream->from_a];

	if (!flow || stream->connection->flows[stream->from_a])
		return false;
	for (unsigned i = 0; i < RECENT_ACKS; i++) {
		uint64_t words[5];

		if (!stream->acks[i].time_ns)
			continue;
		expectation_words(&flow->key, false, stream->acks[i].psn, words);
		if (multimap_find(&tracker->expectations, map_hash(words, 5), expectation_has_words, words))
			return true;
	}
	return false;
}
