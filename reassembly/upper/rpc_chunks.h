/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The chunk lists of an RPC-over-RDMA header (RFC 8166, 3.4), the memory that they name, and the XDR stream of a call or reply: the inline
 * part of its SEND and the data of its chunks, as extents of bytes that are kept elsewhere, and holes.
 */
#ifndef REASSEMBLY_UPPER_RPC_CHUNKS_H
#define REASSEMBLY_UPPER_RPC_CHUNKS_H

#include "dissect/rpc/xdr.h"
#include "reassembly/upper/request.h"

struct rpc_send;

enum chunk_list { CHUNK_READ, CHUNK_WRITE, CHUNK_REPLY };

/* A segment of a chunk. RFC 8166, 3.4.3. */
struct chunk_segment {
	uint8_t list;             /* enum chunk_list */
	uint32_t chunk;           /* READ: Position; WRITE: index of the chunk */
	uint32_t r_key, length;
	uint32_t number;          /* index in the header */
	uint64_t offset;          /* address */
};

struct rpc_chunks {
	struct chunk_segment *segments; /* in order of list and chunk; `room` entries allocated, kept for reuse when empty */
	uint32_t count, room;
	uint32_t read_chunks, write_chunks;
	bool reply_chunk;
	bool not_captured;        /* the capture truncated the segments: none of their bytes is known */
	uint32_t header_length;   /* of the RPC-over-RDMA header */
};

/* Most segments of a header: more do not fit into a receive buffer of 64 KiB and are refused. */
#define CHUNK_MAX_SEGMENTS 4096

/*
 * Reads the lists of a header of `length` bytes. `lists` is the caller's memory, all zero or emptied; segments are on the
 * heap. False: out of memory, or the lists are inconsistent or truncated. `lists` is empty then, or if is_cut (truncated by
 * the capture) has the complete segments.
 */
bool rpc_chunks_read(struct rpc_chunks *lists, const uint8_t *header, uint32_t length, bool is_cut) __attribute__((warn_unused_result));

/* Names the memory of a call's segments: regions with one bit for each enum chunk_list in `uses`. False: out of memory, no regions. */
bool rpc_chunks_announce(struct rtap_tracker *tracker, const struct rpc_chunks *lists, struct request *request) __attribute__((warn_unused_result));

/* The region that contains the whole segment of this call, or of a reply to it, and was named in the same list; NULL: none. */
struct region *rpc_chunks_region_of(const struct request *request, const struct chunk_segment *segment);

uint32_t rpc_chunks_search(const struct rpc_chunks *lists, enum chunk_list list, uint32_t chunk, uint32_t *first);

/* Segments of a chunk, from *first on. Returns their number. */
static inline uint32_t rpc_chunks_find(const struct rpc_chunks *lists, enum chunk_list list, uint32_t chunk, uint32_t *first)
{
	*first = 0;
	/* Usually there is one or none. */
	if (lists->count <= 1)
		return lists->count && lists->segments->list == list && lists->segments->chunk == chunk;
	return rpc_chunks_search(lists, list, chunk, first);
}

/* Length of a chunk in bytes. */
static inline uint64_t rpc_chunks_length(const struct rpc_chunks *lists, enum chunk_list list, uint32_t chunk)
{
	uint32_t first, count = rpc_chunks_find(lists, list, chunk, &first);
	uint64_t length = 0;

	for (uint32_t i = first; i < first + count; i++)
		length += lists->segments[i].length;
	return length;
}

/*
 * Appends the data of a chunk, in the request's memory, to `whole` at `at`. False: bytes between the beginning of `whole` and the end of
 * the chunk are missing, or they are too many.
 */
bool rpc_chunks_gather(const struct rpc_chunks *lists, const struct request *request, enum chunk_list list, uint64_t at, struct coverage *whole);

/* Bytes of data that the lists transfer: read chunks, except those at position zero, and write chunks. */
uint64_t rpc_chunks_data(const struct rpc_chunks *lists);

/* Bytes allocated beyond the struct. */
static inline uint64_t rpc_chunks_memory(const struct rpc_chunks *lists)
{
	return lists->room * sizeof *lists->segments;
}

void rpc_chunks_empty_segments(struct rpc_chunks *lists);

/* Empties the lists. Most have no segments. */
static inline void rpc_chunks_empty(struct rpc_chunks *lists)
{
	if (lists->count)
		rpc_chunks_empty_segments(lists);
	lists->read_chunks = lists->write_chunks = lists->header_length = 0;
	lists->reply_chunk = lists->not_captured = false;
}

/* Empties the lists and frees the memory kept for reuse. */
void rpc_chunks_fini(struct rpc_chunks *lists);

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
uint32_t rpc_stream_extents(const struct rpc_chunks *lists, const struct request *request);

/* Appends the inline part of a SEND from `from` to `to`; its end may be truncated. */
void rpc_stream_add_inline(struct rpc_stream *stream, const struct rpc_send *send, uint64_t from, uint64_t to);

/* Appends the data of a chunk of the list, which is in the request's regions, and its holes. */
void rpc_stream_add_chunk(struct rpc_stream *stream, const struct rpc_chunks *lists, const struct request *request, enum chunk_list list, uint32_t chunk);

/*
 * A call's stream: the inline part or the chunk at position zero, with the other read chunks inserted at their Positions,
 * which count in the whole stream. A chunk of odd length lacks its padding. RFC 8166, 3.4.5.
 */
void rpc_stream_build_call(struct rpc_stream *whole, const struct rpc_send *send, const struct request *request);

#endif
