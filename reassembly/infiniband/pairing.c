/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dissect/infiniband/ib.h"
#include "reassembly/connection.h"
#include "reassembly/connection_lifecycle.h"
#include "reassembly/infiniband/expectation.h"
#include "reassembly/infiniband/ib_response.h"
#include "base/memory.h"
#include "reassembly/message_list.h"
#include "reassembly/message_queue.h"
#include "reassembly/infiniband/pairing.h"
#include "reassembly/infiniband/port_pairing.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/upper.h"

#define MAX_PENDING 256

bool pairing_may_answer(const struct connection *connection, uint32_t response_psn, uint8_t opcode)
{
	const struct psn_stream *stream = &connection->streams[connection_known_side(connection)];
	uint64_t psn;

	if (ib_opcodes[opcode].class == IB_CONGESTION)
		return true;
	if (!stream->started || (connection->flows[0] && connection->flows[1]))
		return false;
	psn = psn_unwrap(stream, response_psn);
	return psn + PSN_WINDOW >= stream->next && psn <= stream->next;
}

/*
 * Whether a response can answer the request by its partition, by its kind, with data or without, and by its length. A NAK answers any. IBTA
 * vol. 1, 9.7.5, 10.9.
 */
static bool is_kind_of_answer(const struct expectation *expectation, const struct pending_response *response)
{
	const struct ib_opcode *opcode = &ib_opcodes[response->opcode];

	if ((expectation->p_key ^ response->p_key) & 0x7fff)
		return false;
	if (opcode->class == IB_ACKNOWLEDGE && response->aeth_kind != RTAP_AETH_ACK)
		return true;
	switch (ib_opcodes[expectation->opcode].class) {
	case IB_SEND:
	case IB_WRITE:
		return opcode->class == IB_ACKNOWLEDGE;
	case IB_ATOMIC:
		return opcode->class == IB_ATOMIC_ACKNOWLEDGE;
	case IB_READ_REQUEST:
		return opcode->class == IB_READ_RESPONSE && (!expectation->has_length || (opcode->place == IB_ONLY ? response->wire == expectation->length :
														response->wire < expectation->length));
	default:
		return opcode->class == IB_READ_RESPONSE;
	}
}

static bool has_port(const struct flow *flow, const struct connection *connection)
{
	return port_pairing_fits(flow, connection_known_flow(connection));
}

/* This many matching responses are more than chance, whatever their ports. */
#define PROOF 8

/* Most connections examined for the requester of responses. With more, none is chosen. */
#define MOST_CANDIDATES 256

/*
 * The only connection that a response can belong to by its PSN, or the only one of several whose port matches too; NULL:
 * none, or ambiguous.
 */
static struct connection *find_requester(const struct rtap_tracker *tracker, const struct flow *flow)
{
	struct connection *found = NULL;
	unsigned candidates = 0;
	bool is_one = true;

	for (uint32_t i = tracker->expectations.map.count ? flow->pending_count : 0; i-- > 0 && !found;) {
		uint64_t words[5];
		struct expectation *expectation;

		if (ib_opcodes[flow->pending[i].opcode].class == IB_CONGESTION)
			continue;
		expectation_words(&flow->key, false, flow->pending[i].psn, words);
		expectation = multimap_find(&tracker->expectations, map_hash(words, 5), expectation_has_words, words);
		for (; expectation; expectation = expectation->link.older) {
			bool fits = expectation->connection != flow->connection && expectation->connection != found &&
				    is_kind_of_answer(expectation, &flow->pending[i]);

			if (candidates++ == MOST_CANDIDATES)
				return NULL;
			for (uint32_t other = 0; other < flow->pending_count && fits; other++)
				fits = pairing_may_answer(expectation->connection, flow->pending[other].psn, flow->pending[other].opcode);
			if (!fits)
				continue;
			if (!found) {
				found = expectation->connection;
			} else if (has_port(flow, found) == has_port(flow, expectation->connection)) {
				is_one = false;
			} else if (has_port(flow, expectation->connection)) {
				found = expectation->connection;
				is_one = true;
			}
		}
	}
	if (!found || !is_one || (flow->pending_count < PROOF && port_pairing_doubts(tracker, flow, connection_known_flow(found))))
		return NULL;
	return found;
}

bool pairing_is_for_another(const struct rtap_tracker *tracker, const struct flow *flow, const struct psn_stream *stream,
			    const struct pending_response *response)
{
	const struct connection *connection = flow->connection;
	const struct expectation *expectation;
	unsigned candidates = 0;
	uint64_t words[5];

	if (connection->shown.learned_by_cm || connection_is_half(connection) || !tracker->expectations.map.count)
		return false;
	expectation_words(&flow->key, false, response->psn, words);
	expectation = multimap_find(&tracker->expectations, map_hash(words, 5), expectation_has_words, words);
	for (; expectation && candidates < MOST_CANDIDATES; expectation = expectation->link.older, candidates++)
		if (expectation->connection->shown.time_ns > stream->last_ns && is_kind_of_answer(expectation, response) &&
		    pairing_may_answer(expectation->connection, response->psn, response->opcode))
			return true;
	return false;
}

/* Merges what was known of a half into the whole. Its sender is end a of it if `other_from_a` is set. */
static void merge_shown(struct rtap_connection *shown, const struct rtap_connection *other, bool from_a, bool other_from_a)
{
	struct rtap_end *sender = from_a ? &shown->a : &shown->b;
	const struct rtap_end *known = other_from_a ? &other->a : &other->b;

	shown->packets += other->packets;
	shown->messages += other->messages;
	shown->bytes += other->bytes;
	if (other->last_frame > shown->last_frame)
		shown->last_frame = other->last_frame;
	if (other->time_ns < shown->time_ns)
		shown->time_ns = other->time_ns;
	if (other->time_end_ns > shown->time_end_ns)
		shown->time_end_ns = other->time_end_ns;
	for (int i = 0; i < RTAP_CONNECTION_ANOMALY_COUNT; i++)
		shown->anomaly_counts[i] += other->anomaly_counts[i];
	sender->psn = known->psn;
	sender->psn_known = true;
	sender->last_psn = known->last_psn;
	sender->last_psn_known = known->last_psn_known;
	if (other->has_service && !shown->has_service) {
		shown->has_service = true;
		shown->service_id = other->service_id;
	}
}

/* The connection that was created for the flow's requests is the other half of `connection`. */
static void merge(struct rtap_tracker *tracker, struct connection *connection, struct connection *other, bool from_a)
{
	bool other_from_a = connection_known_side(other), turned = from_a != other_from_a;
	struct psn_stream *stream = &connection->streams[from_a], *taken = &other->streams[other_from_a];
	struct psn_stream *unused = &other->streams[!other_from_a];
	struct flow *flow = connection_known_flow(other);
	struct message *message;

	/* Settles messages inferred from responses that waited too long, to requests that no end sent. */
	messages_settle(tracker, stream, true);
	messages_settle(tracker, unused, true);
	psn_fini(stream);
	psn_fini(unused);
	*stream = *taken;
	message_list_move(stream, taken);
	stream->connection = connection;
	stream->from_a = from_a;
	TAILQ_FOREACH(message, &stream->messages, link) {
		message->stream = stream;
		if (message->memory) {
			budget_give(&tracker->budget, &other->entry, message->memory);
			budget_charge(&tracker->budget, &connection->entry, message->memory);
		}
	}
	messages_move(other, connection, from_a);
	memset(taken, 0, sizeof *taken);
	message_list_init(taken);
	taken->connection = other;
	merge_shown(&connection->shown, &other->shown, from_a, other_from_a);
	upper_merged(tracker, other, connection, turned);
	if (tracker->options.merged)
		tracker->options.merged(tracker->options.owner, other->shown.number, connection->shown.number, turned);
	other->flows[0] = other->flows[1] = NULL;
	flow->connection = NULL;
	connection_drop(tracker, other);
}

/* The flow carries the responses to the connection's requests. */
static void pair(struct rtap_tracker *tracker, struct flow *flow, struct connection *connection)
{
	bool from_a = !connection->flows[1];

	/* The older one remains, so that numbers are in the order of first frames. */
	if (flow->connection && flow->connection->shown.number < connection->shown.number) {
		struct connection *older = flow->connection;
		struct flow *other = connection_known_flow(connection);
		bool other_from_a = !flow->from_a;

		merge(tracker, older, connection, other_from_a);
		flow_attach(other, older, other_from_a);
		connection = older;
	} else {
		if (flow->connection)
			merge(tracker, connection, flow->connection, from_a);
		flow_attach(flow, connection, from_a);
	}
	for (int i = 0; i < 2; i++) {
		struct rtap_end *receiver = i ? &connection->shown.b : &connection->shown.a;

		receiver->qpn = (uint32_t)connection->flows[i]->key.words[4];
		receiver->qpn_known = true;
	}
	port_pairing_note(tracker, connection->flows[0], connection->flows[1]);
	expectation_discard_all(tracker, connection);
	connection_account(tracker, connection);
}

/* Processes a response that waited. */
static void resolve(struct rtap_tracker *tracker, const struct flow *flow, struct psn_stream *stream,
		    const struct pending_response *response, struct frame_result *result)
{
	const struct rtap_connection *shown = &flow->connection->shown;
	const struct rtap_end *sender = flow->from_a ? &shown->a : &shown->b;
	struct rtap_flow_facts facts = {
		.present = true, .from_a = flow->from_a, .connection = shown->number,
		.has_source_qpn = sender->qpn_known, .source_qpn = sender->qpn,
	};
	struct frame_result replayed = { .outer = result };

	ib_response_packet(tracker, stream, response, &facts, &replayed);
	if (replayed.touched)
		result->touched = replayed.touched;
	if (tracker->options.resolved)
		tracker->options.resolved(tracker->options.owner, response->frame, &facts);
}

static void replay(struct rtap_tracker *tracker, struct flow *flow, struct frame_result *result)
{
	struct connection *connection = flow->connection;
	struct psn_stream *stream = &connection->streams[!flow->from_a];

	for (uint32_t i = 0; i < flow->pending_count; i++) {
		struct pending_response *response = &flow->pending[i];

		connection->shown.packets++;
		connection_cover_frame(connection, response->frame, response->time_ns);
		resolve(tracker, flow, stream, response, result);
	}
	expectation_discard_last(tracker, flow);
	flow_discard_pending(flow);
	budget_give(&tracker->budget, &flow->entry, flow->entry.bytes);
	connection_account(tracker, connection);
}

/* Both ends are known now: processes what waited in either direction. */
static void replay_both(struct rtap_tracker *tracker, const struct connection *connection, struct frame_result *result)
{
	for (int i = 0; i < 2; i++)
		if (connection->flows[i]->pending_count)
			replay(tracker, connection->flows[i], result);
}

/* The same if the responses are those of earlier frames: the current frame remains the request's. */
static void replay_earlier(struct rtap_tracker *tracker, const struct connection *connection, struct frame_result *result)
{
	struct frame_result earlier = { .outer = result };

	replay_both(tracker, connection, &earlier);
}

/*
 * The request that was just registered may be that of the last response of a waiting flow, if there is only one such flow.
 */
static void pair_waiting(struct rtap_tracker *tracker, struct connection *connection, const struct expectation *expectation,
			 struct frame_result *result)
{
	struct flow *flow = multimap_find(&tracker->waiting_flows, expectation->link.hash, expectation_last_has_words, expectation->words);

	if (!flow || flow->last_link.older || (flow->connection && flow->connection->flows[0] && flow->connection->flows[1]) ||
	    find_requester(tracker, flow) != connection)
		return;
	pair(tracker, flow, connection);
	replay_earlier(tracker, flow->connection, result);
}

void pairing_expect(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_ib_facts *request, struct frame_result *result)
{
	const struct flow *flow = connection_known_flow(connection);
	struct expectation *expectation;

	if (!expectation_reserve(tracker, connection))
		return;
	expectation = &connection->expectations[connection->expected & (connection->expectation_room - 1)];
	if (expectation->connection)
		expectation_remove(tracker, expectation);
	*expectation = (struct expectation){
		.connection = connection, .opcode = request->opcode, .p_key = request->p_key, .has_length = request->has_reth, .length = request->dma_length,
	};
	expectation_words(&flow->key, true, request->psn, expectation->words);
	connection->expected++;
	expectation_add(tracker, expectation);
	if (tracker->waiting_flows.map.count)
		pair_waiting(tracker, connection, expectation, result);
}

static bool copy(struct rtap_tracker *tracker, struct flow *flow, const struct pending_response *response)
{
	if (flow->pending_count == flow->pending_room) {
		uint32_t before = flow->pending_room;
		struct pending_response *larger = array_reserve(flow->pending, &flow->pending_room, flow->pending_count + 1, 4,
								UINT32_MAX, sizeof *larger);

		if (!larger)
			return false;
		budget_charge(&tracker->budget, &flow->entry, (flow->pending_room - before) * sizeof *larger);
		flow->pending = larger;
	}
	flow->pending[flow->pending_count] = *response;
	flow->pending[flow->pending_count].bytes = NULL;
	/* The CRC of a part of them may be needed. */
	if (response->bytes && (tracker->keep || tracker->wants_data)) {
		uint8_t *bytes = memory_new(response->captured + 1);

		if (!bytes)
			return false;
		memcpy(bytes, response->bytes, response->captured);
		flow->pending[flow->pending_count].bytes = bytes;
		budget_charge(&tracker->budget, &flow->entry, response->captured + 1);
	}
	flow->pending_count++;
	expectation_index_last(tracker, flow);
	return true;
}

void pairing_join(struct rtap_tracker *tracker, struct flow *flow, struct connection *connection, struct frame_result *result)
{
	pair(tracker, flow, connection);
	replay_earlier(tracker, flow->connection, result);
}

/* Responses only: their receiver must have sent requests. */
static void stand_alone(struct rtap_tracker *tracker, struct flow *flow)
{
	const struct pending_response *first = &flow->pending[0];
	struct connection *connection = connection_create(tracker, first->frame, first->time_ns);
	struct rtap_connection *shown;

	if (!connection)
		return;
	shown = &connection->shown;
	shown->transport = ib_service(first->opcode) == IB_XRC ? RTAP_TRANSPORT_XRC : RTAP_TRANSPORT_RC;
	shown->b.address_length = (uint8_t)(flow->key.words[5] >> 8);
	shown->a.address_length = (uint8_t)flow->key.words[5];
	flow_key_address(&flow->key.words[0], shown->b.address_length, shown->b.address);
	flow_key_address(&flow->key.words[2], shown->a.address_length, shown->a.address);
	shown->a.qpn = (uint32_t)flow->key.words[4];
	shown->a.qpn_known = true;
	flow_attach(flow, connection, false);
}

/* The requester was not found: processes the responses as those of the flow's connection, or of a new one. */
static void finish(struct rtap_tracker *tracker, struct flow *flow, struct frame_result *result)
{
	if (!flow->pending_count)
		return;
	if (!flow->connection)
		stand_alone(tracker, flow);
	if (flow->connection)
		replay(tracker, flow, result);
}

void pairing_stop_waiting(struct rtap_tracker *tracker, struct flow *flow)
{
	if (flow->waits)
		LIST_REMOVE(flow, pending_link);
	flow->waits = false;
	finish(tracker, flow, &(struct frame_result){ 0 });
	if (!flow->connection)
		flow_destroy(tracker, flow);
}

static struct flow *flow_of(struct budget_entry *entry)
{
	return (struct flow *)((char *)entry - offsetof(struct flow, entry));
}

static void give_up_pending(struct budget_entry *entry, void *owner)
{
	pairing_stop_waiting(owner, flow_of(entry));
}

/* Memory is short: drops the responses that wait for their requester. */
static void evict_pending(struct budget_entry *entry, void *owner)
{
	struct rtap_tracker *tracker = owner;
	struct flow *flow = flow_of(entry);

	tracker->counters.evictions++;
	if (!flow->connection) {
		flow_destroy(tracker, flow);
		return;
	}
	expectation_discard_last(tracker, flow);
	flow_discard_pending(flow);
	budget_give(&tracker->budget, entry, entry->bytes);
}

bool pairing_keep(struct rtap_tracker *tracker, struct flow *flow, const struct pending_response *response)
{
	if (flow->pending_count == MAX_PENDING)
		return false;
	if (!flow->entry.bytes) {
		flow->entry.evict = evict_pending;
		flow->entry.give_up = give_up_pending;
		flow->entry.owner = tracker;
		budget_charge(&tracker->budget, &flow->entry, sizeof *flow + 3 * sizeof(struct map_slot));
	}
	if (!flow->waits) {
		flow->waits = true;
		LIST_INSERT_HEAD(&tracker->pending_flows, flow, pending_link);
	}
	return copy(tracker, flow, response);
}

bool pairing_response(struct rtap_tracker *tracker, struct flow *flow, const struct pending_response *response, struct frame_result *result)
{
	struct connection *requester;

	if (flow->pending_count == MAX_PENDING)
		finish(tracker, flow, result);
	if (!pairing_keep(tracker, flow, response)) {
		tracker->counters.evictions++;
		return false;
	}
	requester = find_requester(tracker, flow);
	if (!requester)
		return false;
	pair(tracker, flow, requester);
	replay_both(tracker, flow->connection, result);
	return true;
}
