/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections: which packets belong together. A queue pair's packets carry the other's number only, so the two
 * directions are paired by communication management, or by responses that answer requests.
 */
#ifndef REASSEMBLY_CONNECTION_H
#define REASSEMBLY_CONNECTION_H

#include <string.h>

#include "dissect/engine/cursor.h"
#include "reassembly/state.h"

/* A first connection that is retired is reported as soon as nothing refers to it. */
void connection_note_first(struct rtap_tracker *tracker);

/* It leaves those that are there: it is told, or never will be. */
void connection_leave(struct rtap_tracker *tracker, struct connection *connection);

/* Tells it, as it is. */
void connection_tell(struct rtap_tracker *tracker, struct connection *connection);

/* Frees it if it is closed, reported, and no message needs it; reports it before if it is the only one to wait for. */
void connection_release(struct rtap_tracker *tracker, struct connection *connection);

/* A packet without PSNs is of it; what a TCP segment is in its stream, or NULL. */
void connection_note(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_packet *packet,
		     const struct tcp_segment_facts *segment);

/* The key of the packets that go from one end to another; `source_qpn` is 0 but for datagrams. */
struct flow_key flow_key_of(const struct rtap_end *source, const struct rtap_end *destination, uint32_t destination_qpn,
			    uint32_t source_qpn, bool datagram);

/*
 * The same of queue pairs that are connected, behind IPv4 addresses. By whole words: parts of them, written one by one, would
 * have to get to memory before they could be read again.
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

/* The address that two words of a key hold, and zeros behind it. */
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

/* Whether the key is what flow_key_set() makes of these. */
static inline bool flow_key_is(const struct flow_key *key, const uint8_t *source, const uint8_t *destination, uint32_t destination_qpn)
{
	return key->words[4] == destination_qpn && key->words[0] == load32(source) && key->words[2] == load32(destination) &&
	       key->words[5] == (4 << 8 | 4);
}

uint64_t flow_hash(const struct flow_key *key);

struct flow *flow_find(const struct rtap_tracker *tracker, const struct flow_key *key, uint64_t hash);

/* Where flow_find_recent() looks first. May hold another flow, or NULL. Both ends can have the same number: `source` is who sends. */
static inline struct flow **flow_recent_place(struct rtap_tracker *tracker, uint64_t source, uint64_t qpns)
{
	return &tracker->recent_flows[(source * 37 + qpns) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RECENT_FLOW_BITS)];
}

static inline struct flow **flow_recent_place_of(struct rtap_tracker *tracker, const struct flow_key *key)
{
	return flow_recent_place(tracker, key->words[0] ^ key->words[1], key->words[4]);
}

/* The same; those that packets were found for last are found at once. */
struct flow *flow_find_recent(struct rtap_tracker *tracker, const struct flow_key *key);

/* Adds a flow; NULL: memory is out. */
struct flow *flow_create(struct rtap_tracker *tracker, const struct flow_key *key, uint64_t hash);

/* Joins a flow with its connection: `from_a` is the direction of its packets. */
void flow_attach(struct flow *flow, struct connection *connection, bool from_a);

/* Frees the responses that wait; the flow's holder still has their bytes. */
void flow_forget_pending(struct flow *flow);

/* Takes the flow out; what it keeps goes. */
void flow_destroy(struct rtap_tracker *tracker, struct flow *flow);

/* Charges the budget for what the connection's rings have grown by since. */
void connection_charge(struct rtap_tracker *tracker, struct connection *connection);

/* The connection is in use: it is charged for what its rings have grown by, if they have. */
static inline void connection_account(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->resized || connection->streams[0].resized || connection->streams[1].resized)
		connection_charge(tracker, connection);
	/* also if it takes no more */
	budget_touch(&tracker->budget, &connection->holder);
}

/* Something is to be done of a connection so long after that time, at the earliest. */
static inline void connections_due(struct rtap_tracker *tracker, int64_t time_ns, int64_t after_ns)
{
	int64_t due_ns = time_ns > INT64_MAX - after_ns ? INT64_MAX : time_ns + after_ns;

	if (due_ns < tracker->due_ns)
		tracker->due_ns = due_ns;
}

#endif
