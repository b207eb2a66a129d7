/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "dissect/engine/cursor.h"
#include "dissect/rpc/rpcrdma.h"
#include "reassembly/upper/rpc_chunks.h"
#include "reassembly/upper/region.h"

#define SEGMENT_LENGTH 16
#define EMPTY_LENGTH 12 /* of three empty lists */
#define MOST_KEPT 4 /* segments kept for the next call; most calls have fewer */
#define MOST_GATHERED (1u << 20) /* most bytes of a message in chunks that the packet view shows */

/* A new segment, all zero; NULL: out of memory, or too many. */
static struct chunk_segment *add_segment(struct rpc_chunks *lists)
{
	struct chunk_segment *segment;

	if (lists->count == lists->room) {
		struct chunk_segment *segments = array_reserve(lists->segments, &lists->room, lists->count + 1, 1,
							       CHUNK_MAX_SEGMENTS, sizeof *segments);

		if (!segments)
			return NULL;
		lists->segments = segments;
	}
	segment = &lists->segments[lists->count];
	*segment = (struct chunk_segment){ .number = lists->count };
	lists->count++;
	return segment;
}

static bool read_segment(struct rpc_chunks *lists, struct cursor *cursor, enum chunk_list list, uint32_t chunk)
{
	struct chunk_segment *segment;
	const uint8_t *bytes;

	if (cursor_take(cursor, SEGMENT_LENGTH, &bytes) != OK)
		return false;
	segment = add_segment(lists);
	if (!segment)
		return false;
	segment->list = (uint8_t)list;
	segment->chunk = chunk;
	segment->r_key = load32(bytes);
	segment->length = load32(bytes + 4);
	segment->offset = load64(bytes + 8);
	return true;
}

static bool read_chunk(struct rpc_chunks *lists, struct cursor *cursor, enum chunk_list list, uint32_t chunk)
{
	uint32_t count;

	if (cursor_u32(cursor, &count) != OK)
		return false;
	/* Each segment must be present in the packet: a large count costs nothing. */
	while (count--)
		if (!read_segment(lists, cursor, list, chunk))
			return false;
	return true;
}

/* By Position. Segments of one Position, which need not be adjacent, keep their order. RFC 8166, 3.4.5. */
static int order_of_segments(const void *left, const void *right)
{
	const struct chunk_segment *a = left, *b = right;

	if (a->chunk != b->chunk)
		return a->chunk < b->chunk ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

static bool read_lists(struct rpc_chunks *lists, struct cursor *cursor)
{
	uint32_t follows = 0, position, last = 0;
	bool in_order = true;
	const uint8_t *none;

	/* Usually the lists are empty. */
	if (cursor->captured >= EMPTY_LENGTH && !load64(cursor->next) && !load32(cursor->next + 8))
		return cursor_take(cursor, EMPTY_LENGTH, &none) == OK;
	while (cursor_u32(cursor, &follows) == OK && follows) {
		if (cursor_u32(cursor, &position) != OK || !read_segment(lists, cursor, CHUNK_READ, position))
			return false;
		in_order &= position >= last;
		last = position;
	}
	if (!in_order)
		qsort(lists->segments, lists->count, sizeof *lists->segments, order_of_segments);
	for (uint32_t i = 0; i < lists->count; i++)
		lists->read_chunks += !i || lists->segments[i].chunk != lists->segments[i - 1].chunk;
	while (cursor_u32(cursor, &follows) == OK && follows)
		if (!read_chunk(lists, cursor, CHUNK_WRITE, lists->write_chunks++))
			return false;
	if (cursor_u32(cursor, &follows) != OK)
		return false;
	lists->reply_chunk = follows != 0;
	return !follows || read_chunk(lists, cursor, CHUNK_REPLY, 0);
}

bool rpc_chunks_read(struct rpc_chunks *lists, const uint8_t *header, uint32_t length, bool is_cut)
{
	struct cursor cursor = { header, length, length };
	const uint8_t *fixed;
	uint32_t type;
	bool good;

	if (cursor_take(&cursor, RPCRDMA_FIXED_LENGTH, &fixed) != OK)
		return false;
	type = load32(fixed + 12);
	good = type <= RDMA_MSGP && (type != RDMA_MSGP || cursor_take(&cursor, 8, &fixed) == OK) && read_lists(lists, &cursor);
	lists->header_length = (uint32_t)(cursor.next - header);
	if (!good && !is_cut)
		rpc_chunks_empty(lists);
	return good;
}

/* Address after the last byte. A segment cannot wrap around the address space. */
static uint64_t end_of(const struct chunk_segment *segment)
{
	return segment->length > UINT64_MAX - segment->offset ? UINT64_MAX : segment->offset + segment->length;
}

bool rpc_chunks_name(struct rtap_tracker *tracker, struct rpc_chunks *lists, struct request *request)
{
	struct region_name few[MOST_KEPT], *names = few;
	bool good;

	if (lists->count > MOST_KEPT) {
		names = memory_new(lists->count * sizeof *names);
		if (!names)
			return false;
	}
	for (uint32_t i = 0; i < lists->count; i++) {
		const struct chunk_segment *segment = &lists->segments[i];

		names[i] = (struct region_name){
			.begin = segment->offset, .end = end_of(segment), .key = segment->r_key, .number = i,
			.is_read = segment->list == CHUNK_READ, .use = (uint8_t)(1u << segment->list),
		};
	}
	good = region_create_all(tracker, request, names, lists->count);
	for (uint32_t i = 0; good && i < lists->count; i++)
		lists->segments[names[i].number].region = names[i].region;
	if (names != few)
		free(names);
	return good;
}

struct region *rpc_chunks_region_of(const struct request *request, const struct chunk_segment *segment)
{
	struct region *region = region_at(request, segment->list == CHUNK_READ, segment->r_key, segment->offset);

	return region && region->begin <= segment->offset && end_of(segment) <= region->end && region->uses & 1u << segment->list ? region : NULL;
}

/* Number of segments before those of a chunk; `after`: before those after it. */
static uint32_t place_of(const struct rpc_chunks *lists, enum chunk_list list, uint32_t chunk, bool after)
{
	uint64_t wanted = ((uint64_t)list << 32 | chunk) + after;
	uint32_t low = 0, high = lists->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (((uint64_t)lists->segments[middle].list << 32 | lists->segments[middle].chunk) < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t rpc_chunks_search(const struct rpc_chunks *lists, enum chunk_list list, uint32_t chunk, uint32_t *first)
{
	*first = place_of(lists, list, chunk, false);
	return place_of(lists, list, chunk, true) - *first;
}

/* Adds `length` bytes of a region from offset `from` on to `whole`, at `position`. False: some are missing. */
static bool add_part(struct coverage *whole, uint64_t position, const struct region *region, uint64_t from, uint64_t length)
{
	const struct coverage_run *run = coverage_runs(&region->data) + coverage_find(&region->data, from);
	uint64_t fresh;

	return run < coverage_runs(&region->data) + region->data.count && region->data.bytes && run->begin <= from && run->end >= from + length &&
	       coverage_add(whole, position, region->data.bytes + (from - region->data.origin), length, 0, COVERAGE_BYTES, &fresh);
}

bool rpc_chunks_gather(const struct rpc_chunks *lists, const struct request *request, enum chunk_list list, uint64_t at, struct coverage *whole)
{
	uint32_t first, count = rpc_chunks_find(lists, list, 0, &first);
	uint64_t end = at;

	for (uint32_t i = first; i < first + count; i++) {
		const struct chunk_segment *segment = &lists->segments[i];
		const struct region *region = rpc_chunks_region_of(request, segment);

		if (!segment->length)
			continue;
		if (!region || end - at + segment->length > MOST_GATHERED ||
		    !add_part(whole, end, region, segment->offset - region->begin, segment->length))
			return false;
		end += segment->length;
	}
	return end > at && whole->count == 1 && !coverage_runs(whole)->begin && coverage_runs(whole)->end >= end;
}

uint64_t rpc_chunks_data(const struct rpc_chunks *lists)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < lists->count; i++)
		if (lists->segments[i].list == CHUNK_WRITE || (lists->segments[i].list == CHUNK_READ && lists->segments[i].chunk))
			bytes += lists->segments[i].length;
	return bytes;
}

void rpc_chunks_empty_segments(struct rpc_chunks *lists)
{
	lists->count = 0;
	if (lists->room > MOST_KEPT) {
		free(lists->segments);
		lists->segments = NULL;
		lists->room = 0;
	}
}

void rpc_chunks_fini(struct rpc_chunks *lists)
{
	rpc_chunks_empty(lists);
	free(lists->segments);
	*lists = (struct rpc_chunks){ 0 };
}
