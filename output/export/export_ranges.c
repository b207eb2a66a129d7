/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "output/export/export_ranges.h"

#define FIRST_ROOM 4

/* Index of the first range that ends after `offset`. */
static uint32_t first_after(const struct ranges *ranges, uint64_t offset)
{
	uint32_t low = 0, high = ranges->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ranges->at[middle].end > offset)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool reserve(struct ranges *ranges, uint32_t count)
{
	struct range *larger = array_reserve(ranges->at, &ranges->room, count, FIRST_ROOM, RANGES_MAX, sizeof *larger);

	if (larger)
		ranges->at = larger;
	return larger;
}

bool ranges_set(struct ranges *ranges, uint64_t begin, uint64_t end, unsigned state)
{
	struct range pieces[3], fresh = { begin, end, (uint8_t)state };
	uint32_t from, to, count = 0;

	if (begin >= end)
		return true;
	from = first_after(ranges, begin);
	if (from && ranges->at[from - 1].end == begin && ranges->at[from - 1].state == state)
		from--;
	for (to = from; to < ranges->count && ranges->at[to].begin < end; to++)
		continue;
	if (to < ranges->count && ranges->at[to].begin == end && ranges->at[to].state == state)
		to++;
	if (from < to && ranges->at[from].begin < begin) {
		if (ranges->at[from].state == state)
			fresh.begin = ranges->at[from].begin;
		else
			pieces[count++] = (struct range){ ranges->at[from].begin, begin, ranges->at[from].state };
	}
	if (from < to && ranges->at[to - 1].end > end && ranges->at[to - 1].state == state)
		fresh.end = ranges->at[to - 1].end;
	pieces[count++] = fresh;
	if (from < to && ranges->at[to - 1].end > fresh.end)
		pieces[count++] = (struct range){ end, ranges->at[to - 1].end, ranges->at[to - 1].state };
	if (!reserve(ranges, ranges->count - (to - from) + count))
		return false;
	memmove(&ranges->at[from + count], &ranges->at[to], (ranges->count - to) * sizeof *ranges->at);
	memcpy(&ranges->at[from], pieces, count * sizeof *pieces);
	ranges->count += count - (to - from);
	return true;
}

bool ranges_fill(struct ranges *ranges, uint64_t begin, uint64_t end, unsigned state)
{
	while (begin < end) {
		bool known;
		struct range here = ranges_at(ranges, begin, &known);

		if (here.end > end)
			here.end = end;
		if (!known && !ranges_set(ranges, begin, here.end, state))
			return false;
		begin = here.end;
	}
	return true;
}

void ranges_spoil(struct ranges *ranges, uint64_t begin, uint64_t end, unsigned state)
{
	uint32_t from = first_after(ranges, begin), kept = from, i;

	for (i = from; i < ranges->count && ranges->at[i].begin < end; i++) {
		ranges->at[i].state = (uint8_t)state;
		if (kept > from && ranges->at[kept - 1].end == ranges->at[i].begin)
			ranges->at[kept - 1].end = ranges->at[i].end;
		else
			ranges->at[kept++] = ranges->at[i];
	}
	memmove(&ranges->at[kept], &ranges->at[i], (ranges->count - i) * sizeof *ranges->at);
	ranges->count -= i - kept;
}

void ranges_cut(struct ranges *ranges, uint64_t size)
{
	uint32_t from = first_after(ranges, size);

	if (from < ranges->count && ranges->at[from].begin < size)
		ranges->at[from++].end = size;
	ranges->count = from;
}

struct range ranges_at(const struct ranges *ranges, uint64_t offset, bool *known)
{
	uint32_t i = first_after(ranges, offset);

	*known = i < ranges->count && ranges->at[i].begin <= offset;
	if (*known)
		return (struct range){ offset, ranges->at[i].end, ranges->at[i].state };
	return (struct range){ offset, i < ranges->count ? ranges->at[i].begin : UINT64_MAX, 0 };
}

void ranges_fini(struct ranges *ranges)
{
	free(ranges->at);
	*ranges = (struct ranges){ 0 };
}
