/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/protocol.h"
#include "dissect/rpc/rpc_header.h"
#include "reassembly/upper/rpc_call.h"
#include "reassembly/upper/rpc_state.h"

struct call_key {
	const struct connection *connection;
	uint32_t xid;
	bool from_a;
};

static uint64_t hash_of(const struct call_key *key)
{
	uint64_t words[2] = { (uintptr_t)key->connection, (uint64_t)key->from_a << 32 | key->xid };

	return map_hash(words, 2);
}

static bool same_call(const void *value, const void *wanted)
{
	const struct rpc_call *call = value;
	const struct call_key *key = wanted;

	return call->request.connection == key->connection && call->xid == key->xid && call->request.from_a == key->from_a;
}

struct rpc_call *rpc_call_find(const struct rtap_tracker *tracker, const struct connection *connection, bool from_a, uint32_t xid)
{
	struct call_key key = { connection, xid, from_a };
	const struct request_list *lists = connection->requests.lists;
	struct rpc_call *last = rpc_call_of(TAILQ_LAST(&lists[false].queue, request_queue));

	/* If calls arrive one at a time, it is the last one. */
	if (last && last->mapped && last->xid == xid && last->request.from_a == from_a)
		return last;
	if (!last && TAILQ_EMPTY(&lists[true].queue))
		return NULL;
	return map_find(&rpc_state_of(tracker)->calls, hash_of(&key), same_call, &key);
}

void rpc_call_enter(const struct rtap_tracker *tracker, struct rpc_call *call)
{
	const struct call_key key = { call->request.connection, call->xid, call->request.from_a };

	call->hash = hash_of(&key);
	call->mapped = map_add(&rpc_state_of(tracker)->calls, call->hash, call);
}

void rpc_call_leave(const struct rtap_tracker *tracker, struct rpc_call *call)
{
	if (call->mapped)
		map_remove(&rpc_state_of(tracker)->calls, call->hash, call);
	call->mapped = false;
}

struct rpc_answer *rpc_call_find_answer(const struct connection *connection, bool from_a, uint32_t xid)
{
	const struct rpc_connection *state = rpc_state_of_connection(connection);

	return state ? rpc_answers_find(state, from_a, xid) : NULL;
}

bool rpc_call_locate(const struct rtap_packet *packet, const uint8_t **bytes, uint32_t *captured, uint32_t *wire)
{
	/* Usually the message is the frame's payload. */
	if (packet->source_count == 1) {
		*bytes = packet->sources[0].bytes + packet->payload.offset;
		*captured = packet->payload.captured;
		*wire = packet->payload.wire;
		return true;
	}
	for (uint8_t i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *layer = &packet->layers[i];

		if (layer->protocol != PROTOCOL_RPCRDMA)
			continue;
		*bytes = layer_bytes(packet, layer);
		if (layer->source != packet->payload.source) {
			*captured = packet->sources[layer->source].captured - layer->offset;
			*wire = packet->sources[layer->source].wire - layer->offset;
		} else {
			*captured = packet->payload.captured;
			*wire = packet->payload.wire;
		}
		return true;
	}
	return false;
}

bool rpc_call_gather_reply(struct rtap_tracker *tracker, const struct rpc_call *call, const struct rpc_chunks *lists, struct rtap_span *whole)
{
	struct coverage *gathered = &rpc_state_of(tracker)->gathered;

	coverage_fini(gathered);
	if (!rpc_chunks_gather(lists, &call->request, CHUNK_REPLY, 0, gathered))
		return false;
	*whole = (struct rtap_span){ gathered->bytes, (uint32_t)rpc_chunks_length(lists, CHUNK_REPLY, 0) };
	return true;
}

void rpc_call_known(const struct rtap_rpc_facts *call, uint64_t frame, int64_t time_ns, struct rtap_context *context)
{
	rpc_set_call(context, call);
	context->rpc_known = true;
	context->rpc_call_frame = frame;
	context->rpc_call_time_ns = time_ns;
}
