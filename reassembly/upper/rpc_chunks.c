/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "dissect/engine/cursor.h"
#include "dissect/rpc/rpcrdma.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/rpc_call.h"
#include "reassembly/upper/rpc_chunks.h"

#define SEGMENT_LENGTH 16
#define EMPTY_LENGTH 12 /* of three empty lists */
#define MOST_KEPT 4 /* segments kept for the next call; most calls have fewer */
#define MOST_GATHERED (1u << 20) /* most bytes of a message in chunks that the packet view shows */
#define SPARE_EXTENTS 8
#define MOST_EXTENTS 65536 /* per message; most have one. Enough for many lost packets */

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

bool rpc_chunks_announce(struct rtap_tracker *tracker, const struct rpc_chunks *lists, struct request *request)
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

bool rpc_stream_reserve(struct rpc_stream *stream, uint32_t room)
{
	bool moves = stream->extents && stream->extents == stream->borrowed;
	struct xdr_extent *larger;

	larger = memory_resize(moves ? NULL : stream->extents, room * sizeof *larger);
	if (!larger) {
		stream->failed = true;
		return false;
	}
	if (moves)
		memcpy(larger, stream->borrowed, stream->count * sizeof *larger);
	stream->extents = larger;
	stream->room = room;
	return true;
}

void rpc_stream_fini(struct rpc_stream *stream)
{
	if (stream->extents != stream->borrowed)
		free(stream->extents);
}

void rpc_stream_add(struct rpc_stream *stream, struct xdr_extent extent)
{
	if (!extent.length)
		return;
	if (stream->count == MOST_EXTENTS) {
		stream->failed = true;
		return;
	}
	if (stream->count == stream->room && !rpc_stream_reserve(stream, stream->room ? stream->room * 2 : RPC_STREAM_BORROWED_EXTENTS))
		return;
	stream->extents[stream->count++] = extent;
	stream->length += extent.length;
}

/* Missing bytes of a region, from `at` to `end`: truncated, or not captured. */
static void add_hole(struct rpc_stream *stream, const struct region *region, uint64_t at, uint64_t end)
{
	const struct coverage_run *cuts = coverage_runs(&region->cut);

	for (uint32_t i = coverage_find(&region->cut, at); i < region->cut.count && cuts[i].begin < end; i++) {
		uint64_t begin = cuts[i].begin > at ? cuts[i].begin : at, stop = cuts[i].end < end ? cuts[i].end : end;

		rpc_stream_add(stream, (struct xdr_extent){ XDR_HOLE, NULL, 0, begin - at });
		rpc_stream_add(stream, (struct xdr_extent){ XDR_HOLE, NULL, RPC_STREAM_CUT_OFF, stop - begin });
		at = stop;
	}
	if (at < end)
		rpc_stream_add(stream, (struct xdr_extent){ XDR_HOLE, NULL, 0, end - at });
}

/* A region from `at` to `end`: its data and holes. */
static void add_region(struct rpc_stream *stream, const struct region *region, uint64_t at, uint64_t end)
{
	const struct coverage *data = &region->data;
	const struct coverage_run *runs = coverage_runs(data);

	for (uint32_t i = coverage_find(data, at); i < data->count && runs[i].begin < end && !stream->failed; i++) {
		uint64_t stop = runs[i].end < end ? runs[i].end : end;
		bool whole = runs[i].begin >= at && runs[i].end <= end && runs[i].crc_known;

		if (runs[i].begin > at) {
			add_hole(stream, region, at, runs[i].begin);
			at = runs[i].begin;
		}
		if (data->bytes)
			rpc_stream_add(stream, (struct xdr_extent){ XDR_BYTES, data->bytes + (at - data->origin), 0, stop - at });
		else
			/* The CRC is that of the run if all of it is used. */
			rpc_stream_add(stream, (struct xdr_extent){ XDR_ELSEWHERE, NULL, whole ? UINT64_C(1) << 32 | runs[i].crc : 0, stop - at });
		at = stop;
	}
	if (at < end)
		add_hole(stream, region, at, end);
}

uint32_t rpc_stream_extents(const struct rpc_chunks *lists, const struct request *request)
{
	uint32_t extents = SPARE_EXTENTS;

	for (uint32_t i = 0; lists && i < lists->count && extents < MOST_EXTENTS; i++) {
		const struct chunk_segment *segment = &lists->segments[i];
		const struct region *region = rpc_chunks_region_of(request, segment);
		uint64_t begin = region ? segment->offset - region->begin : 0, end = begin + segment->length;

		extents += 4;
		if (region)
			extents += 2 * (coverage_find(&region->data, end) - coverage_find(&region->data, begin) +
					coverage_find(&region->cut, end) - coverage_find(&region->cut, begin));
	}
	return extents < MOST_EXTENTS ? extents : MOST_EXTENTS;
}

void rpc_stream_add_inline(struct rpc_stream *stream, const struct rpc_send *send, uint64_t from, uint64_t to)
{
	uint64_t captured = send->captured < to ? send->captured : to;

	if (from < captured)
		rpc_stream_add(stream, (struct xdr_extent){ XDR_BYTES, send->bytes + from, 0, captured - from });
	if (captured < to)
		rpc_stream_add(stream, (struct xdr_extent){ XDR_HOLE, NULL, RPC_STREAM_CUT_OFF, to - (from > captured ? from : captured) });
}

/* Joins segments that are adjacent in memory, as READs and WRITEs can span them. */
static void add_segments(struct rpc_stream *stream, const struct rpc_chunks *lists, const struct request *request, uint32_t first, uint32_t count)
{
	const struct chunk_segment *segments = lists->segments;
	uint32_t end = first + count;

	for (uint32_t i = first; i < end && !stream->failed;) {
		const struct region *region = rpc_chunks_region_of(request, &segments[i]);
		uint64_t begin = segments[i].offset, length = segments[i].length;

		for (i++; i < end && region && segments[i].offset == begin + length && rpc_chunks_region_of(request, &segments[i]) == region; i++)
			length += segments[i].length;
		if (region)
			add_region(stream, region, begin - region->begin, begin - region->begin + length);
		else
			rpc_stream_add(stream, (struct xdr_extent){ XDR_HOLE, NULL, lists->not_captured ? RPC_STREAM_CUT_OFF : 0, length });
	}
}

void rpc_stream_add_chunk(struct rpc_stream *stream, const struct rpc_chunks *lists, const struct request *request, enum chunk_list list, uint32_t chunk)
{
	uint32_t first, count = rpc_chunks_find(lists, list, chunk, &first);

	add_segments(stream, lists, request, first, count);
}

bool rpc_chunks_gather(const struct rpc_chunks *lists, const struct request *request, enum chunk_list list, uint64_t at, struct coverage *whole)
{
	struct xdr_extent borrowed[RPC_STREAM_BORROWED_EXTENTS];
	struct rpc_stream chunk = RPC_STREAM_BORROWED(borrowed);
	uint64_t fresh, end = at;
	bool good;

	rpc_stream_add_chunk(&chunk, lists, request, list, 0);
	good = !chunk.failed && chunk.length && chunk.length <= MOST_GATHERED;
	for (uint32_t i = 0; good && i < chunk.count; end += chunk.extents[i++].length)
		good = chunk.extents[i].kind == XDR_BYTES &&
		       coverage_add(whole, end, chunk.extents[i].bytes, chunk.extents[i].length, 0, COVERAGE_BYTES, &fresh);
	rpc_stream_fini(&chunk);
	return good && whole->count == 1 && !coverage_runs(whole)->begin && coverage_runs(whole)->end >= end;
}

void rpc_stream_build_call(struct rpc_stream *whole, const struct rpc_send *send, const struct request *request)
{
	const struct rpc_chunks *lists = &send->lists;
	struct rpc_stream base = { 0 };
	uint32_t first, count = rpc_chunks_find(lists, CHUNK_READ, 0, &first), at = 0;
	uint64_t zero = rpc_chunks_length(lists, CHUNK_READ, 0), used = 0;

	/* RFC 8166, 3.5.3: an inline part beside such a chunk has no position. */
	whole->failed = zero && send->wire > lists->header_length;
	if (zero)
		rpc_stream_add_chunk(&base, lists, request, CHUNK_READ, 0);
	else
		rpc_stream_add_inline(&base, send, lists->header_length, send->wire);
	/* The others follow in the order of their Positions. */
	for (first += count; first < lists->count && lists->segments[first].list == CHUNK_READ; first += count) {
		uint32_t position = lists->segments[first].chunk;
		uint64_t length = 0;

		/* the base stream up to this Position */
		while (at < base.count && whole->length < position) {
			struct xdr_extent extent = base.extents[at];
			uint64_t take = extent.length - used < position - whole->length ? extent.length - used : position - whole->length;

			rpc_stream_add(whole, (struct xdr_extent){ extent.kind, extent.bytes ? extent.bytes + used : NULL,
							 take == extent.length || extent.kind == XDR_HOLE ? extent.offset : 0, take });
			used += take;
			if (used == extent.length) {
				at++;
				used = 0;
			}
		}
		if (whole->length < position || position == UINT32_MAX || whole->failed) {
			whole->failed = true; /* The Position is beyond the end, or invalid: 3.4.5. */
			break;
		}
		for (count = 0; first + count < lists->count && lists->segments[first + count].list == CHUNK_READ &&
				lists->segments[first + count].chunk == position; count++)
			length += lists->segments[first + count].length;
		add_segments(whole, lists, request, first, count);
		rpc_stream_add(whole, xdr_padding((uint32_t)length));
	}
	for (; at < base.count && whole->count < MOST_EXTENTS; at++, used = 0)
		rpc_stream_add(whole, (struct xdr_extent){ base.extents[at].kind, base.extents[at].bytes ? base.extents[at].bytes + used : NULL,
						 used && base.extents[at].kind != XDR_HOLE ? 0 : base.extents[at].offset,
						 base.extents[at].length - used });
	whole->failed |= base.failed;
	rpc_stream_fini(&base);
}
