/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections: which packets belong together. A queue pair's packets carry only the other queue pair's number, so the two
 * directions are paired by communication management, or by responses that answer requests.
 */
#ifndef REASSEMBLY_CONNECTION_H
#define REASSEMBLY_CONNECTION_H

#include <string.h>

#include "base/nanoseconds.h"
#include "dissect/engine/cursor.h"
#include "reassembly/state.h"

static inline bool connection_is_half(const struct connection *connection)
{
	return !connection->flows[0] || !connection->flows[1];
}

/* Of a connection with one known direction: whether that is the one from a. */
static inline bool connection_known_side(const struct connection *connection)
{
	return connection->flows[1];
}

/* The flow of that direction. */
static inline struct flow *connection_known_flow(const struct connection *connection)
{
	return connection->flows[connection_known_side(connection)];
}

/* One direction of it is known. iWARP has no flows. */
static inline bool connection_has_one_flow(const struct connection *connection)
{
	return !connection->flows[0] != !connection->flows[1];
}

/* The connection has the frame, which was captured at this time. Times are not always in the order of frames. */
static inline void connection_cover_frame(struct connection *connection, uint64_t frame, int64_t time_ns)
{
	struct rtap_connection *shown = &connection->shown;

	if (frame < shown->first_frame)
		shown->first_frame = frame;
	if (frame > shown->last_frame)
		shown->last_frame = frame;
	if (time_ns < shown->time_ns)
		shown->time_ns = time_ns;
	if (time_ns > shown->time_end_ns)
		shown->time_end_ns = time_ns;
}

/* The connection has a request: its other end may be found by what answers it. */
static inline void connection_ask(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->asks || !connection->flows[0] == !connection->flows[1])
		return;
	connection->asks = true;
	TAILQ_INSERT_HEAD(&tracker->asking, connection, asking_link);
}

static inline void connection_stop_asking(struct rtap_tracker *tracker, struct connection *connection)
{
	if (!connection->asks)
		return;
	connection->asks = false;
	TAILQ_REMOVE(&tracker->asking, connection, asking_link);
}

/* If the first connection is retired, it is reported as soon as nothing refers to it. */
void connection_note_first(struct rtap_tracker *tracker);

/* Removes the connection from the tracker's list: it was reported, or never will be. */
void connection_leave(struct rtap_tracker *tracker, struct connection *connection);

/* Reports the connection in its current state. */
void connection_report(struct rtap_tracker *tracker, struct connection *connection);

/* Frees the connection if it was reported and no message refers to it. Reports it before if it may leave out of order (`leaves`). */
void connection_release(struct rtap_tracker *tracker, struct connection *connection);

/* Counts a packet without PSNs for the connection. `segment`: of a TCP segment, or NULL. */
void connection_note(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_packet *packet,
		     const struct tcp_segment_facts *segment);

/* The key of the packets from one end to another. `source_qpn` is 0 except for datagrams. */
struct flow_key flow_key_of(const struct rtap_end *source, const struct rtap_end *destination, uint32_t destination_qpn,
			    uint32_t source_qpn, bool datagram);

/*
 * The same for connected queue pairs with IPv4 addresses. Writes whole words: parts written one by one would have to reach
 * memory before the word could be read.
 */
static inline void flow_key_set(struct flow_key *key, const uint8_t *source, const uint8_t *destination, uint32_t destination_qpn)
{
	key->words[0] = load32(source);
	key->words[1] = 0;
	key->words[2] = load32(destination);
	key->words[3] = 0;
	key->words[4] = destination_qpn;
	key->words[5] = 4 << 8 | 4;
}

/* The address stored in two words of a key, padded with zeros. */
static inline void flow_key_address(const uint64_t words[2], uint8_t length, uint8_t address[16])
{
	if (length == 4) {
		memset(address, 0, 16);
		for (int i = 0; i < 4; i++)
			address[i] = (uint8_t)(words[0] >> (24 - 8 * i));
	} else {
		memcpy(address, words, 16);
	}
}

/* Whether the key equals the result of flow_key_set(). */
static inline bool flow_key_is(const struct flow_key *key, const uint8_t *source, const uint8_t *destination, uint32_t destination_qpn)
{
	return key->words[4] == destination_qpn && key->words[0] == load32(source) && key->words[2] == load32(destination) &&
	       key->words[5] == (4 << 8 | 4);
}

uint64_t flow_hash(const struct flow_key *key);

struct flow *flow_find(const struct rtap_tracker *tracker, const struct flow_key *key, uint64_t hash);

/*
 * The cache entry that flow_find_recent() checks first. It may hold another flow, or NULL. Both ends can have the same QPN:
 * `source` is the sender's address.
 */
static inline struct flow **flow_recent_place(struct rtap_tracker *tracker, uint64_t source, uint64_t qpns)
{
	return &tracker->recent_flows[(source * 37 + qpns) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RECENT_FLOW_BITS)];
}

static inline struct flow **flow_recent_place_of(struct rtap_tracker *tracker, const struct flow_key *key)
{
	return flow_recent_place(tracker, key->words[0] ^ key->words[1], key->words[4]);
}

/* The same as flow_find(), with a cache of recent flows. */
struct flow *flow_find_recent(struct rtap_tracker *tracker, const struct flow_key *key);

/* Adds a flow. NULL: out of memory. */
struct flow *flow_create(struct rtap_tracker *tracker, const struct flow_key *key, uint64_t hash);

/* Gives the flow, which has no pending responses, another key that no flow has. */
bool flow_move(struct rtap_tracker *tracker, struct flow *flow, const struct flow_key *key);

/* Attaches a flow to its connection. `from_a` is the direction of its packets. */
void flow_attach(struct flow *flow, struct connection *connection, bool from_a);

/* Frees the pending responses. The flow's entry is still charged for them. */
void flow_discard_pending(struct flow *flow);

/* Removes the flow from the tracker and frees it with its pending responses. */
void flow_destroy(struct rtap_tracker *tracker, struct flow *flow);

/* Charges the budget for the growth of the connection's rings. */
void connection_charge(struct rtap_tracker *tracker, struct connection *connection);

/* Marks the connection as used and charges the growth of its rings, if any. */
static inline void connection_account(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->resized || connection->streams[0].resized || connection->streams[1].resized)
		connection_charge(tracker, connection);
	/* also without growth */
	budget_touch(&tracker->budget, &connection->entry);
}

/* Schedules work on a connection for `after_ns` after `time_ns`, or later. */
static inline void connections_due(struct rtap_tracker *tracker, int64_t time_ns, int64_t after_ns)
{
	int64_t due_ns = ns_sum(time_ns, after_ns);

	if (due_ns < tracker->due_ns)
		tracker->due_ns = due_ns;
}

#endif
