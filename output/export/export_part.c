/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/export/export_part.h"

/* Finds the extent that contains `at`, and sets cursor->extent_begin. NULL: the message ends before `at`. */
static const struct xdr_extent *extent_at(struct part_cursor *cursor, const struct rpc_part *part, uint64_t at)
{
	if (cursor->part != part || cursor->extent_begin > at)
		*cursor = (struct part_cursor){ .part = part };
	while (cursor->extent < part->extent_count) {
		const struct xdr_extent *extent = &part->extents[cursor->extent];

		if (at - cursor->extent_begin < extent->length)
			return extent;
		cursor->extent_begin += extent->length;
		cursor->extent++;
	}
	return NULL;
}

/* Why bytes of an extent are missing, and the end of the range with this reason. */
static unsigned reason_at(const struct rpc_part *part, const struct xdr_extent *extent, uint64_t at, uint64_t *end)
{
	uint32_t low = 0, high = part->missing_count;

	if (extent->kind == XDR_ELSEWHERE)
		return RTAP_MISSING_EVICTED;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (part->missing[middle].offset <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < part->missing_count && part->missing[low].offset < *end)
		*end = part->missing[low].offset;
	return low ? part->missing[low - 1].reason : RTAP_MISSING_NOT_CAPTURED;
}

const uint8_t *part_piece(struct part_cursor *cursor, const struct rpc_part *part, uint64_t at, uint64_t *end, unsigned *reason)
{
	const struct xdr_extent *extent = extent_at(cursor, part, at);

	*reason = part->missing_count ? part->missing[part->missing_count - 1].reason : RTAP_MISSING_NOT_CAPTURED;
	if (!extent)
		return NULL;
	if (cursor->extent_begin + extent->length < *end)
		*end = cursor->extent_begin + extent->length;
	if (extent->kind == XDR_BYTES)
		return extent->bytes + (at - cursor->extent_begin);
	*reason = reason_at(part, extent, at, end);
	return NULL;
}
