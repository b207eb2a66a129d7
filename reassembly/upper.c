/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/upper.h"

/* The layer that the connection setup names; NULL: unknown. */
static const struct upper_layer *set_up_layer(const struct rtap_tracker *tracker, const struct connection *connection)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if ((*layer)->is_set_up(connection))
			return *layer;
	return NULL;
}

/* Sets the connection's layer before calling it; resets it if the layer does not accept. */
static bool take(struct upper_work *work, bool is_send)
{
	struct connection *connection = work->connection;

	if (!connection->layer)
		connection->layer = set_up_layer(work->tracker, connection);
	if (connection->layer)
		return is_send ? connection->layer->send(work) : connection->layer->packet(work);
	for (const struct upper_layer *const *layer = work->tracker->layers; *layer; layer++) {
		connection->layer = *layer;
		if (is_send ? (*layer)->send(work) : (*layer)->packet(work))
			return true;
	}
	connection->layer = NULL;
	return false;
}

bool upper_packet(struct upper_work *work)
{
	return take(work, false);
}

bool upper_send(struct upper_work *work)
{
	return take(work, true);
}

bool upper_read(struct upper_work *work)
{
	return work->connection->layer && work->connection->layer->read(work);
}

void upper_ahead(struct upper_work *work)
{
	if (work->connection->layer) {
		work->connection->layer->ahead(work);
		return;
	}
	for (const struct upper_layer *const *layer = work->tracker->layers; *layer; layer++)
		(*layer)->ahead(work);
}

bool upper_may_want(const struct rtap_tracker *tracker, const struct connection *connection)
{
	if (connection->layer)
		return connection->layer->may_want(tracker, connection);
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if ((*layer)->may_want(tracker, connection))
			return true;
	return false;
}

void upper_claim_any(struct rtap_tracker *tracker, struct message *message)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer && !message->region; layer++)
		(*layer)->claim(tracker, message);
}

void upper_merged(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned)
{
	if (!from->layer && !to->layer) {
		for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
			(*layer)->merged(tracker, from, to, turned);
		return;
	}
	/* If the two differ, that of the remaining connection is right. */
	if (from->layer && to->layer && from->layer != to->layer) {
		from->layer->end(tracker, from);
		from->layer->over(tracker, from);
	}
	if (!to->layer)
		to->layer = from->layer;
	to->layer->merged(tracker, from, to, turned);
}

void upper_end(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->layer)
		connection->layer->end(tracker, connection);
}

void upper_over(struct rtap_tracker *tracker, struct connection *connection)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if (!connection->layer || connection->layer == *layer)
			(*layer)->over(tracker, connection);
}

void upper_advance(struct rtap_tracker *tracker)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		(*layer)->advance(tracker);
}

void upper_fini(struct rtap_tracker *tracker)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		(*layer)->fini(tracker);
}

const struct upper_layer *upper_of_socket(const struct rtap_tracker *tracker, const struct upper_socket *socket)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if ((*layer)->socket == socket)
			return *layer;
	return NULL;
}

void upper_sockets_init(struct rtap_tracker *tracker)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if ((*layer)->socket)
			(*layer)->socket->init(tracker);
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

void upper_sockets_fini(struct rtap_tracker *tracker)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		if ((*layer)->socket)
			(*layer)->socket->fini(tracker);
}
