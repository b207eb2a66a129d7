/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SENDs that carry RPC-over-RDMA headers, and keys that RDMA operations use, as the transport shows them: on InfiniBand, where a packet has
 * one of them, and on iWARP, where a segment has several.
 */
#ifndef OUTPUT_CHECK_RPCRDMA_SEND_H
#define OUTPUT_CHECK_RPCRDMA_SEND_H

#include "dissect/engine/packet.h"

/* One operation of a packet: a SEND with a header, or an RDMA READ request or WRITE. */
struct rpcrdma_use {
	const struct rtap_layer *header; /* the RPC-over-RDMA header; NULL: an RDMA READ or WRITE */
	uint64_t length;         /* of the SEND in bytes; 0: unknown */
	bool has_key;            /* `key` is that which a SEND invalidates, or an RDMA operation uses */
	uint32_t key;            /* R_Key or STag */
};

/* Calls `take` for each operation of the packet, in order. A SEND of iWARP in several segments counts in its last one. */
void rpcrdma_send_each(const struct rtap_packet *packet, void (*take)(void *context, const struct rpcrdma_use *use), void *context);

#endif
