/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the chunk lists of a packet's RPC-over-RDMA header say of the lengths that its RPC message lacks.
 */
#ifndef DISSECT_RPC_RPCRDMA_H
#define DISSECT_RPC_RPCRDMA_H

#include "dissect/engine/protocol.h"

#define RPCRDMA_VERSION_1 1
#define RPCRDMA_FIXED_LENGTH 16 /* XID, version, credits, type: those of all versions. RFC 8166, 4.2 */
#define RPCRDMA_MIN_LENGTH 28   /* of a message in version 1: with three empty lists */
#define RPCRDMA_PORT 20049      /* NFS over RDMA. RFC 8267, section 8 */

/* RFC 8166, 4.2.4; RDMA_MSGP and RDMA_DONE: RFC 5666, section 4. */
enum rpcrdma_type { RDMA_MSG, RDMA_NOMSG, RDMA_MSGP, RDMA_DONE, RDMA_ERROR };

/* RFC 8166, 4.5. */
enum rpcrdma_error { ERR_VERS = 1, ERR_CHUNK = 2 };

#define RPCRDMA_TOTALS 8 /* chunks of a list that are kept; further ones are left out */

struct rpcrdma_chunk_total {
	uint32_t key;    /* Position of a read chunk; number of a write chunk, from 0 */
	uint64_t length; /* of all its segments */
};

struct rpcrdma_chunk_totals {
	uint32_t read_count, write_count;
	struct rpcrdma_chunk_total reads[RPCRDMA_TOTALS], writes[RPCRDMA_TOTALS];
};

/*
 * Passes over a header of `length` bytes, or none: what its lists say of the message behind it becomes known, it is not shown.
 * False: it is not one.
 */
bool rpcrdma_pass(struct parse *parse, uint32_t length);

/* Reads the lists, also of a header that was passed over; none without such a header. */
void rpcrdma_totals(const struct rtap_packet *packet, struct rpcrdma_chunk_totals *totals);

/* Whether nothing in the first words of these bytes speaks against it: the version, and a type that there is. RFC 8166, 4.1. */
bool rpcrdma_may_be(const uint8_t *bytes, uint32_t length);

/* Whether the bytes at the cursor are an RPC-over-RDMA message by their content alone. RFC 8166, section 4. */
bool rpcrdma_recognise(const struct cursor *payload);

#endif
