/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XDR (RFC 4506) over a stream that is not one piece of memory: the second cursor.
 *
 * The stream is a list of extents, because an RPC-over-RDMA message is inline parts, chunks and holes one after another.
 * Offsets ("position", "offset in the stream") count bytes of the whole, unreduced XDR stream from its first extent.
 * The cursor has cursor.h's contract: OK, TRUNCATED (these bytes belong to the stream, but are not at hand), MALFORMED (the
 * stream has not got them or contradicts itself); nothing moves on failure.
 */
#ifndef DISSECT_RPC_XDR_H
#define DISSECT_RPC_XDR_H

#include <rdmatap/value.h>

#include "dissect/engine/cursor.h"

enum xdr_extent_kind {
	XDR_BYTES,     /* in memory */
	XDR_ELSEWHERE, /* captured, but not in memory */
	XDR_HOLE,      /* not captured */
};

struct xdr_extent {
	uint8_t kind;         /* enum xdr_extent_kind */
	const uint8_t *bytes; /* of XDR_BYTES; borrowed */
	uint64_t offset;      /* the owner's own business: where the extent's first byte comes from */
	uint64_t length;
};

/* The cursor. A copy of it is another cursor over the same extents, until one of them splices. */
struct xdr {
	const uint8_t *next, *end;   /* what is left of the present extent, if it is in memory; else both are equal */
	uint64_t position;           /* in the stream, of the next byte */
	uint64_t extent_end;         /* position behind the present extent */
	uint64_t limit;              /* position behind the bytes that may be read: see xdr_narrow() */
	uint64_t total;              /* length of all extents */
	struct xdr_extent *extents;  /* the caller's */
	uint32_t count, room, at;    /* extents used, extents there is memory for, index of the present one */
};

/* Begins at the first of `count` extents in an array of `room` (more than count if somebody is going to splice). */
void xdr_init(struct xdr *xdr, struct xdr_extent *extents, uint32_t count, uint32_t room);

/* Bytes from here to the end of the stream, or of what it was narrowed to. */
static inline uint64_t xdr_left(const struct xdr *xdr)
{
	return (xdr->limit < xdr->total ? xdr->limit : xdr->total) - xdr->position;
}

enum result xdr_u32_across(struct xdr *xdr, uint32_t *value);

/* An unsigned number into host order. It may straddle extents. */
static inline enum result xdr_u32(struct xdr *xdr, uint32_t *value)
{
	if (xdr->end - xdr->next < 4 || xdr->limit - xdr->position < 4)
		return xdr_u32_across(xdr, value);
	*value = load32(xdr->next);
	xdr->next += 4;
	xdr->position += 4;
	return OK;
}

enum result xdr_u64_across(struct xdr *xdr, uint64_t *value);

static inline enum result xdr_u64(struct xdr *xdr, uint64_t *value)
{
	if (xdr->end - xdr->next < 8 || xdr->limit - xdr->position < 8)
		return xdr_u64_across(xdr, value);
	*value = load64(xdr->next);
	xdr->next += 8;
	xdr->position += 8;
	return OK;
}

/* Passes over `length` bytes if all of them are in memory, in one extent. False: not, and nothing moves. */
static inline bool xdr_pass(struct xdr *xdr, uint32_t length)
{
	if (xdr->end - xdr->next < (ptrdiff_t)length || xdr->limit - xdr->position < length)
		return false;
	xdr->next += length;
	xdr->position += length;
	return true;
}

/* Takes `length` bytes, at least one, if all of them are in memory, in one extent: where they stand. NULL: not, and nothing moves. */
static inline const uint8_t *xdr_here(struct xdr *xdr, uint64_t length)
{
	const uint8_t *bytes = xdr->next;

	if ((uint64_t)(xdr->end - xdr->next) < length || xdr->limit - xdr->position < length)
		return NULL;
	xdr->next += length;
	xdr->position += length;
	return bytes;
}

enum result xdr_skip_across(struct xdr *xdr, uint64_t length);

/* Passes over `length` bytes of whatever kind: costs nothing for their number. OK or MALFORMED. */
static inline enum result xdr_skip(struct xdr *xdr, uint64_t length)
{
	return !length || xdr_here(xdr, length) ? OK : xdr_skip_across(xdr, length);
}

enum result xdr_take_across(struct xdr *xdr, uint64_t length, uint8_t *copy, uint64_t room, const uint8_t **bytes);

/*
 * Takes `length` bytes: *bytes is where they stand, or `room` bytes at `copy` if they straddle extents. NULL, and all the
 * same taken, if some of them are not in memory or do not fit the copy. OK or MALFORMED.
 */
static inline enum result xdr_take(struct xdr *xdr, uint64_t length, uint8_t *copy, uint64_t room, const uint8_t **bytes)
{
	*bytes = length ? xdr_here(xdr, length) : NULL;
	return *bytes ? OK : xdr_take_across(xdr, length, copy, room, bytes);
}

/*
 * Narrows the stream to the next `length` bytes, as a sub-cursor would be. *outer is for xdr_widen(), which goes back to the
 * wider stream at the place behind these bytes. MALFORMED if there are fewer.
 */
enum result xdr_narrow(struct xdr *xdr, uint64_t length, uint64_t *outer);
void xdr_widen(struct xdr *xdr, uint64_t outer);

/*
 * Inserts extents at the cursor's place, where a reduced stream lacks bytes; the cursor stands at the first of them
 * afterwards. Needs room for them and one more (an extent is split where the cursor stands in it). False, and nothing
 * changed, without the room.
 */
bool xdr_splice(struct xdr *xdr, const struct xdr_extent *extents, uint32_t count);

/* XDR padding of an opaque of `length` bytes, as an extent that a reduced stream lacks: 0 to 3 zero bytes. RFC 4506, 4.10. */
struct xdr_extent xdr_padding(uint32_t length);

/* What is at hand of the stream from the cursor on, in one piece: its end. */
static inline const uint8_t *xdr_end(const struct xdr *xdr)
{
	return (uint64_t)(xdr->end - xdr->next) < xdr->limit - xdr->position ? xdr->end : xdr->next + (xdr->limit - xdr->position);
}

#endif
