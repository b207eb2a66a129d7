/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/infiniband/ib.h"
#include "reassembly/connection.h"
#include "reassembly/infiniband/port_pairing.h"
#include "reassembly/upper.h"
#include "reassembly/content_pairing.h"
#include "reassembly/upper/region.h"

#define MOST_CONNECTIONS 64 /* limit of connections examined for a packet, and of requests of each */
#define MOST_REQUESTS 256
/* This many packets of a flow are all examined; after that, one in this many. Few more commands are outstanding when a capture begins. */
#define MOST_TRIES 512
#define RARE_TRIES 64
/* Identifiers of commands are small numbers that other connections use too: this many successive responses must agree. */
#define LEAST_LIKELY 4

static bool is_turned(const struct flow_key *key, const struct flow_key *other)
{
	return !memcmp(key->words, other->words + 2, 2 * sizeof key->words[0]) && !memcmp(key->words + 2, other->words, 2 * sizeof key->words[0]);
}

/* Whether a waiting request of the connection names the memory that the packet reads or writes: key and address are two signs. */
static bool names_memory(const struct connection *connection, const struct rtap_packet *packet)
{
	const struct request *request = TAILQ_LAST(&connection->requests.lists[false].queue, request_queue);
	bool is_read = ib_opcodes[packet->ib.opcode].class == IB_READ_REQUEST;
	uint64_t address = packet->ib.virtual_address;

	for (unsigned i = 0; request && i < MOST_REQUESTS; request = TAILQ_PREV(request, request_queue, link), i++) {
		const struct region *region = region_at(request, is_read, packet->ib.r_key, address);

		if (region && region->begin <= address && packet->ib.dma_length && packet->ib.dma_length <= region->end - address)
			return true;
	}
	return false;
}

/* Whether the packet invalidates the key of memory that a waiting request of the connection names. */
static bool names_key(const struct connection *connection, const struct rtap_packet *packet)
{
	const struct request *request = TAILQ_LAST(&connection->requests.lists[false].queue, request_queue);

	for (unsigned i = 0; packet->ib.has_ieth && request && i < MOST_REQUESTS; request = TAILQ_PREV(request, request_queue, link), i++)
		for (uint32_t j = 0; j < request->region_count; j++)
			if (request->regions[j].key == packet->ib.invalidated_r_key)
				return true;
	return false;
}

static bool is_answered(const struct connection *connection, const struct rtap_packet *packet)
{
	const struct upper_layer *layer = connection->layer;

	if (packet->ib.has_reth && packet->ib.r_key)
		return names_memory(connection, packet);
	return layer && layer->answers && layer->answers(connection, packet);
}

/* Whether the packet can show its connection: it begins and ends a SEND, or names memory, or has immediate data. */
static bool is_evidence(const struct rtap_packet *packet)
{
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];

	return packet->ib.has_reth || packet->ib.has_immediate || (opcode->class == IB_SEND && opcode->place == IB_ONLY);
}

/* Whether the one connection that the packet can belong to is certain: by memory that it names, or with the packets before it. */
static bool is_certain(struct flow *flow, const struct connection *found, const struct rtap_packet *packet)
{
	if ((packet->ib.has_reth && packet->ib.r_key) || names_key(found, packet))
		return true;
	if (flow->likely != found->shown.number)
		flow->likely_count = 0;
	flow->likely = found->shown.number;
	return ++flow->likely_count >= LEAST_LIKELY;
}

struct connection *content_pairing_find(struct rtap_tracker *tracker, struct flow *flow, const struct rtap_packet *packet)
{
	struct connection *connection = TAILQ_FIRST(&tracker->asking), *found = NULL, *next;

	if (!is_evidence(packet) || (flow->tries >= MOST_TRIES && flow->tries % RARE_TRIES)) {
		flow->tries++;
		return NULL;
	}
	flow->tries++;
	for (unsigned i = 0; connection && i < MOST_CONNECTIONS; connection = next, i++) {
		const struct flow *other = connection_known_flow(connection);

		next = TAILQ_NEXT(connection, asking_link);
		if (!connection_is_half(connection)) {
			connection_stop_asking(tracker, connection);
			continue;
		}
		if (connection == flow->connection || connection->closed || !other || !is_turned(&other->key, &flow->key) ||
		    (connection->layer && connection->layer->shares_memory) || port_pairing_doubts(tracker, flow, other) ||
		    (flow->connection && flow->connection->layer && flow->connection->layer != connection->layer) || !is_answered(connection, packet))
			continue;
		if (found)
			return NULL;
		found = connection;
	}
	if (!found)
		flow->likely_count = 0;
	return found && is_certain(flow, found, packet) ? found : NULL;
}
