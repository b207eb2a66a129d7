/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/management/cm.h"
#include "dissect/management/cm_paths.h"
#include "reassembly/connection.h"
#include "reassembly/connection_life.h"
#include "reassembly/connection_lifecycle.h"
#include "reassembly/infiniband/alternate.h"
#include "reassembly/infiniband/handshake.h"
#include "reassembly/infiniband/handshake_ids.h"
#include "base/memory.h"
#include "reassembly/infiniband/port_pairing.h"
#include "reassembly/time_windows.h"
#include "reassembly/upper.h"

#define MAX_SERVICES 65536
#define MAX_WAITING 64

/* Whether `handshake` is this id of the end. */
static bool is_id_of(const struct rtap_tracker *tracker, const struct rtap_end *end, uint32_t id, const struct handshake *handshake)
{
	const struct handshake *found = handshake_ids_find(&tracker->handshakes, end, id, 0);

	return found && handshake && (found == handshake || found->alias_of == handshake);
}

/*
 * The connection for which an end uses this id. other_id: that of the other end, 0 if the message does not name it. Ids are used again: with
 * another id of the other end, the message is of another connection.
 */
static struct connection *connection_of(const struct rtap_tracker *tracker, const struct rtap_end *end, uint32_t id, uint32_t other_id)
{
	const struct handshake *handshake = handshake_ids_find(&tracker->handshakes, end, id, 0), *other;
	struct connection *connection = handshake ? handshake->connection : NULL;

	if (!connection)
		return NULL;
	if (handshake->alias_of)
		handshake = handshake->alias_of;
	other = connection->handshakes[connection->handshakes[0] == handshake];
	return !other || !other_id || other->id == other_id ? connection : NULL;
}

/* The connection of a message, by the sender's or the receiver's id for it. *from_a: its sender. */
static struct connection *connection_of_message(const struct rtap_tracker *tracker, const struct rtap_cm_facts *cm, const struct rtap_end *source,
				const struct rtap_end *destination, bool *from_a)
{
	struct connection *connection = connection_of(tracker, source, cm->local_id, cm->remote_id);
	struct connection *other = connection_of(tracker, destination, cm->remote_id, cm->local_id);

	/* if both lack a REP, an id of the older one is used again */
	if (!connection || (other && other->shown.number > connection->shown.number))
		connection = other;
	if (connection)
		*from_a = is_id_of(tracker, source, cm->local_id, connection->handshakes[1]) ||
			  is_id_of(tracker, destination, cm->remote_id, connection->handshakes[0]);
	return connection;
}

uint8_t handshake_consumer_of(const struct connection *connection)
{
	for (int side = 0; side < 2; side++)
		if (connection->handshakes[side] && connection->handshakes[side]->consumer != RTAP_CM_CONSUMER_UNKNOWN)
			return connection->handshakes[side]->consumer;
	return RTAP_CM_CONSUMER_UNKNOWN;
}

uint8_t handshake_consumer(const struct rtap_tracker *tracker, const struct rtap_cm_facts *cm, const struct rtap_end *destination)
{
	const struct handshake *asked = handshake_ids_find(&tracker->handshakes, destination, cm->remote_id, 0);

	return asked ? asked->consumer : RTAP_CM_CONSUMER_UNKNOWN;
}

static struct rtap_life_event *event_named(struct rtap_connection *shown, const char *name)
{
	for (uint32_t i = shown->life_count; i--;)
		if (!strcmp(shown->life[i].name, name))
			return &connection_life(shown)[i];
	return NULL;
}

static void add_event(struct connection *connection, const char *name, const struct rtap_packet *packet, uint32_t reason)
{
	const struct rtap_frame *frame = packet->frame;

	connection_life_add(connection, &(struct rtap_life_event){
		.name = name, .frame = frame->number, .time_ns = frame->time_ns, .reason = reason, .capture_point = frame->capture_point });
}

/* The message of an event (or NULL) was repeated. The same frame at another capture point is not a repeat. */
static void repeat_event(struct connection *connection, struct rtap_life_event *event, const struct rtap_packet *packet)
{
	int64_t now_ns = packet->frame->time_ns;

	if (!event || (packet->frame->capture_point != event->capture_point &&
		       now_ns - (event->repeats ? event->last_ns : event->time_ns) < TWICE_NS))
		return;
	event->repeats++;
	event->last_ns = now_ns;
	if (packet->frame->number > connection->shown.last_frame)
		connection->shown.last_frame = packet->frame->number;
	if (now_ns > connection->shown.time_end_ns)
		connection->shown.time_end_ns = now_ns;
}

static void note_repeat(struct connection *connection, const char *name, const struct rtap_packet *packet)
{
	repeat_event(connection, event_named(&connection->shown, name), packet);
}

/* Adds the event of a message, once for all repeats. */
static void report_event(struct connection *connection, const char *name, const struct rtap_packet *packet, uint32_t reason)
{
	if (event_named(&connection->shown, name))
		note_repeat(connection, name, packet);
	else
		add_event(connection, name, packet, reason);
}

static void take_private(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_cm_facts *cm, bool from_a)
{
	struct rtap_connection *shown = &connection->shown;
	int side = from_a ? 0 : 1;

	shown->has_private[side] = cm->upper == RTAP_UPPER_RPCRDMA;
	shown->remote_invalidation[side] = cm->remote_invalidation;
	shown->send_size[side] = cm->send_size;
	shown->receive_size[side] = cm->receive_size;
	upper_note(tracker, connection, (enum rtap_upper)cm->upper);
}

/* Transport service type 3: see the extended type. IBTA vol. 1, 12.7.14; A14. */
static enum rtap_transport transport_of(const struct rtap_cm_facts *cm)
{
	if (cm->transport_type == 3 && cm->extended_transport == 1)
		return RTAP_TRANSPORT_XRC;
	return cm->transport_type == 1 ? RTAP_TRANSPORT_UC : RTAP_TRANSPORT_RC;
}

/* Packets of the other queue pair to `receiver` belong to this connection. An earlier user of these numbers is gone. */
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
	/* The other end inferred from responses was wrong. */
	if (connection->flows[from_a])
		flow_destroy(tracker, connection->flows[from_a]);
	connection->flows[from_a] = NULL;
	flow = flow_create(tracker, &key, hash);
	if (flow)
		flow_attach(flow, connection, from_a);
}

static void take_req(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source,
		     const struct rtap_end *destination)
{
	const struct rtap_cm_facts *cm = &packet->cm;
	const struct rtap_frame *frame = packet->frame;
	struct handshake *handshake = handshake_ids_find(&tracker->handshakes, source, cm->local_id, 0);
	struct connection *connection;

	if (handshake) {
		if (handshake->transaction_id == cm->transaction_id && handshake->connection->shown.a.qpn == cm->local_qpn) {
			note_repeat(handshake->connection, "rdma_connect", packet);
			return;
		}
		connection_retire(tracker, handshake->connection);
	}
	connection = connection_create(tracker, frame->number, frame->time_ns);
	handshake = connection ? handshake_ids_add(&tracker->handshakes, source, cm->local_id, 0) : NULL;
	if (!handshake) {
		tracker->counters.evictions++;
		return;
	}
	handshake->connection = connection;
	handshake->transaction_id = cm->transaction_id;
	handshake->consumer = cm->consumer;
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
	connection->shown.retries_known = true;
	connection->shown.ack_timeout = cm->ack_timeout;
	connection->shown.retry_count = cm->retry_count;
	connection->shown.rnr_retry_count = connection->shown.rnr_retries[1] = cm->rnr_retry_count;
	/* PSN of the packets that it will receive: those of b. */
	connection->shown.b.psn = cm->starting_psn;
	connection->shown.b.psn_known = true;
	for (int i = 0; i < 2; i++) {
		connection->streams[i].pmtu = connection->shown.path_mtu;
		connection->streams[i].reliable = connection->shown.transport != RTAP_TRANSPORT_UC;
	}
	take_private(tracker, connection, cm, true);
	add_event(connection, "rdma_connect", packet, 0);
	alternate_note(connection, packet, true);
	claim(tracker, connection, false);
	/* Identifies the requester's packets even if the REP is not captured. */
	if (connection->flows[0] && packet->source_port && cm->flow_label)
		port_pairing_enter(tracker, connection->flows[0], port_of_label(cm->flow_label), true);
	connection_account(tracker, connection);
	upper_set_up(tracker, connection, packet, true);
}

static void take_rep(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source,
		     const struct rtap_end *destination)
{
	const struct rtap_cm_facts *cm = &packet->cm;
	struct connection *connection = connection_of(tracker, destination, cm->remote_id, cm->local_id);
	struct handshake *handshake;

	if (connection && connection->handshakes[0])
		note_repeat(connection, "rdma_accept", packet);
	if (!connection || connection->handshakes[0])
		return;
	handshake = handshake_ids_find(&tracker->handshakes, source, cm->local_id, 0);
	if (handshake && handshake->connection != connection)
		connection_retire(tracker, handshake->connection);
	handshake = handshake_ids_find(&tracker->handshakes, source, cm->local_id, 0);
	/* the requester's other path cannot reply: its entry ends with the path */
	if (handshake && handshake->alias_of)
		return;
	if (!handshake)
		handshake = handshake_ids_add(&tracker->handshakes, source, cm->local_id, 0);
	if (!handshake) {
		tracker->counters.evictions++;
		return;
	}
	handshake->connection = connection;
	/* Rejections sent by the requester have no defined private data format. */
	if (handshake != connection->handshakes[1])
		handshake->consumer = RTAP_CM_CONSUMER_OTHER;
	connection->handshakes[0] = handshake;
	/* IBTA vol. 1, A14: with XRC the queue pair number is in the field of the EE context. */
	connection->shown.b.qpn = connection->shown.transport == RTAP_TRANSPORT_XRC ? cm->local_eecn : cm->local_qpn;
	connection->shown.b.qpn_known = true;
	connection->shown.a.psn = cm->starting_psn;
	connection->shown.a.psn_known = true;
	connection->shown.rnr_retries[0] = cm->rnr_retry_count;
	take_private(tracker, connection, cm, false);
	add_event(connection, "rdma_accept", packet, 0);
	claim(tracker, connection, true);
	if (cm_accepts_alternate(packet))
		alternate_load(tracker, connection);
	connection_account(tracker, connection);
	upper_set_up(tracker, connection, packet, false);
}

/* Datagram queue pairs: the connection exists from the request on. 12.11. */
static void take_sidr_req(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source,
			  const struct rtap_end *destination)
{
	const struct rtap_cm_facts *cm = &packet->cm;
	struct handshake *asked = handshake_ids_find(&tracker->services, source, cm->local_id, SIDR_REQUEST);
	struct connection *connection;

	if (asked && asked->connection && asked->transaction_id == cm->transaction_id && asked->service_id == cm->service_id) {
		note_repeat(asked->connection, "rdma_connect", packet);
		return;
	}
	if (!asked && tracker->services.count < MAX_SERVICES)
		asked = handshake_ids_add(&tracker->services, source, cm->local_id, SIDR_REQUEST);
	connection = asked ? connection_create(tracker, packet->frame->number, packet->frame->time_ns) : NULL;
	if (!connection) {
		tracker->counters.evictions++;
		return;
	}
	/* the number is used again */
	if (asked->connection)
		asked->connection->resolution = NULL;
	asked->service_id = cm->service_id;
	asked->transaction_id = cm->transaction_id;
	asked->connection = connection;
	connection->resolution = asked;
	connection->shown.transport = RTAP_TRANSPORT_UD;
	connection->shown.learned_by_cm = connection->shown.has_service = true;
	connection->shown.service_id = cm->service_id;
	connection->shown.a = *source;
	connection->shown.b = *destination;
	connection->shown.a.qpn_known = connection->shown.b.qpn_known = false;
	connection->shown.a.qpn = connection->shown.b.qpn = 0;
	add_event(connection, "rdma_connect", packet, 0);
	connection_account(tracker, connection);
}

/* The queue pair of a service is known. */
static void resolve(struct rtap_tracker *tracker, const struct rtap_cm_facts *cm, const struct rtap_end *source,
		    struct connection *connection)
{
	struct handshake *service = handshake_ids_find(&tracker->services, source, cm->local_qpn, SIDR_QUEUE_PAIR);

	if (!service && tracker->services.count < MAX_SERVICES)
		service = handshake_ids_add(&tracker->services, source, cm->local_qpn, SIDR_QUEUE_PAIR);
	if (!service)
		return;
	service->service_id = connection ? connection->shown.service_id : cm->service_id;
	if (!connection || connection->shown.b.qpn_known || service->waiting == MAX_WAITING)
		return;
	connection->shown.b.qpn = cm->local_qpn;
	connection->shown.b.qpn_known = true;
	connection->resolved = service;
	SLIST_INSERT_HEAD(&service->resolved, connection, resolved_link);
	service->waiting++;
}

static void take_sidr_rep(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source,
			  const struct rtap_end *destination)
{
	const struct rtap_cm_facts *cm = &packet->cm;
	struct handshake *asked = handshake_ids_find(&tracker->services, destination, cm->local_id, SIDR_REQUEST);
	struct connection *connection = asked ? asked->connection : NULL;

	if (!cm->sidr_status)
		resolve(tracker, cm, source, connection);
	if (!connection)
		return;
	report_event(connection, cm->sidr_status ? "rdma_reject" : "rdma_accept", packet, cm->sidr_status);
	if (cm->sidr_status)
		connection_close(tracker, connection);
}

static struct connection *waiting_for(const struct rtap_tracker *tracker, const struct rtap_end *service, const struct rtap_end *other)
{
	const struct handshake *resolved = handshake_ids_find(&tracker->services, service, service->qpn, SIDR_QUEUE_PAIR);
	struct connection *connection, *found = NULL;

	if (!resolved)
		return NULL;
	/* the oldest request, which is last */
	SLIST_FOREACH(connection, &resolved->resolved, resolved_link)
		if (!memcmp(connection->shown.a.address, other->address, sizeof other->address))
			found = connection;
	return found;
}

struct connection *handshake_resolved(const struct rtap_tracker *tracker, const struct rtap_end *source, const struct rtap_end *destination,
				      bool *from_a)
{
	struct connection *connection = waiting_for(tracker, destination, source);

	*from_a = connection;
	if (!connection)
		connection = waiting_for(tracker, source, destination);
	if (!connection)
		return NULL;
	connection->shown.a.qpn = *from_a ? source->qpn : destination->qpn;
	connection->shown.a.qpn_known = true;
	handshake_ids_leave_resolved(connection);
	return connection;
}

bool handshake_service(const struct rtap_tracker *tracker, const struct rtap_end *end, uint64_t *service_id)
{
	const struct handshake *service = handshake_ids_find(&tracker->services, end, end->qpn, SIDR_QUEUE_PAIR);

	if (service)
		*service_id = service->service_id;
	return service != NULL;
}

/* Paths can be loaded any number of times. A repeated transaction id is a repeat. */
static void path_event(struct connection *connection, const struct rtap_packet *packet)
{
	const struct rtap_cm_facts *cm = &packet->cm;
	bool is_response = cm->attribute == CM_APR;
	const char *name = is_response ? "apr" : "lap";
	uint64_t *transaction = is_response ? &connection->apr_transaction : &connection->lap_transaction;

	if (event_named(&connection->shown, name) && *transaction == cm->transaction_id)
		note_repeat(connection, name, packet);
	else if (connection->shown.life_count < RTAP_MAX_LIFE_EVENTS - CONNECTION_LIFE_END)
		add_event(connection, name, packet, cm->path_status);
	*transaction = cm->transaction_id;
}

/* Each end can send a DREQ before that of the other one arrives, and then answers it. */
static void end_event(struct connection *connection, const char *name, const struct rtap_packet *packet, bool from_a)
{
	uint8_t *place = &connection->end_events[packet->cm.attribute == CM_DREP][from_a];
	uint32_t count = connection->shown.life_count;

	if (*place) {
		repeat_event(connection, &connection_life(&connection->shown)[*place - 1], packet);
		return;
	}
	add_event(connection, name, packet, 0);
	if (connection->shown.life_count > count)
		*place = (uint8_t)(count + 1);
}

/* A message that is an event of its connection: all except those that set it up. */
static void take_event_message(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_packet *packet, bool from_a)
{
	static const char *const names[] = {
		[CM_REJ - CM_REQ] = "rdma_reject", [CM_RTU - CM_REQ] = "established", [CM_DREQ - CM_REQ] = "rdma_disconnect",
		[CM_DREP - CM_REQ] = "disconnected",
	};
	/* by the message being processed */
	static const char *const receipts[] = { "mra", "mra_rep", "mra_lap", "mra" };
	const struct rtap_cm_facts *cm = &packet->cm;

	switch (cm->attribute) {
	case CM_LAP:
		alternate_note(connection, packet, from_a);
		path_event(connection, packet);
		return;
	case CM_APR:
		if (!cm->path_status && connection->lap_transaction == cm->transaction_id)
			alternate_load(tracker, connection);
		path_event(connection, packet);
		return;
	case CM_MRA:
		report_event(connection, receipts[cm->subject & 3], packet, 0);
		return;
	case CM_DREQ:
	case CM_DREP:
		end_event(connection, names[cm->attribute - CM_REQ], packet, from_a);
		break;
	default:
		report_event(connection, names[cm->attribute - CM_REQ], packet, cm->attribute == CM_REJ ? cm->reject_reason : 0);
		break;
	}
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
		take_req(tracker, packet, source, destination);
		return;
	case CM_REP:
		take_rep(tracker, packet, source, destination);
		return;
	case CM_SIDR_REQ:
		take_sidr_req(tracker, packet, source, destination);
		return;
	case CM_SIDR_REP:
		take_sidr_rep(tracker, packet, source, destination);
		return;
	case CM_MRA:
	case CM_REJ:
	case CM_RTU:
	case CM_DREQ:
	case CM_DREP:
	case CM_LAP:
	case CM_APR:
		connection = connection_of_message(tracker, cm, source, destination, &from_a);
		if (connection)
			take_event_message(tracker, connection, packet, from_a);
		return;
	default:
		return;
	}
}

void handshake_fini(struct rtap_tracker *tracker)
{
	map_fini_values(&tracker->handshakes);
	map_fini_values(&tracker->services);
}
