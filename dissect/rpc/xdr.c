/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cursor over extents. RFC 4506.
 */
#include "config.h"

#include "dissect/rpc/xdr.h"

/* Makes extent `at` the present one, with the cursor `within` bytes into it; position is already right. */
static void stand_in(struct xdr *xdr, uint32_t at, uint64_t within)
{
	const struct xdr_extent *extent = &xdr->extents[at];

	xdr->at = at;
	xdr->extent_end = xdr->position - within + extent->length;
	xdr->next = xdr->end = NULL;
	if (extent->kind == XDR_BYTES && extent->length) {
		xdr->next = extent->bytes + within;
		xdr->end = extent->bytes + extent->length;
	}
}

/* Advances to the next non-empty extent. False: none. */
static bool go_on(struct xdr *xdr)
{
	while (xdr->position == xdr->extent_end) {
		if (xdr->at + 1 >= xdr->count)
			return false;
		stand_in(xdr, xdr->at + 1, 0);
	}
	return true;
}

void xdr_init(struct xdr *xdr, struct xdr_extent *extents, uint32_t count, uint32_t room)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < count; i++)
		total += extents[i].length;
	*xdr = (struct xdr){ .limit = UINT64_MAX, .total = total, .extents = extents, .count = count, .room = room };
	if (count)
		stand_in(xdr, 0, 0);
}

/* Moves by at most `length` bytes within one extent; returns their number. Bytes must be left. */
static uint64_t step(struct xdr *xdr, uint64_t length)
{
	uint64_t here;

	go_on(xdr);
	here = xdr->extent_end - xdr->position;
	if (here > length)
		here = length;
	xdr->position += here;
	if (xdr->next)
		xdr->next += here;
	return here;
}

enum result xdr_skip_across(struct xdr *xdr, uint64_t length)
{
	if (length > xdr_left(xdr))
		return MALFORMED;
	while (length)
		length -= step(xdr, length);
	return OK;
}

/* Copies bytes of several extents. TRUNCATED if some are not in memory. */
static enum result gather(struct xdr *xdr, uint8_t *copy, uint64_t length)
{
	while (length) {
		const uint8_t *from;
		uint64_t taken;

		go_on(xdr);
		from = xdr->next;
		if (!from)
			return TRUNCATED;
		taken = step(xdr, length);
		memcpy(copy, from, taken);
		copy += taken;
		length -= taken;
	}
	return OK;
}

static enum result read_across(struct xdr *xdr, uint8_t *copy, uint32_t length)
{
	struct xdr before = *xdr;
	enum result result;

	if (length > xdr_left(xdr))
		return MALFORMED;
	result = gather(xdr, copy, length);
	if (result != OK)
		*xdr = before;
	return result;
}

enum result xdr_u32_across(struct xdr *xdr, uint32_t *value)
{
	uint8_t copy[4];
	enum result result = read_across(xdr, copy, sizeof copy);

	if (result == OK)
		*value = load32(copy);
	return result;
}

enum result xdr_u64_across(struct xdr *xdr, uint64_t *value)
{
	uint8_t copy[8];
	enum result result = read_across(xdr, copy, sizeof copy);

	if (result == OK)
		*value = load64(copy);
	return result;
}

enum result xdr_take_across(struct xdr *xdr, uint64_t length, uint8_t *copy, uint64_t room, const uint8_t **bytes)
{
	static const uint8_t nothing[1];
	struct xdr before = *xdr;

	*bytes = nothing;
	if (length > xdr_left(xdr))
		return MALFORMED;
	if (!length)
		return OK;
	go_on(xdr);
	*bytes = NULL;
	if (xdr->next && (uint64_t)(xdr->end - xdr->next) >= length)
		*bytes = xdr->next;
	else if (length <= room && gather(xdr, copy, length) == OK)
		*bytes = copy;
	*xdr = before;
	return xdr_skip(xdr, length);
}

enum result xdr_narrow(struct xdr *xdr, uint64_t length, uint64_t *outer)
{
	if (length > xdr_left(xdr))
		return MALFORMED;
	*outer = xdr->limit;
	xdr->limit = xdr->position + length;
	return OK;
}

void xdr_widen(struct xdr *xdr, uint64_t outer)
{
	uint64_t rest = xdr_left(xdr);

	while (rest)
		rest -= step(xdr, rest);
	xdr->limit = outer;
}

bool xdr_splice(struct xdr *xdr, const struct xdr_extent *extents, uint32_t count)
{
	uint64_t within = 0;
	uint32_t at = 0, split;

	if (xdr->count) {
		go_on(xdr);
		within = xdr->position - (xdr->extent_end - xdr->extents[xdr->at].length);
		at = xdr->at + (within == xdr->extents[xdr->at].length && within);
		if (at > xdr->at)
			within = 0;
	}
	split = within != 0;
	if (count > xdr->room || xdr->count > xdr->room - count || split > xdr->room - count - xdr->count)
		return false;
	/* the first part of a split extent stays in place, the second follows the inserted extents */
	memmove(&xdr->extents[at + split + count], &xdr->extents[at], (xdr->count - at) * sizeof *extents);
	if (split) {
		struct xdr_extent *rest = &xdr->extents[at + 1 + count];

		xdr->extents[at] = *rest;
		xdr->extents[at].length = within;
		rest->length -= within;
		rest->offset += within;
		if (rest->kind == XDR_BYTES)
			rest->bytes += within;
	}
	memcpy(&xdr->extents[at + split], extents, count * sizeof *extents);
	xdr->count += count + split;
	for (uint32_t i = 0; i < count; i++)
		xdr->total += extents[i].length;
	if (xdr->count)
		stand_in(xdr, at + split < xdr->count ? at + split : xdr->count - 1, 0);
	return true;
}

struct xdr_extent xdr_padding(uint32_t length)
{
	static const uint8_t zeros[4];

	return (struct xdr_extent){ XDR_BYTES, zeros, 0, -length % 4 };
}
