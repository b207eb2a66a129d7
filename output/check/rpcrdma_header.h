/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC-over-RDMA headers with their chunk lists, as the rules need them. RFC 8166, section 4.
 */
#ifndef OUTPUT_CHECK_RPCRDMA_HEADER_H
#define OUTPUT_CHECK_RPCRDMA_HEADER_H

#include "dissect/engine/packet.h"

/* Segments of a header that are kept; further ones are counted. */
#define RPCRDMA_SEGMENTS 24

enum rpcrdma_list { RPCRDMA_READ, RPCRDMA_WRITE, RPCRDMA_REPLY };

struct rpcrdma_segment {
	uint32_t handle, length;
	uint32_t position;   /* READ; WRITE and REPLY: both halves of the offset, combined */
	uint8_t list;        /* enum rpcrdma_list */
	uint8_t chunk;       /* WRITE: number of its chunk, from 0 */
};

/* Program 0: unknown. */
struct rpcrdma_procedure {
	uint32_t program, version, number;
};

struct rpcrdma_header {
	uint32_t xid, version, credits, type;
	bool has_error, has_versions;  /* RDMA_ERROR: captured */
	uint32_t error, low, high;
	bool is_whole;                 /* the lists were captured and are all in `segments` */
	bool has_reply_chunk;
	uint32_t write_chunks, segment_count;
	struct rpcrdma_segment segments[RPCRDMA_SEGMENTS];
	const uint8_t *rpc;            /* with `is_whole`: after the lists, what the SEND has of the RPC message; borrowed from the packet */
	uint32_t rpc_offset, rpc_captured; /* bytes before it; of it, and of what follows the SEND in its frame */
	bool has_rpc;                  /* RDMA_MSG: the first words of the RPC message were captured */
	uint32_t rpc_xid, rpc_type;    /* rpc_type: 0 call, 1 reply */
	bool has_procedure;            /* of a call */
	struct rpcrdma_procedure procedure;
};

/* The length of a chunk: all segments of the list, of the read chunk at `position`, of the write chunk with number `chunk`. */
uint64_t rpcrdma_header_chunk_length(const struct rpcrdma_header *header, enum rpcrdma_list list, uint32_t position, uint32_t chunk);

/* Reads the header in a layer of RPC-over-RDMA. False: not even its fixed part was captured. */
bool rpcrdma_header_read(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rpcrdma_header *header);

#endif
