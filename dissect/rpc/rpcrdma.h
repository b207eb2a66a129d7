/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC-over-RDMA headers: constants, and the total lengths in the chunk lists.
 */
#ifndef DISSECT_RPC_RPCRDMA_H
#define DISSECT_RPC_RPCRDMA_H

#include "dissect/engine/protocol.h"

#define RPCRDMA_VERSION_1 1
#define RPCRDMA_FIXED_LENGTH 16 /* XID, version, credits, type: the same in all versions. RFC 8166, 4.2 */
#define RPCRDMA_MIN_LENGTH 28   /* of a version 1 message: with three empty lists */
#define RPCRDMA_PORT 20049      /* NFS over RDMA. RFC 8267, section 8 */

/* RFC 8166, 4.2.4; RDMA_MSGP and RDMA_DONE: RFC 5666, section 4. */
enum rpcrdma_type { RDMA_MSG, RDMA_NOMSG, RDMA_MSGP, RDMA_DONE, RDMA_ERROR };

/* RFC 8166, 4.5. */
enum rpcrdma_error { ERR_VERS = 1, ERR_CHUNK = 2 };

#define RPCRDMA_TOTALS 8 /* maximum chunks stored of a list; further ones are ignored */

struct rpcrdma_chunk_total {
	uint32_t key;    /* Position of a read chunk; number of a write chunk, from 0 */
	uint64_t length; /* of all its segments */
};

struct rpcrdma_chunk_totals {
	uint32_t read_count, write_count;
	struct rpcrdma_chunk_total reads[RPCRDMA_TOTALS], writes[RPCRDMA_TOTALS];
};

/*
 * Skips a header of `length` bytes (may be 0): its lists are noted for the message after it, but it is not shown.
 * False: it is not such a header.
 */
bool rpcrdma_pass(struct parse *parse, uint32_t length);

/* Reads the lists, also those of a skipped header; without a header there are none. */
void rpcrdma_totals(const struct rtap_packet *packet, struct rpcrdma_chunk_totals *totals);

/* Adds to the one-line text the chunks of the header before the RPC message to which `layer` belongs, if there is one. */
void rpcrdma_summary_chunks(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line);

/* Returns whether the first words are consistent with such a header: the version and a defined type. RFC 8166, 4.1. */
bool rpcrdma_may_be(const uint8_t *bytes, uint32_t length);

/* Returns whether the bytes at the cursor are an RPC-over-RDMA message, judging by content alone. RFC 8166, section 4. */
bool rpcrdma_recognise(const struct cursor *payload);

#endif
