/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "dissect/management/cm.h"
#include "reassembly/upper.h"
#include "reassembly/upper/request.h"

bool upper_is_set_up(const struct upper_layer *layer, const struct connection *connection)
{
	const struct rtap_connection *shown = &connection->shown;

	if (layer->is_set_up && layer->is_set_up(connection))
		return true;
	if (!shown->has_service || !(shown->learned_by_cm || shown->learned_by_mpa))
		return false;
	for (const uint16_t *port = layer->ports; port && *port; port++)
		if (shown->service_id == CM_TCP_SERVICE(*port))
			return true;
	return false;
}

void upper_set_up(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_packet *packet, bool from_a)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if ((*layer)->set_up && (*layer)->is_set_up(connection))
			(*layer)->set_up(tracker, connection, packet, from_a);
}

bool upper_has_port(const struct rtap_tracker *tracker, uint16_t wanted)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		for (const uint16_t *port = (*layer)->ports; port && *port; port++)
			if (*port == wanted)
				return true;
	return false;
}

/* The protocol that the user declared for a queue pair of the connection. */
static enum rtap_upper declared(const struct rtap_tracker *tracker, const struct connection *connection)
{
	const struct rtap_end *a = &connection->shown.a, *b = &connection->shown.b;

	for (size_t i = 0; i < tracker->context.decode_as_count; i++) {
		const struct rtap_decode_as *decode_as = &tracker->context.decode_as[i];

		if (decode_as->by == RTAP_DECODE_QPN &&
		    ((a->qpn_known && a->qpn == decode_as->number) || (b->qpn_known && b->qpn == decode_as->number)))
			return (enum rtap_upper)decode_as->upper;
	}
	return RTAP_UPPER_UNKNOWN;
}

static const struct upper_layer *set_up(const struct rtap_tracker *tracker, const struct connection *connection)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if (upper_is_set_up(*layer, connection))
			return *layer;
	return NULL;
}

static const struct upper_layer *carrying(const struct rtap_tracker *tracker, enum rtap_upper upper)
{
	for (const struct upper_layer *const *layer = tracker->layers; upper != RTAP_UPPER_UNKNOWN && *layer; layer++)
		if ((*layer)->carried == upper)
			return *layer;
	return NULL;
}

void upper_identify(struct rtap_tracker *tracker, struct connection *connection, enum rtap_upper upper)
{
	enum rtap_upper wanted = declared(tracker, connection);

	if (!connection->layer && wanted == RTAP_UPPER_UNKNOWN)
		connection->layer = set_up(tracker, connection);
	if (wanted != RTAP_UPPER_UNKNOWN)
		upper = wanted;
	if (!connection->layer)
		connection->layer = carrying(tracker, upper);
	connection->shows_layer = connection->layer && upper != RTAP_UPPER_UNKNOWN && connection->layer->carried == upper;
}

/* Whether only layers with takes_immediates get the packet. */
static bool has_immediate_only(const struct upper_work *work)
{
	return !work->keep && work->packet && ib_opcodes[work->packet->ib.opcode].class == IB_WRITE &&
	       !(work->message && work->message->region && upper_data_is_over(work->result, work->message));
}

static bool give(struct upper_work *work, bool is_send)
{
	const struct upper_layer *layer = work->connection->layer;
	bool is_taken;

	if (!layer->takes_immediates && has_immediate_only(work))
		return false;
	is_taken = is_send && layer->send ? layer->send(work) : layer->packet(work);
	if (is_taken && work->packet)
		upper_note(work->tracker, work->connection, (enum rtap_upper)work->packet->upper);
	return is_taken;
}

/* Sets the connection's layer before calling it; resets it if the layer does not accept. */
static bool take(struct upper_work *work, bool is_send)
{
	struct connection *connection = work->connection;

	if (!connection->layer)
		upper_identify(work->tracker, connection, RTAP_UPPER_UNKNOWN);
	work->is_known = connection->layer;
	if (work->is_known)
		return give(work, is_send);
	if (declared(work->tracker, connection) != RTAP_UPPER_UNKNOWN)
		return false;
	for (const struct upper_layer *const *layer = work->tracker->layers; *layer; layer++) {
		connection->layer = *layer;
		if (give(work, is_send))
			return true;
	}
	connection->layer = NULL;
	return false;
}

bool upper_packet(struct upper_work *work)
{
	return take(work, false);
}

bool upper_write(struct upper_work *work)
{
	struct connection *connection = work->connection;

	if (!connection->layer)
		upper_identify(work->tracker, connection, RTAP_UPPER_UNKNOWN);
	work->is_known = connection->layer;
	if (connection->layer)
		return connection->layer->write && connection->layer->write(work);
	if (declared(work->tracker, connection) != RTAP_UPPER_UNKNOWN)
		return false;
	for (const struct upper_layer *const *layer = work->tracker->layers; *layer; layer++)
		if ((*layer)->write && (*layer)->write(work)) {
			connection->layer = *layer;
			return true;
		}
	return false;
}

bool upper_send(struct upper_work *work)
{
	return take(work, true);
}

bool upper_read(struct upper_work *work)
{
	const struct upper_layer *layer = work->connection->layer;

	return layer && layer->read && layer->read(work);
}

void upper_ahead(struct upper_work *work)
{
	for (const struct upper_layer *const *layer = work->tracker->layers; *layer; layer++)
		if ((*layer)->ahead && (!work->connection->layer || work->connection->layer == *layer))
			(*layer)->ahead(work);
}

bool upper_may_want(const struct rtap_tracker *tracker, const struct connection *connection)
{
	if (connection->layer)
		return connection->layer->memory && connection->layer->memory->may_want(tracker, connection);
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if ((*layer)->memory && (*layer)->memory->may_want(tracker, connection))
			return true;
	return false;
}

void upper_claim_any(struct rtap_tracker *tracker, struct message *message)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer && !message->region; layer++)
		if ((*layer)->memory)
			(*layer)->memory->claim(tracker, message);
}

static void end(struct rtap_tracker *tracker, struct connection *connection)
{
	const struct upper_layer *layer = connection->layer;

	if (layer->end)
		layer->end(tracker, connection);
	if (layer->over)
		layer->over(tracker, connection);
}

/* READs and WRITEs of the connection that requests of this layer on other connections claimed, as in NCCL: the layer cannot take them any more. */
static void forget_claims(struct connection *connection, const struct upper_layer *layer)
{
	struct message *message;

	for (int i = 0; i < 2; i++)
		TAILQ_FOREACH(message, &connection->streams[i].messages, link)
			if (message->region && message->region->request->connection->layer == layer)
				layer->memory->unclaim(message);
}

void upper_merged(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned)
{
	if (!from->layer && !to->layer) {
		for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
			if ((*layer)->merged)
				(*layer)->merged(tracker, from, to, turned);
		return;
	}
	/* If the two differ, that of the remaining connection is right. */
	if (from->layer && ((to->layer && from->layer != to->layer) || !from->layer->merged))
		end(tracker, from);
	if (from->layer && to->layer && from->layer != to->layer)
		forget_claims(to, from->layer);
	if (!to->layer)
		to->layer = from->layer;
	if (to->layer->merged)
		to->layer->merged(tracker, from, to, turned);
}

void upper_end(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->layer && connection->layer->end)
		connection->layer->end(tracker, connection);
}

void upper_over(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->layer && connection->layer->over)
		connection->layer->over(tracker, connection);
}

void *upper_state_create(struct rtap_tracker *tracker, struct connection *connection, size_t size)
{
	connection->upper_state = memory_new_zeroed(1, size);
	if (connection->upper_state)
		budget_add(&tracker->budget, &connection->entry, size);
	else
		tracker->counters.evictions++;
	return connection->upper_state;
}

void upper_state_destroy(struct rtap_tracker *tracker, struct connection *connection, size_t size)
{
	if (!connection->upper_state)
		return;
	free(connection->upper_state);
	connection->upper_state = NULL;
	budget_give(&tracker->budget, &connection->entry, size);
}

void upper_advance(struct rtap_tracker *tracker)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if ((*layer)->advance)
			(*layer)->advance(tracker);
}

upper_shown *upper_shows_files(const struct rtap_tracker *tracker)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if ((*layer)->shown)
			return (*layer)->shown;
	return NULL;
}

bool upper_init(struct rtap_tracker *tracker, const struct upper_layer *const *layers)
{
	bool good = true;

	tracker->layers = layers;
	for (const struct upper_layer *const *layer = layers; *layer; layer++)
		good &= !(*layer)->init || (*layer)->init(tracker);
	return good;
}

void upper_fini(struct rtap_tracker *tracker)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if ((*layer)->fini)
			(*layer)->fini(tracker);
}

const struct upper_layer *upper_of_socket(const struct rtap_tracker *tracker, const struct upper_socket *socket)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if ((*layer)->socket == socket)
			return *layer;
	return NULL;
}

void upper_datagram(struct rtap_tracker *tracker, struct rtap_packet *packet, struct rtap_context *context)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if ((*layer)->socket && (*layer)->socket->datagram(tracker, packet, context))
			return;
}

void upper_sockets_flush(struct rtap_tracker *tracker)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if ((*layer)->socket)
			(*layer)->socket->flush(tracker);
}
