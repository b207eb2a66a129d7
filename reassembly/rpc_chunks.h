/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The chunk lists of an RPC-over-RDMA header (RFC 8166, 3.4), and the memory regions that they name, into which READs and
 * WRITEs land.
 */
#ifndef REASSEMBLY_RPC_CHUNKS_H
#define REASSEMBLY_RPC_CHUNKS_H

#include "reassembly/coverage.h"

struct rpc_call;

enum chunk_list { CHUNK_READ, CHUNK_WRITE, CHUNK_REPLY };

/* A segment: part of a chunk. RFC 8166, 3.4.3. */
struct chunk_segment {
	uint8_t list;             /* enum chunk_list */
	uint32_t chunk;           /* READ: Position; WRITE: number of the chunk, from 0 */
	uint32_t r_key, length;
	uint64_t offset;          /* address */
	struct coverage data;     /* what landed there; positions count from `offset` */
	struct coverage cut;      /* what would have, had the capture not cut it off */
	struct coverage arrived;  /* READ: what READs have brought, captured or cut off, landed or not */
	bool keep_bytes;
	uint64_t first_frame, last_frame; /* that brought something */
	/* index */
	struct rpc_call *call;
	uint64_t hash;
	struct chunk_segment *same_key; /* older ones with the same key */
};

struct chunk_lists {
	struct chunk_segment *segments; /* memory for `room` of them, kept for reuse when there are none */
	uint32_t count, room;
	uint32_t read_chunks, write_chunks;
	bool reply_chunk;
	uint32_t header_length;   /* of the RPC-over-RDMA header */
};

/*
 * Reads the lists of a header of `length` bytes; `lists` is caller's memory, all zero or emptied; its segments are on the heap. False: there
 * is no memory, or the lists contradict themselves or end early; then nothing is in them, but of a header that is_cut by the capture
 * the segments that are whole.
 */
bool chunk_lists_read(struct chunk_lists *lists, const uint8_t *header, uint32_t length, bool is_cut) __attribute__((warn_unused_result));

/* Bytes of data that the lists move: of read chunks, but that at position zero, and of write chunks. */
uint64_t chunk_lists_data(const struct chunk_lists *lists);

void chunk_lists_empty_segments(struct chunk_lists *lists);

/* Empties them. Most have no segments. */
static inline void chunk_lists_empty(struct chunk_lists *lists)
{
	if (lists->count)
		chunk_lists_empty_segments(lists);
	lists->read_chunks = lists->write_chunks = lists->header_length = 0;
	lists->reply_chunk = false;
}

/* Empties them, and frees what was kept for reuse. */
void chunk_lists_fini(struct chunk_lists *lists);

#endif
