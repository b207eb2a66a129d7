/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "reassembly/connection.h"
#include "reassembly/connection_life.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/infiniband/alternate.h"
#include "reassembly/infiniband/early_response.h"
#include "reassembly/infiniband/expectation.h"
#include "reassembly/infiniband/handshake_ids.h"
#include "base/memory.h"
#include "reassembly/infiniband/port_pairing.h"

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

void flow_discard_pending(struct flow *flow)
{
	for (uint32_t i = 0; i < flow->pending_count; i++)
		free(flow->pending[i].bytes);
	free(flow->pending);
	flow->pending = NULL;
	flow->pending_count = flow->pending_room = 0;
}

struct flow *flow_create(struct rtap_tracker *tracker, const struct flow_key *key, uint64_t hash)
{
	struct flow *flow = memory_new_zeroed(1, sizeof *flow);

	if (!flow)
		return NULL;
	flow->key = *key;
	flow->hash = hash;
	if (!map_add(&tracker->flows, hash, flow)) {
		free(flow);
		return NULL;
	}
	return flow;
}

void flow_destroy(struct rtap_tracker *tracker, struct flow *flow)
{
	if (flow->waits)
		LIST_REMOVE(flow, pending_link);
	expectation_discard_last(tracker, flow);
	port_pairing_leave(tracker, flow);
	map_remove(&tracker->flows, flow->hash, flow);
	if (*flow_recent_place_of(tracker, &flow->key) == flow)
		*flow_recent_place_of(tracker, &flow->key) = NULL;
	flow_discard_pending(flow);
	budget_give(&tracker->budget, &flow->entry, flow->entry.bytes);
	free(flow);
}

bool flow_move(struct rtap_tracker *tracker, struct flow *flow, const struct flow_key *key)
{
	port_pairing_leave(tracker, flow);
	if (*flow_recent_place_of(tracker, &flow->key) == flow)
		*flow_recent_place_of(tracker, &flow->key) = NULL;
	map_remove(&tracker->flows, flow->hash, flow);
	flow->key = *key;
	flow->hash = flow_hash(key);
	/* takes the room of the entry that was removed */
	return map_add(&tracker->flows, flow->hash, flow);
}

void flow_attach(struct flow *flow, struct connection *connection, bool from_a)
{
	flow->connection = connection;
	flow->from_a = from_a;
	connection->flows[from_a] = flow;
	connection->resized = true;
}

static uint64_t memory_of(const struct connection *connection)
{
	uint64_t memory = sizeof *connection + handshake_ids_memory(connection) + (connection->alternate ? ALTERNATE_MEMORY : 0) +
			  (connection->ddp ? sizeof *connection->ddp : 0) + connection_life_room(&connection->shown) * sizeof *connection->shown.life +
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
		budget_charge(&tracker->budget, &connection->entry, memory - connection->memory);
	else
		budget_give(&tracker->budget, &connection->entry, connection->memory - memory);
	connection->memory = memory;
	connection->resized = connection->streams[0].resized = connection->streams[1].resized = false;
}

void connection_note_first(struct rtap_tracker *tracker)
{
	const struct connection *first = TAILQ_FIRST(&tracker->connections);

	if (first && first->retired)
		tracker->due_ns = INT64_MIN;
}

void connection_leave(struct rtap_tracker *tracker, struct connection *connection)
{
	connection->reported = true;
	connection_stop_asking(tracker, connection);
	TAILQ_REMOVE(&tracker->connections, connection, link);
	connection_note_first(tracker);
}

void connection_report(struct rtap_tracker *tracker, struct connection *connection)
{
	connection_leave(tracker, connection);
	connection_life_conclude(&connection->shown);
	for (int i = 0; i < RTAP_CONNECTION_ANOMALY_COUNT; i++)
		tracker->counters.anomaly_counts[i] += connection->shown.anomaly_counts[i];
	if (tracker->options.connection)
		tracker->options.connection(tracker->options.owner, &connection->shown);
}

void connection_release(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->references)
		return;
	if (!connection->reported && connection->leaves)
		connection_report(tracker, connection);
	if (!connection->reported)
		return;
	budget_give(&tracker->budget, &connection->entry, connection->entry.bytes);
	free(connection_life(&connection->shown));
	free(connection);
}

static void count_segment(struct rtap_connection *shown, const struct tcp_segment_facts *facts)
{
	static const uint8_t anomalies[RTAP_TCP_ANALYSIS_COUNT] = {
		[RTAP_TCP_OUT_OF_ORDER] = RTAP_CONNECTION_ANOMALY_OUT_OF_ORDER, [RTAP_TCP_RETRANSMISSION] = RTAP_CONNECTION_ANOMALY_RETRANSMISSION,
		[RTAP_TCP_OVERLAP] = RTAP_CONNECTION_ANOMALY_RETRANSMISSION, [RTAP_TCP_CAPTURED_TWICE] = RTAP_CONNECTION_ANOMALY_CAPTURED_TWICE,
	};

	if (anomalies[facts->analysis])
		shown->anomaly_counts[anomalies[facts->analysis]]++;
	shown->anomaly_counts[RTAP_CONNECTION_ANOMALY_DIFFERING_REPEAT] += facts->differs;
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
