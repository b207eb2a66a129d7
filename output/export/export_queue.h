/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Puts exchanges into the order of their replies (of the call if there is none). Those of one connection come in order, but
 * one connection may be told long after another of what happened in the same moment. Copies wait here, as many as memory lets.
 */
#ifndef OUTPUT_EXPORT_EXPORT_QUEUE_H
#define OUTPUT_EXPORT_EXPORT_QUEUE_H

#include <stddef.h>

#include "reassembly/upper/rpc_exchange.h"

struct queued;

struct export_queue {
	struct queued **heap; /* the first is the earliest; the children of n are 2n + 1 and 2n + 2 */
	size_t count, room;
	uint64_t told;        /* numbers those of one frame apart */
	uint64_t memory, max_memory;
	uint64_t last_frame;  /* of the latest that was given away */
	uint64_t late;        /* that came behind their turn */
};

/* A copy, without the connection. False: memory is out. */
bool export_queue_add(struct export_queue *queue, const struct rpc_exchange *exchange) __attribute__((warn_unused_result));

/* The earliest; NULL: there is none, or (without `all`) nothing makes it go yet. export_queue_drop() ends its life. */
const struct rpc_exchange *export_queue_next(const struct export_queue *queue, bool all);
void export_queue_drop(struct export_queue *queue);

void export_queue_fini(struct export_queue *queue);

#endif
