/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/rpc_call.h"
#include "reassembly/upper/rpc_stream.h"

#define SPARE_EXTENTS 8
#define MOST_EXTENTS 65536 /* per message; most have one. Enough for many lost packets */

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

uint32_t rpc_stream_extents(const struct rpc_chunks *lists)
{
	uint32_t extents = SPARE_EXTENTS;

	for (uint32_t i = 0; lists && i < lists->count && extents < MOST_EXTENTS; i++) {
		const struct chunk_segment *segment = &lists->segments[i];
		const struct region *region = segment->region;
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
static void add_segments(struct rpc_stream *stream, const struct rpc_chunks *lists, uint32_t first, uint32_t count)
{
	const struct chunk_segment *segments = lists->segments + first;

	for (uint32_t i = 0; i < count && !stream->failed;) {
		const struct region *region = segments[i].region;
		uint64_t begin = segments[i].offset, length = segments[i].length;

		for (i++; i < count && region && segments[i].region == region && segments[i].offset == begin + length; i++)
			length += segments[i].length;
		if (region)
			add_region(stream, region, begin - region->begin, begin - region->begin + length);
		else
			rpc_stream_add(stream, (struct xdr_extent){ XDR_HOLE, NULL, lists->not_captured ? RPC_STREAM_CUT_OFF : 0, length });
	}
}

void rpc_stream_add_chunk(struct rpc_stream *stream, const struct rpc_chunks *lists, enum chunk_list list, uint32_t chunk)
{
	uint32_t first, count = rpc_chunks_find(lists, list, chunk, &first);

	add_segments(stream, lists, first, count);
}

void rpc_stream_build_call(struct rpc_stream *whole, const struct rpc_send *send)
{
	const struct rpc_chunks *lists = &send->lists;
	struct rpc_stream base = { 0 };
	uint32_t first, count = rpc_chunks_find(lists, CHUNK_READ, 0, &first), at = 0;
	uint64_t zero = rpc_chunks_length(lists, CHUNK_READ, 0), used = 0;

	/* RFC 8166, 3.5.3: an inline part beside such a chunk has no position. */
	whole->failed = zero && send->wire > lists->header_length;
	if (zero)
		rpc_stream_add_chunk(&base, lists, CHUNK_READ, 0);
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
		add_segments(whole, lists, first, count);
		rpc_stream_add(whole, xdr_padding((uint32_t)length));
	}
	for (; at < base.count && whole->count < MOST_EXTENTS; at++, used = 0)
		rpc_stream_add(whole, (struct xdr_extent){ base.extents[at].kind, base.extents[at].bytes ? base.extents[at].bytes + used : NULL,
						 used && base.extents[at].kind != XDR_HOLE ? 0 : base.extents[at].offset,
						 base.extents[at].length - used });
	whole->failed |= base.failed;
	rpc_stream_fini(&base);
}
