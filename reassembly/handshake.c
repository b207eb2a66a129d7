/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/cm.h"
#include "reassembly/connection.h"
#include "reassembly/handshake.h"
#include "reassembly/memory.h"

/* A communication id of one end. */
struct handshake {
	uint64_t words[4];   /* address and its length, id, kind */
	uint64_t hash;
	uint32_t id;
	struct connection *connection; /* NULL: a service */
	uint64_t service_id, transaction_id;
};

#define MAX_SERVICES 65536

enum { SIDR_REQUEST = 1, SIDR_QUEUE_PAIR = 2 };

static void words_of(const struct rtap_end *end, uint32_t id, unsigned kind, uint64_t words[4])
{
	memcpy(words, end->address, sizeof end->address);
	words[2] = (uint64_t)end->address_length << 32 | id;
	words[3] = kind;
}

static bool same_words(const void *value, const void *key)
{
	return !memcmp(((const struct handshake *)value)->words, key, sizeof((struct handshake *)0)->words);
}

static struct handshake *find(const struct map *map, const struct rtap_end *end, uint32_t id, unsigned kind)
{
	uint64_t words[4];

	words_of(end, id, kind, words);
	return map_find(map, map_hash(words, 4), same_words, words);
}

static struct handshake *add(struct map *map, const struct rtap_end *end, uint32_t id, unsigned kind)
{
	struct handshake *handshake = memory_new_zeroed(1, sizeof *handshake);

	if (!handshake)
		return NULL;
	handshake->id = id;
	words_of(end, id, kind, handshake->words);
	handshake->hash = map_hash(handshake->words, 4);
	if (!map_add(map, handshake->hash, handshake)) {
		free(handshake);
		return NULL;
	}
	return handshake;
}

static void drop(struct map *map, struct handshake *handshake)
{
	map_remove(map, handshake->hash, handshake);
	free(handshake);
}

void handshake_forget(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->handshakes[0] == connection->handshakes[1])
		connection->handshakes[1] = NULL;
	for (int i = 0; i < 2; i++) {
		if (connection->handshakes[i])
			drop(&tracker->handshakes, connection->handshakes[i]);
		connection->handshakes[i] = NULL;
	}
}

static bool has_id(const struct handshake *handshake, uint32_t id)
{
	return handshake && handshake->id == id;
}

static struct connection *connection_of(const struct rtap_tracker *tracker, const struct rtap_end *end, uint32_t id)
{
	struct handshake *handshake = find(&tracker->handshakes, end, id, 0);

	return handshake ? handshake->connection : NULL;
}

/* The connection that a message speaks of, by the sender's id for it or the receiver's. */
static struct connection *meant(const struct rtap_tracker *tracker, const struct rtap_cm_facts *cm, const struct rtap_end *source,
				const struct rtap_end *destination, bool *from_a)
{
	struct connection *connection = connection_of(tracker, source, cm->local_id);

	if (!connection)
		connection = connection_of(tracker, destination, cm->remote_id);
	if (connection)
		*from_a = !memcmp(connection->shown.a.address, source->address, sizeof source->address) &&
			  (has_id(connection->handshakes[1], cm->local_id) || has_id(connection->handshakes[0], cm->remote_id));
	return connection;
}

static void take_private(struct connection *connection, const struct rtap_cm_facts *cm, bool from_a)
{
	struct rtap_connection *shown = &connection->shown;
	int side = from_a ? 0 : 1;

	shown->has_private[side] = cm->has_rpc_private;
	shown->remote_invalidation[side] = cm->remote_invalidation;
	shown->send_size[side] = cm->send_size;
	shown->receive_size[side] = cm->receive_size;
}

/* Transport service type 3 is told by the extended one. IBTA vol. 1, 12.7.14; A14. */
static enum rtap_transport transport_of(const struct rtap_cm_facts *cm)
{
	if (cm->transport_type == 3 && cm->extended_transport == 1)
		return RTAP_TRANSPORT_XRC;
	return cm->transport_type == 1 ? RTAP_TRANSPORT_UC : RTAP_TRANSPORT_RC;
}

/* Packets of the other queue pair to `receiver` are this connection's; whoever used these numbers before is gone. */
static void claim(struct rtap_tracker *tracker, struct connection *connection, bool from_a)
{
	const struct rtap_end *source = from_a ? &connection->shown.a : &connection->shown.b;
	const struct rtap_end *receiver = from_a ? &connection->shown.b : &connection->shown.a;
	struct flow_key key = flow_key_of(source, receiver, receiver->qpn, 0, false);
	uint64_t hash = flow_hash(&key);
	struct flow *flow = flow_find(tracker, &key, hash);

	if (flow && flow->connection == connection)
		return;
	if (flow && flow->connection)
		connection_retire(tracker, flow->connection);
	else if (flow)
		flow_destroy(tracker, flow);
	/* what responses had told of the other end was wrong */
	if (connection->flows[from_a])
		flow_destroy(tracker, connection->flows[from_a]);
	connection->flows[from_a] = NULL;
	flow = flow_create(tracker, &key, hash);
	if (flow)
		flow_attach(flow, connection, from_a);
}

static void request(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source, const struct rtap_end *destination)
{
	const struct rtap_cm_facts *cm = &packet->cm;
	const struct rtap_frame *frame = packet->frame;
	struct handshake *handshake = find(&tracker->handshakes, source, cm->local_id, 0);
	struct connection *connection;

	if (handshake) {
		if (handshake->transaction_id == cm->transaction_id && handshake->connection->shown.a.qpn == cm->local_qpn)
			return; /* sent again */
		connection_retire(tracker, handshake->connection);
	}
	connection = connection_create(tracker, frame->number, frame->time_ns);
	handshake = connection ? add(&tracker->handshakes, source, cm->local_id, 0) : NULL;
	if (!handshake) {
		tracker->counters.evictions++;
		return;
	}
	handshake->connection = connection;
	handshake->transaction_id = cm->transaction_id;
	connection->handshakes[1] = handshake;
	connection->shown.a = *source;
	connection->shown.b = *destination;
	connection->shown.b.qpn = 0;
	connection->shown.b.qpn_known = false;
	connection->shown.a.qpn = cm->local_qpn;
	connection->shown.a.qpn_known = true;
	connection->shown.learned_by_cm = true;
	connection->shown.has_service = true;
	connection->shown.service_id = cm->service_id;
	connection->shown.transport = (uint8_t)transport_of(cm);
	if (cm->mtu_code >= 1 && cm->mtu_code <= 5)
		connection->shown.path_mtu = 128u << cm->mtu_code;
	/* what it will receive begins there: b's */
	connection->shown.b.psn = cm->starting_psn;
	connection->shown.b.psn_known = true;
	for (int i = 0; i < 2; i++) {
		connection->streams[i].pmtu = connection->shown.path_mtu;
		connection->streams[i].reliable = connection->shown.transport != RTAP_TRANSPORT_UC;
	}
	take_private(connection, cm, true);
	connection_event(connection, "rdma_connect", frame->number, frame->time_ns, 0);
	claim(tracker, connection, false);
	connection_account(tracker, connection);
}

static void reply(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source, const struct rtap_end *destination)
{
	const struct rtap_cm_facts *cm = &packet->cm;
	struct connection *connection = connection_of(tracker, destination, cm->remote_id);
	struct handshake *handshake;

	/* a second one is the first sent again */
	if (!connection || connection->handshakes[0])
		return;
	handshake = find(&tracker->handshakes, source, cm->local_id, 0);
	if (handshake && handshake->connection != connection)
		connection_retire(tracker, handshake->connection);
	handshake = find(&tracker->handshakes, source, cm->local_id, 0);
	if (!handshake)
		handshake = add(&tracker->handshakes, source, cm->local_id, 0);
	if (!handshake) {
		tracker->counters.evictions++;
		return;
	}
	handshake->connection = connection;
	connection->handshakes[0] = handshake;
	/* IBTA vol. 1, A14: with XRC the queue pair's number stands where the EE context's is else */
	connection->shown.b.qpn = connection->shown.transport == RTAP_TRANSPORT_XRC ? cm->local_eecn : cm->local_qpn;
	connection->shown.b.qpn_known = true;
	connection->shown.a.psn = cm->starting_psn;
	connection->shown.a.psn_known = true;
	take_private(connection, cm, false);
	connection_event(connection, "rdma_accept", packet->frame->number, packet->frame->time_ns, 0);
	claim(tracker, connection, true);
	connection_account(tracker, connection);
}

static bool has_event(const struct connection *connection, const char *name)
{
	for (uint32_t i = 0; i < connection->shown.life_count; i++)
		if (!strcmp(connection->shown.life[i].name, name))
			return true;
	return false;
}

static void resolve(struct rtap_tracker *tracker, const struct rtap_cm_facts *cm, const struct rtap_end *source, const struct rtap_end *destination)
{
	struct handshake *asked, *service;

	if (cm->attribute == CM_SIDR_REQ) {
		asked = find(&tracker->services, source, cm->local_id, SIDR_REQUEST);
		if (!asked && tracker->services.count < MAX_SERVICES)
			asked = add(&tracker->services, source, cm->local_id, SIDR_REQUEST);
		if (asked)
			asked->service_id = cm->service_id;
		return;
	}
	if (cm->sidr_status)
		return;
	asked = find(&tracker->services, destination, cm->local_id, SIDR_REQUEST);
	service = find(&tracker->services, source, cm->local_qpn, SIDR_QUEUE_PAIR);
	if (!service && tracker->services.count < MAX_SERVICES)
		service = add(&tracker->services, source, cm->local_qpn, SIDR_QUEUE_PAIR);
	if (service)
		service->service_id = asked ? asked->service_id : cm->service_id;
	if (asked)
		drop(&tracker->services, asked);
}

bool handshake_service(const struct rtap_tracker *tracker, const struct rtap_end *end, uint64_t *service_id)
{
	const struct handshake *service = find(&tracker->services, end, end->qpn, SIDR_QUEUE_PAIR);

	if (service)
		*service_id = service->service_id;
	return service != NULL;
}

static void event_of(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_packet *packet, bool from_a)
{
	static const char *const names[] = {
		[CM_MRA - CM_REQ] = "mra", [CM_REJ - CM_REQ] = "rdma_reject", [CM_RTU - CM_REQ] = "established",
		[CM_DREQ - CM_REQ] = "rdma_disconnect", [CM_DREP - CM_REQ] = "disconnected",
	};
	const struct rtap_cm_facts *cm = &packet->cm;
	const char *name = names[cm->attribute - CM_REQ];

	(void)from_a;
	if (has_event(connection, name))
		return; /* sent again */
	connection_event(connection, name, packet->frame->number, packet->frame->time_ns, cm->attribute == CM_REJ ? cm->reject_reason : 0);
	if (cm->attribute == CM_DREP || cm->attribute == CM_REJ)
		connection_close(tracker, connection);
}

void handshake_packet(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source,
		      const struct rtap_end *destination)
{
	const struct rtap_cm_facts *cm = &packet->cm;
	struct connection *connection;
	bool from_a = false;

	switch (cm->attribute) {
	case CM_REQ:
		request(tracker, packet, source, destination);
		return;
	case CM_REP:
		reply(tracker, packet, source, destination);
		return;
	case CM_SIDR_REQ:
	case CM_SIDR_REP:
		resolve(tracker, cm, source, destination);
		return;
	case CM_MRA:
	case CM_REJ:
	case CM_RTU:
	case CM_DREQ:
	case CM_DREP:
		connection = meant(tracker, cm, source, destination, &from_a);
		if (connection)
			event_of(tracker, connection, packet, from_a);
		return;
	default:
		return;
	}
}

static void free_all(struct map *map)
{
	for (size_t i = 0; i < map->room; i++)
		free(map->slots[i].value);
	map_fini(map);
}

void handshake_fini(struct rtap_tracker *tracker)
{
	free_all(&tracker->handshakes);
	free_all(&tracker->services);
}
