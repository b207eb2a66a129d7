/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sorts exchanges by the order of their replies (of the call if there is no reply). Those of one connection arrive in order, but
 * simultaneous exchanges of two connections may be reported at very different times. Copies wait here up to the memory limit.
 */
#ifndef OUTPUT_EXPORT_EXPORT_QUEUE_H
#define OUTPUT_EXPORT_EXPORT_QUEUE_H

#include <stddef.h>

#include "base/heap.h"
#include "reassembly/upper/rpc_exchange.h"

struct queued;

struct export_queue {
	struct heap heap;     /* earliest first */
	uint64_t sequence;    /* sequence number, orders exchanges of the same frame */
	uint64_t memory, max_memory;
	uint64_t last_frame;  /* of the latest exchange returned */
	uint64_t late;        /* exchanges that arrived after later ones were returned */
};

/* Adds a copy, without the connection. False: out of memory. */
bool export_queue_add(struct export_queue *queue, const struct rpc_exchange *exchange) __attribute__((warn_unused_result));

/* The earliest exchange; NULL: none, or (without `all`) memory lets it wait longer. Valid until export_queue_drop(), which removes it. */
const struct rpc_exchange *export_queue_next(const struct export_queue *queue, bool all);
void export_queue_drop(struct export_queue *queue);

void export_queue_fini(struct export_queue *queue);

#endif
