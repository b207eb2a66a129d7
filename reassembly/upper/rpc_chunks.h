/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The chunk lists of an RPC-over-RDMA header (RFC 8166, 3.4), and the memory regions that they name, which READs read and
 * WRITEs fill.
 */
#ifndef REASSEMBLY_UPPER_RPC_CHUNKS_H
#define REASSEMBLY_UPPER_RPC_CHUNKS_H

#include "reassembly/store/coverage.h"
#include "reassembly/store/tree.h"

struct rpc_call;

enum chunk_list { CHUNK_READ, CHUNK_WRITE, CHUNK_REPLY };

/* Memory of the caller under one handle. Segments that overlap share one region. */
struct rpc_region {
	struct tree_node node;    /* of those of its connection: rpc_region.c */
	struct rpc_call *call;
	uint64_t begin, end;      /* addresses */
	uint64_t furthest;        /* the highest `end` of its subtree */
	uint32_t r_key;
	uint8_t lists;            /* that name it: bits by enum chunk_list */
	bool is_read;             /* READs read it; else WRITEs fill it */
	bool is_open;             /* it is known by key and address */
	bool keep_bytes;
	uint64_t asked;           /* bytes of READs that were claimed for it, repeats too */
	struct coverage data;     /* what READs and WRITEs brought; positions count from `begin` */
	struct coverage cut;      /* what they would have, had the capture not cut it off */
	struct coverage arrived;  /* what READs have brought, captured or cut off, landed or not */
};

/* A segment: part of a chunk. RFC 8166, 3.4.3. */
struct chunk_segment {
	uint8_t list;             /* enum chunk_list */
	uint32_t chunk;           /* READ: Position; WRITE: number of the chunk, from 0 */
	uint32_t r_key, length;
	uint32_t number;          /* in the header */
	uint64_t offset;          /* address */
	struct rpc_region *region; /* of the call; NULL: none is known */
};

struct chunk_lists {
	struct chunk_segment *segments; /* in order of list and chunk; memory for `room` of them, kept for reuse when there are none */
	struct rpc_region *regions;     /* in order of is_read, key and address; likewise */
	uint32_t count, room;
	uint32_t region_count, region_room;
	uint32_t read_chunks, write_chunks;
	bool reply_chunk;
	bool not_captured;        /* the capture cut off where the segments are: none of their bytes is known */
	uint32_t header_length;   /* of the RPC-over-RDMA header */
};

/* Segments of a header: more do not fit a receive buffer of 64 KiB, and are refused. */
#define CHUNK_MAX_SEGMENTS 4096

/*
 * Reads the lists of a header of `length` bytes; `lists` is caller's memory, all zero or emptied; its segments are on the heap. False: there
 * is no memory, or the lists contradict themselves or end early; then nothing is in them, but of a header that is_cut by the capture
 * the segments that are whole.
 */
bool chunk_lists_read(struct chunk_lists *lists, const uint8_t *header, uint32_t length, bool is_cut) __attribute__((warn_unused_result));

/* Makes the regions of a call's segments, which then point to them. False: memory is out, and there are none. */
bool chunk_lists_make_regions(struct chunk_lists *lists, struct rpc_call *call) __attribute__((warn_unused_result));

struct rpc_region *chunk_lists_search_region(const struct chunk_lists *lists, bool is_read, uint32_t r_key, uint64_t address);

/* The first region of the lists that ends behind `address` under the key; NULL: none. Others of the key follow it in the array. */
static inline struct rpc_region *chunk_lists_find_region(const struct chunk_lists *lists, bool is_read, uint32_t r_key, uint64_t address)
{
	struct rpc_region *first = lists->regions;

	/* nearly always there is one */
	if (lists->region_count == 1)
		return first->r_key == r_key && first->is_read == is_read && first->end > address ? first : NULL;
	return lists->region_count ? chunk_lists_search_region(lists, is_read, r_key, address) : NULL;
}

/* The region that holds all of a segment, which can be of the reply to this call, and was named in the same list; NULL: none does. */
struct rpc_region *chunk_lists_region_of(const struct chunk_lists *lists, const struct chunk_segment *segment);

uint32_t chunk_lists_search(const struct chunk_lists *lists, enum chunk_list list, uint32_t chunk, uint32_t *first);

/* Segments of a chunk: from *first on. Returns how many. */
static inline uint32_t chunk_lists_find(const struct chunk_lists *lists, enum chunk_list list, uint32_t chunk, uint32_t *first)
{
	*first = 0;
	/* nearly always there is one, or none */
	if (lists->count <= 1)
		return lists->count && lists->segments->list == list && lists->segments->chunk == chunk;
	return chunk_lists_search(lists, list, chunk, first);
}

/* Bytes of a chunk. */
static inline uint64_t chunk_lists_length(const struct chunk_lists *lists, enum chunk_list list, uint32_t chunk)
{
	uint32_t first, count = chunk_lists_find(lists, list, chunk, &first);
	uint64_t length = 0;

	for (uint32_t i = first; i < first + count; i++)
		length += lists->segments[i].length;
	return length;
}

/* Bytes of data that the lists move: of read chunks, but that at position zero, and of write chunks. */
uint64_t chunk_lists_data(const struct chunk_lists *lists);

/* Bytes of memory that they take beyond their struct, without what regions hold. */
static inline uint64_t chunk_lists_memory(const struct chunk_lists *lists)
{
	return lists->room * sizeof *lists->segments + lists->region_room * sizeof *lists->regions;
}

void chunk_lists_empty_segments(struct chunk_lists *lists);

/* Empties them. Most have no segments. */
static inline void chunk_lists_empty(struct chunk_lists *lists)
{
	if (lists->count)
		chunk_lists_empty_segments(lists);
	lists->read_chunks = lists->write_chunks = lists->header_length = 0;
	lists->reply_chunk = lists->not_captured = false;
}

/* Empties them, and frees what was kept for reuse. */
void chunk_lists_fini(struct chunk_lists *lists);

#endif
