/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The chunk lists of an RPC-over-RDMA header (RFC 8166, 3.4), and the memory regions that they name, which are read by READs
 * and filled by WRITEs.
 */
#ifndef REASSEMBLY_UPPER_RPC_CHUNKS_H
#define REASSEMBLY_UPPER_RPC_CHUNKS_H

#include "reassembly/store/coverage.h"
#include "reassembly/store/tree.h"

struct rpc_call;

enum chunk_list { CHUNK_READ, CHUNK_WRITE, CHUNK_REPLY };

/* Memory of the caller with one handle. Overlapping segments share a region. */
struct rpc_region {
	struct tree_node node;    /* in the tree of its connection: rpc_region.c */
	struct rpc_call *call;
	uint64_t begin, end;      /* addresses */
	uint64_t furthest;        /* highest `end` of its subtree */
	uint32_t r_key;
	uint8_t lists;            /* lists that name it, one bit for each enum chunk_list */
	bool is_read;             /* true: read by READs; false: filled by WRITEs */
	bool is_open;             /* it is found by key and address */
	bool keep_bytes;
	uint64_t asked;           /* bytes of READs and WRITEs claimed for it, except WRITEs of iWARP */
	struct coverage data;     /* data of READs and WRITEs; positions count from `begin` */
	struct coverage cut;      /* data of READs and WRITEs that the capture truncated */
	struct coverage arrived;  /* data of READs that arrived, captured or truncated, copied here or not */
};

/* A segment of a chunk. RFC 8166, 3.4.3. */
struct chunk_segment {
	uint8_t list;             /* enum chunk_list */
	uint32_t chunk;           /* READ: Position; WRITE: index of the chunk */
	uint32_t r_key, length;
	uint32_t number;          /* index in the header */
	uint64_t offset;          /* address */
	struct rpc_region *region; /* of the call; NULL: unknown */
};

struct chunk_lists {
	struct chunk_segment *segments; /* in order of list and chunk; `room` entries allocated, kept for reuse when empty */
	struct rpc_region *regions;     /* in order of is_read, key and address; kept likewise */
	uint32_t count, room;
	uint32_t region_count, region_room;
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
bool chunk_lists_read(struct chunk_lists *lists, const uint8_t *header, uint32_t length, bool is_cut) __attribute__((warn_unused_result));

/* Creates the regions of a call's segments and sets the segments' pointers. False: out of memory, no regions. */
bool chunk_lists_make_regions(struct chunk_lists *lists, struct rpc_call *call) __attribute__((warn_unused_result));

struct rpc_region *chunk_lists_search_region(const struct chunk_lists *lists, bool is_read, uint32_t r_key, uint64_t address);

/*
 * The first region of the lists with the key that ends after `address`; NULL: none. Others with the key follow it in the
 * array.
 */
static inline struct rpc_region *chunk_lists_find_region(const struct chunk_lists *lists, bool is_read, uint32_t r_key, uint64_t address)
{
	struct rpc_region *first = lists->regions;

	/* Usually there is one. */
	if (lists->region_count == 1)
		return first->r_key == r_key && first->is_read == is_read && first->end > address ? first : NULL;
	return lists->region_count ? chunk_lists_search_region(lists, is_read, r_key, address) : NULL;
}

/* The region that contains the whole segment of a reply to this call and was named in the same list; NULL: none. */
struct rpc_region *chunk_lists_region_of(const struct chunk_lists *lists, const struct chunk_segment *segment);

uint32_t chunk_lists_search(const struct chunk_lists *lists, enum chunk_list list, uint32_t chunk, uint32_t *first);

/* Segments of a chunk, from *first on. Returns their number. */
static inline uint32_t chunk_lists_find(const struct chunk_lists *lists, enum chunk_list list, uint32_t chunk, uint32_t *first)
{
	*first = 0;
	/* Usually there is one or none. */
	if (lists->count <= 1)
		return lists->count && lists->segments->list == list && lists->segments->chunk == chunk;
	return chunk_lists_search(lists, list, chunk, first);
}

/* Length of a chunk in bytes. */
static inline uint64_t chunk_lists_length(const struct chunk_lists *lists, enum chunk_list list, uint32_t chunk)
{
	uint32_t first, count = chunk_lists_find(lists, list, chunk, &first);
	uint64_t length = 0;

	for (uint32_t i = first; i < first + count; i++)
		length += lists->segments[i].length;
	return length;
}

/* Bytes of data that the lists transfer: read chunks, except those at position zero, and write chunks. */
uint64_t chunk_lists_data(const struct chunk_lists *lists);

/* Bytes allocated beyond the struct, without the data of regions. */
static inline uint64_t chunk_lists_memory(const struct chunk_lists *lists)
{
	return lists->room * sizeof *lists->segments + lists->region_room * sizeof *lists->regions;
}

void chunk_lists_empty_segments(struct chunk_lists *lists);

/* Empties the lists. Most have no segments. */
static inline void chunk_lists_empty(struct chunk_lists *lists)
{
	if (lists->count)
		chunk_lists_empty_segments(lists);
	lists->read_chunks = lists->write_chunks = lists->header_length = 0;
	lists->reply_chunk = lists->not_captured = false;
}

/* Empties the lists and frees the memory kept for reuse. */
void chunk_lists_fini(struct chunk_lists *lists);

#endif
