/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How connections begin and end: closed by the packets seen, retired when no more packets can follow, given up or evicted.
 */
#ifndef REASSEMBLY_CONNECTION_LIFECYCLE_H
#define REASSEMBLY_CONNECTION_LIFECYCLE_H

#include "reassembly/connection.h"

/* A new connection with the next number, first seen in `frame`. NULL: out of memory. */
struct connection *connection_create(struct rtap_tracker *tracker, uint64_t frame, int64_t time_ns);

/* The connection ended. Incomplete messages are still waited for. */
void connection_close(struct rtap_tracker *tracker, struct connection *connection);

/* No more packets are accepted: settles its messages and removes its flows. */
void connection_retire(struct rtap_tracker *tracker, struct connection *connection);

/* Its contents were merged into another connection: frees it without reporting it. */
void connection_drop(struct rtap_tracker *tracker, struct connection *connection);

/* Slow path of connections_advance(). */
void connections_do_due(struct rtap_tracker *tracker);

/* Retires connections that closed some time ago, and reports finished connections in order. */
static inline void connections_advance(struct rtap_tracker *tracker)
{
	if (tracker->now_ns >= tracker->due_ns)
		connections_do_due(tracker);
}

/* Retires and reports all connections. Their messages must have been reported. */
void connections_flush(struct rtap_tracker *tracker);

/* Frees all connections without reporting them. */
void connections_fini(struct rtap_tracker *tracker);

#endif
