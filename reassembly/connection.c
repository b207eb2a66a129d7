/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "reassembly/connection.h"
#include "reassembly/ddp_half.h"
#include "reassembly/early_response.h"
#include "reassembly/ddp_message.h"
#include "reassembly/handshake.h"
#include "reassembly/ib_settle.h"
#include "reassembly/iwarp_stream.h"
#include "reassembly/memory.h"
#include "reassembly/multicast.h"
#include "reassembly/pairing.h"
#include "reassembly/port_pairing.h"
#include "reassembly/psn.h"
#include "reassembly/rpc_answers.h"
#include "reassembly/rpc_call.h"
#include "reassembly/rpc_conversation.h"

/* Packets that were under way when a connection was closed still belong to it. */
#define CLOSING_NS INT64_C(1000000000)

struct flow_key flow_key_of(const struct rtap_end *source, const struct rtap_end *destination, uint32_t destination_qpn,
			    uint32_t source_qpn, bool datagram)
{
	struct flow_key key = { { 0 } };

	if (source->address_length == 4 && destination->address_length == 4) {
		flow_key_set(&key, source->address, destination->address, destination_qpn);
	} else {
		memcpy(&key.words[0], source->address, sizeof source->address);
		memcpy(&key.words[2], destination->address, sizeof destination->address);
	}
	key.words[4] = (uint64_t)source_qpn << 32 | destination_qpn;
	key.words[5] = (uint64_t)datagram << 16 | (uint64_t)source->address_length << 8 | destination->address_length;
	return key;
}

uint64_t flow_hash(const struct flow_key *key)
{
	return map_hash(key->words, sizeof key->words / sizeof key->words[0]);
}

static bool has_key(const void *value, const void *key)
{
	const uint64_t *a = ((const struct flow *)value)->key.words, *b = ((const struct flow_key *)key)->words;

	return !((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]) | (a[4] ^ b[4]) | (a[5] ^ b[5]));
}

struct flow *flow_find(const struct rtap_tracker *tracker, const struct flow_key *key, uint64_t hash)
{
	return map_find(&tracker->flows, hash, has_key, key);
}

struct flow *flow_find_recent(struct rtap_tracker *tracker, const struct flow_key *key)
{
	struct flow **place = flow_recent_place_of(tracker, key);

	if (!*place || !has_key(*place, key))
		*place = flow_find(tracker, key, flow_hash(key));
	return *place;
}

void flow_forget_pending(struct flow *flow)
{
	for (uint32_t i = 0; i < flow->pending_count; i++)
		free(flow->pending[i].bytes);
	free(flow->pending);
	flow->pending = NULL;
	flow->pending_count = flow->pending_room = 0;
}

static struct flow *flow_of(struct budget_holder *holder)
{
	return (struct flow *)((char *)holder - offsetof(struct flow, holder));
}

void flow_stop_waiting(struct rtap_tracker *tracker, struct flow *flow)
{
	if (flow->waits) {
		*(flow->pending_before ? &flow->pending_before->pending_behind : &tracker->pending_flows) = flow->pending_behind;
		if (flow->pending_behind)
			flow->pending_behind->pending_before = flow->pending_before;
	}
	flow->waits = false;
	pairing_finish(tracker, flow);
	if (!flow->connection)
		flow_destroy(tracker, flow);
}

static void give_up_pending(struct budget_holder *holder, void *owner)
{
	flow_stop_waiting(owner, flow_of(holder));
}

/* Memory is short: the responses that wait for their requester go. */
static void evict_pending(struct budget_holder *holder, void *owner)
{
	struct rtap_tracker *tracker = owner;
	struct flow *flow = flow_of(holder);

	tracker->counters.evictions++;
	if (!flow->connection) {
		flow_destroy(tracker, flow);
		return;
	}
	pairing_forget_last(tracker, flow);
	flow_forget_pending(flow);
	budget_give(&tracker->budget, holder, holder->bytes);
}

struct flow *flow_create(struct rtap_tracker *tracker, const struct flow_key *key, uint64_t hash)
{
	struct flow *flow = memory_new_zeroed(1, sizeof *flow);

	if (!flow)
		return NULL;
	flow->key = *key;
	flow->hash = hash;
	flow->holder = (struct budget_holder){ .evict = evict_pending, .give_up = give_up_pending, .owner = tracker };
	if (!map_add(&tracker->flows, hash, flow)) {
		free(flow);
		return NULL;
	}
	return flow;
}

void flow_destroy(struct rtap_tracker *tracker, struct flow *flow)
{
	if (flow->waits) {
		*(flow->pending_before ? &flow->pending_before->pending_behind : &tracker->pending_flows) = flow->pending_behind;
		if (flow->pending_behind)
			flow->pending_behind->pending_before = flow->pending_before;
	}
	pairing_forget_last(tracker, flow);
	port_pairing_leave(tracker, flow);
	map_remove(&tracker->flows, flow->hash, flow);
	if (*flow_recent_place_of(tracker, &flow->key) == flow)
		*flow_recent_place_of(tracker, &flow->key) = NULL;
	flow_forget_pending(flow);
	budget_give(&tracker->budget, &flow->holder, flow->holder.bytes);
	free(flow);
}

void flow_attach(struct flow *flow, struct connection *connection, bool from_a)
{
	flow->connection = connection;
	flow->from_a = from_a;
	connection->flows[from_a] = flow;
	connection->resized = true;
}

/* How many events there is memory for: doubled whenever it is full. */
static uint32_t life_room(const struct rtap_connection *shown)
{
	uint32_t room = shown->life_count ? 1 : 0;

	while (room < shown->life_count)
		room *= 2;
	return room;
}

static uint64_t memory_of(const struct connection *connection)
{
	uint64_t memory = sizeof *connection + handshake_memory(connection) + life_room(&connection->shown) * sizeof *connection->shown.life + (connection->ddp ? sizeof *connection->ddp : 0) +
			  connection->expectation_room * (sizeof *connection->expectations + sizeof(struct map_slot));

	for (int i = 0; i < 2; i++) {
		const struct psn_stream *stream = &connection->streams[i];

		memory += (connection->flows[i] ? sizeof(struct flow) + 3 * sizeof(struct map_slot) : 0) +
			  (stream->gaps.room + stream->response_gaps.room) * sizeof(struct psn_gap) + (stream->early ? sizeof *stream->early : 0) +
			  (stream->requests.room + stream->responses.room) * sizeof(struct recent_packet);
	}
	return memory;
}

void connection_charge(struct rtap_tracker *tracker, struct connection *connection)
{
	uint64_t memory = memory_of(connection);

	if (memory > connection->memory)
		budget_charge(&tracker->budget, &connection->holder, memory - connection->memory);
	else
		budget_give(&tracker->budget, &connection->holder, connection->memory - memory);
	connection->memory = memory;
	connection->resized = connection->streams[0].resized = connection->streams[1].resized = false;
}

/* A first connection that is retired is reported as soon as nothing refers to it. */
static void note_first(struct rtap_tracker *tracker)
{
	if (tracker->first_connection && tracker->first_connection->retired)
		tracker->due_ns = INT64_MIN;
}

static void leave_list(struct rtap_tracker *tracker, struct connection *connection)
{
	connection->told = true;
	*(connection->before ? &connection->before->behind : &tracker->first_connection) = connection->behind;
	*(connection->behind ? &connection->behind->before : &tracker->last_connection) = connection->before;
	note_first(tracker);
}

static void tell(struct rtap_tracker *tracker, struct connection *connection)
{
	leave_list(tracker, connection);
	handshake_conclude(&connection->shown);
	for (int i = 0; i < RTAP_TROUBLE_COUNT; i++)
		tracker->counters.trouble[i] += connection->shown.trouble[i];
	if (tracker->options.connection)
		tracker->options.connection(tracker->options.owner, &connection->shown);
}

static struct connection *connection_of(struct budget_holder *holder)
{
	return (struct connection *)((char *)holder - offsetof(struct connection, holder));
}

/* Settles all that is under way, as it stands: what comes for it later comes again. */
static void conclude(struct rtap_tracker *tracker, struct connection *connection)
{
	for (int i = 0; i < 2; i++) {
		struct psn_stream *stream = &connection->streams[i];

		ib_settle(tracker, stream, true);
		connection->shown.trouble[RTAP_TROUBLE_LOST] += psn_give_up(stream, UINT64_MAX);
		psn_fini(stream);
	}
	rpc_call_finish(tracker, connection);
	if (connection->ddp)
		ddp_half_let_go_all(connection);
	pairing_forget(tracker, connection);
}

/*
 * Nothing of it was seen for long: it is concluded, and rests with what knows it again. One that is over is reported, even if earlier
 * ones are not.
 */
static void give_up(struct budget_holder *holder, void *owner)
{
	struct rtap_tracker *tracker = owner;
	struct connection *connection = connection_of(holder);

	connection->references++;
	connection->leaves = connection->retired;
	if (!connection->retired) {
		if (connection->rpc)
			rpc_conversation_give_up(connection->rpc);
		conclude(tracker, connection);
		connection_charge(tracker, connection);
	}
	connection->references--;
	connection_release(tracker, connection);
}

static void evict(struct budget_holder *holder, void *owner)
{
	struct rtap_tracker *tracker = owner;
	struct connection *connection = connection_of(holder);

	/* of one that rests nothing is lost */
	if (!holder->rests) {
		tracker->counters.evictions++;
		connection->shown.trouble[RTAP_TROUBLE_EVICTED]++;
	}
	for (int i = 0; i < 2; i++)
		for (struct message *message = connection->streams[i].head; message; message = message->behind)
			message->evicted = true;
	connection->references++;
	connection_retire(tracker, connection);
	connection->leaves = true;
	budget_give(&tracker->budget, holder, holder->bytes);
	connection->memory = 0;
	connection->references--;
	connection_release(tracker, connection);
}

struct connection *connection_create(struct rtap_tracker *tracker, uint64_t frame, int64_t time_ns)
{
	struct connection *connection = memory_new_zeroed(1, sizeof *connection);

	if (!connection)
		return NULL;
	connection->shown.number = ++tracker->connection_number;
	connection->resized = true;
	tracker->counters.connections++;
	connection->shown.first_frame = connection->shown.last_frame = frame;
	connection->shown.time_ns = connection->shown.time_end_ns = time_ns;
	connection->holder = (struct budget_holder){ .evict = evict, .give_up = give_up, .owner = tracker };
	for (int i = 0; i < 2; i++) {
		connection->shown.rnr_retries[i] = 7;
		connection->streams[i].connection = connection;
		connection->streams[i].from_a = i == 1;
		connection->streams[i].reliable = true;
	}
	connection->before = tracker->last_connection;
	*(connection->before ? &connection->before->behind : &tracker->first_connection) = connection;
	tracker->last_connection = connection;
	return connection;
}

void connection_release(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->references)
		return;
	if (!connection->told && connection->leaves)
		tell(tracker, connection);
	if (!connection->told)
		return;
	budget_give(&tracker->budget, &connection->holder, connection->holder.bytes);
	free(connection_life(&connection->shown));
	free(connection);
}

/* The first one may be another now. Times need not be in the order of frames: it can be due before the one that was. */
static void note_due(struct rtap_tracker *tracker)
{
	if (tracker->first_closing)
		connections_due(tracker, tracker->first_closing->closed_ns, CLOSING_NS);
}

void connection_close(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->closed)
		return;
	connection->closed = true;
	connection->closed_ns = tracker->now_ns;
	connection->closing_before = tracker->last_closing;
	*(tracker->last_closing ? &tracker->last_closing->closing_behind : &tracker->first_closing) = connection;
	tracker->last_closing = connection;
	note_due(tracker);
}

static void leave_closing(struct rtap_tracker *tracker, struct connection *connection)
{
	*(connection->closing_before ? &connection->closing_before->closing_behind : &tracker->first_closing) = connection->closing_behind;
	*(connection->closing_behind ? &connection->closing_behind->closing_before : &tracker->last_closing) = connection->closing_before;
	note_due(tracker);
}

void connection_retire(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->retired)
		return;
	if (connection->closed)
		leave_closing(tracker, connection);
	connection->closed = connection->retired = true;
	note_first(tracker);
	connection->references++;
	conclude(tracker, connection);
	rpc_answers_fini(tracker, connection);
	for (int i = 0; i < 2; i++) {
		if (connection->flows[i])
			flow_destroy(tracker, connection->flows[i]);
		connection->flows[i] = NULL;
	}
	if (connection->iwarp)
		iwarp_stream_forget(connection->iwarp);
	if (connection->rpc)
		rpc_conversation_forget(connection->rpc);
	connection->rpc = NULL;
	free(connection->ddp);
	connection->ddp = NULL;
	multicast_forget(tracker, connection);
	handshake_forget(tracker, connection);
	connection_charge(tracker, connection);
	connection->leaves |= connection->holder.rests;
	connection->references--;
}

void connection_drop(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->closed && !connection->retired)
		leave_closing(tracker, connection);
	connection->closed = connection->retired = true;
	pairing_forget(tracker, connection);
	handshake_forget(tracker, connection);
	leave_list(tracker, connection);
	tracker->counters.connections--;
	connection_release(tracker, connection);
}

static void add_to_life(struct connection *connection, const struct rtap_life_event *event)
{
	struct rtap_connection *shown = &connection->shown;
	uint32_t room = life_room(shown);
	struct rtap_life_event *life = connection_life(shown);

	if (shown->life_count == RTAP_MAX_LIFE_EVENTS)
		return;
	if (shown->life_count == room) {
		life = memory_resize(life, (room ? 2 * room : 1) * sizeof *life);
		if (!life)
			return;
		shown->life = life;
		connection->resized = true;
	}
	life[shown->life_count++] = *event;
}

void connection_add_event(struct connection *connection, const struct rtap_life_event *event)
{
	struct rtap_connection *shown = &connection->shown;

	add_to_life(connection, event);
	if (event->frame <= shown->last_frame)
		return;
	shown->last_frame = event->frame;
	if (event->time_ns > shown->time_end_ns)
		shown->time_end_ns = event->time_ns;
}

void connection_event(struct connection *connection, const char *name, uint64_t frame, int64_t time_ns, uint32_t reason)
{
	connection_add_event(connection, &(struct rtap_life_event){ .name = name, .frame = frame, .time_ns = time_ns, .reason = reason });
}

static void count_segment(struct rtap_connection *shown, const struct tcp_segment_facts *facts)
{
	static const uint8_t troubles[RTAP_TCP_ANALYSIS_COUNT] = {
		[RTAP_TCP_OUT_OF_ORDER] = RTAP_TROUBLE_OUT_OF_ORDER, [RTAP_TCP_RETRANSMISSION] = RTAP_TROUBLE_RETRANSMISSION,
		[RTAP_TCP_OVERLAP] = RTAP_TROUBLE_RETRANSMISSION, [RTAP_TCP_CAPTURED_TWICE] = RTAP_TROUBLE_CAPTURED_TWICE,
	};

	if (troubles[facts->analysis])
		shown->trouble[troubles[facts->analysis]]++;
	shown->trouble[RTAP_TROUBLE_DIFFERING_REPEAT] += facts->differs;
}

void connection_note(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_packet *packet,
		     const struct tcp_segment_facts *segment)
{
	struct rtap_connection *shown = &connection->shown;

	shown->packets++;
	shown->last_frame = packet->frame->number;
	if (packet->frame->time_ns > shown->time_end_ns)
		shown->time_end_ns = packet->frame->time_ns;
	if (segment)
		count_segment(shown, segment);
	connection_account(tracker, connection);
}

static void tell_first(struct rtap_tracker *tracker)
{
	struct connection *connection = tracker->first_connection;

	tell(tracker, connection);
	connection_release(tracker, connection);
}

void connections_do_due(struct rtap_tracker *tracker)
{
	tracker->due_ns = INT64_MAX;
	rpc_answers_advance(tracker);
	while (tracker->first_closing && tracker->now_ns - tracker->first_closing->closed_ns >= CLOSING_NS) {
		struct connection *connection = tracker->first_closing;

		connection_retire(tracker, connection);
		if (connection->leaves)
			connection_release(tracker, connection);
	}
	note_due(tracker);
	while (tracker->first_connection && tracker->first_connection->retired && !tracker->first_connection->references)
		tell_first(tracker);
	note_first(tracker);
}

void connections_flush(struct rtap_tracker *tracker)
{
	while (tracker->first_connection) {
		connection_retire(tracker, tracker->first_connection);
		tell_first(tracker);
	}
}

void connections_fini(struct rtap_tracker *tracker)
{
	tracker->options.connection = NULL;
	connections_flush(tracker);
	for (size_t i = 0; i < tracker->flows.room;)
		if (tracker->flows.slots[i].value)
			flow_destroy(tracker, tracker->flows.slots[i].value);
		else
			i++;
	map_fini(&tracker->flows);
	map_fini(&tracker->expectations);
	map_fini(&tracker->waiting_flows);
	map_fini(&tracker->ports);
	map_fini(&tracker->calls);
}
