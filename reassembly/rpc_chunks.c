/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/cursor.h"
#include "reassembly/memory.h"
#include "reassembly/rpc_chunks.h"

#define FIXED_LENGTH 16
#define SEGMENT_LENGTH 16
#define EMPTY_LENGTH 12 /* of three lists without anything in them */
#define RDMA_NOMSG 1
#define RDMA_MSGP 2
#define MOST_KEPT 4 /* segments whose memory is kept for the next call; nearly all have fewer */
#define MAX_SEGMENTS 4096 /* a header that fits a receive buffer holds fewer */

/* A segment more, all zero; NULL: memory is out, or there are too many. */
static struct chunk_segment *add_segment(struct chunk_lists *lists)
{
	struct chunk_segment *segment;

	if (lists->count == lists->room) {
		uint32_t larger = lists->room ? lists->room * 2 : 4;
		struct chunk_segment *segments = larger <= MAX_SEGMENTS ? memory_resize(lists->segments, larger * sizeof *segments) : NULL;

		if (!segments)
			return NULL;
		lists->segments = segments;
		lists->room = larger;
	}
	segment = &lists->segments[lists->count++];
	memset(segment, 0, sizeof *segment);
	return segment;
}

static bool read_segment(struct chunk_lists *lists, struct cursor *cursor, enum chunk_list list, uint32_t chunk)
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

static bool read_chunk(struct chunk_lists *lists, struct cursor *cursor, enum chunk_list list, uint32_t chunk)
{
	uint32_t count;

	if (cursor_u32(cursor, &count) != OK || count > cursor->captured / SEGMENT_LENGTH)
		return false;
	while (count--)
		if (!read_segment(lists, cursor, list, chunk))
			return false;
	return true;
}

static bool read_lists(struct chunk_lists *lists, struct cursor *cursor)
{
	uint32_t follows = 0, position, last = UINT32_MAX;
	const uint8_t *none;

	/* nearly always there is nothing in them */
	if (cursor->captured >= EMPTY_LENGTH && !load64(cursor->next) && !load32(cursor->next + 8))
		return cursor_take(cursor, EMPTY_LENGTH, &none) == OK;
	while (cursor_u32(cursor, &follows) == OK && follows) {
		if (cursor_u32(cursor, &position) != OK || !read_segment(lists, cursor, CHUNK_READ, position))
			return false;
		lists->read_chunks += position != last;
		last = position;
	}
	while (cursor_u32(cursor, &follows) == OK && follows)
		if (!read_chunk(lists, cursor, CHUNK_WRITE, lists->write_chunks++))
			return false;
	if (cursor_u32(cursor, &follows) != OK)
		return false;
	lists->reply_chunk = follows != 0;
	return !follows || read_chunk(lists, cursor, CHUNK_REPLY, 0);
}

bool chunk_lists_read(struct chunk_lists *lists, const uint8_t *header, uint32_t length, bool is_cut)
{
	struct cursor cursor = { header, length, length };
	const uint8_t *fixed;
	uint32_t type;
	bool good;

	if (cursor_take(&cursor, FIXED_LENGTH, &fixed) != OK)
		return false;
	type = load32(fixed + 12);
	good = type <= RDMA_MSGP && (type != RDMA_MSGP || cursor_take(&cursor, 8, &fixed) == OK) && read_lists(lists, &cursor);
	lists->header_length = (uint32_t)(cursor.next - header);
	if (!good && !is_cut)
		chunk_lists_empty(lists);
	return good;
}

uint64_t chunk_lists_data(const struct chunk_lists *lists)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < lists->count; i++)
		if (lists->segments[i].list == CHUNK_WRITE || (lists->segments[i].list == CHUNK_READ && lists->segments[i].chunk))
			bytes += lists->segments[i].length;
	return bytes;
}

void chunk_lists_empty_segments(struct chunk_lists *lists)
{
	for (uint32_t i = 0; i < lists->count; i++) {
		coverage_fini(&lists->segments[i].data);
		coverage_fini(&lists->segments[i].cut);
		coverage_fini(&lists->segments[i].arrived);
	}
	lists->count = 0;
	if (lists->room <= MOST_KEPT)
		return;
	free(lists->segments);
	lists->segments = NULL;
	lists->room = 0;
}

void chunk_lists_fini(struct chunk_lists *lists)
{
	chunk_lists_empty(lists);
	free(lists->segments);
	*lists = (struct chunk_lists){ 0 };
}
