/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The XDR stream of a call or reply: the inline part of its SEND and the data of its chunks, as extents of bytes that are kept
 * elsewhere, and holes.
 */
#ifndef REASSEMBLY_UPPER_RPC_STREAM_H
#define REASSEMBLY_UPPER_RPC_STREAM_H

#include "dissect/rpc/xdr.h"
#include "reassembly/upper/rpc_chunks.h"

struct rpc_send;

#define RPC_STREAM_BORROWED_EXTENTS 24

/* A stream of extents being built. Usually a few suffice, and borrowed memory is enough: RPC_STREAM_BORROWED(memory). */
struct rpc_stream {
	struct xdr_extent *borrowed; /* RPC_STREAM_BORROWED_EXTENTS; or NULL */
	struct xdr_extent *extents; /* `borrowed`, or on the heap; NULL: none yet */
	uint32_t count, room;
	uint64_t length;
	bool failed;
};

#define RPC_STREAM_BORROWED(memory) { .borrowed = (memory), .extents = (memory), .room = RPC_STREAM_BORROWED_EXTENTS }

#define RPC_STREAM_CUT_OFF (UINT64_C(1) << 63) /* flag in the offset of an XDR_HOLE or a part of it: truncated by the capture */

/* Makes room for so many extents in all. False: out of memory; the stream has failed. */
bool rpc_stream_reserve(struct rpc_stream *stream, uint32_t room);

void rpc_stream_fini(struct rpc_stream *stream);

/* Appends an extent. The offset of an XDR_ELSEWHERE can hold the CRC of its bytes. */
void rpc_stream_add(struct rpc_stream *stream, struct xdr_extent extent);

/* Most extents of a list's chunks, including those needed to insert them. */
uint32_t rpc_stream_extents(const struct rpc_chunks *lists);

/* Appends the inline part of a SEND from `from` to `to`; its end may be truncated. */
void rpc_stream_add_inline(struct rpc_stream *stream, const struct rpc_send *send, uint64_t from, uint64_t to);

/* Appends the data of a chunk of the list. */
void rpc_stream_add_chunk(struct rpc_stream *stream, const struct rpc_chunks *lists, enum chunk_list list, uint32_t chunk);

/*
 * A call's stream: the inline part or the chunk at position zero, with the other read chunks inserted at their Positions,
 * which count in the whole stream. A chunk of odd length lacks its padding. RFC 8166, 3.4.5.
 */
void rpc_stream_build_call(struct rpc_stream *whole, const struct rpc_send *send);

#endif
