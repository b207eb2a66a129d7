/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How connections begin and end: closed by what was seen, retired when nothing of them can come any more, given up or evicted.
 */
#ifndef REASSEMBLY_CONNECTION_LIFECYCLE_H
#define REASSEMBLY_CONNECTION_LIFECYCLE_H

#include "reassembly/connection.h"

/* A new connection with the next number, first seen in `frame`. NULL: memory is out. */
struct connection *connection_create(struct rtap_tracker *tracker, uint64_t frame, int64_t time_ns);

/* It is over: what is still under way is waited for. */
void connection_close(struct rtap_tracker *tracker, struct connection *connection);

/* Nothing belongs to it any more: its messages are settled, its flows go. */
void connection_retire(struct rtap_tracker *tracker, struct connection *connection);

/* What it had belongs to another now: it is never told. */
void connection_drop(struct rtap_tracker *tracker, struct connection *connection);

/* connections_advance() when there may be something to do. */
void connections_do_due(struct rtap_tracker *tracker);

/* Retires connections that closed some time ago, and tells those that are over, in order. */
static inline void connections_advance(struct rtap_tracker *tracker)
{
	if (tracker->now_ns >= tracker->due_ns)
		connections_do_due(tracker);
}

/* Retires and tells all; messages have been told before. */
void connections_flush(struct rtap_tracker *tracker);

/* Frees all, telling nothing. */
void connections_fini(struct rtap_tracker *tracker);

#endif
