/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XDR (RFC 4506) cursor over a stream that is not contiguous in memory.
 *
 * The stream is a list of extents, because an RPC-over-RDMA message is a sequence of inline parts, chunks and holes.
 * Offsets ("position", "offset in the stream") count bytes of the whole, unreduced XDR stream from its first extent.
 * The cursor has the contract of cursor.h: OK, TRUNCATED (these bytes belong to the stream, but are not available), MALFORMED (the
 * stream does not have them or is inconsistent); nothing moves on failure.
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
	uint64_t offset;      /* for the owner's use: origin of the extent's first byte */
	uint64_t length;
};

/* The cursor. A copy of it is another cursor over the same extents, until one of them splices. */
struct xdr {
	const uint8_t *next, *end;   /* rest of the current extent, if it is in memory; else both are equal */
	uint64_t position;           /* in the stream, of the next byte */
	uint64_t extent_end;         /* position of the end of the current extent */
	uint64_t limit;              /* position of the end of the readable bytes: see xdr_narrow() */
	uint64_t total;              /* length of all extents */
	struct xdr_extent *extents;  /* owned by the caller */
	uint32_t count, room, at;    /* extents used, extents allocated, index of the current one */
};

/* Starts at the first of `count` extents in an array of `room` (larger than count if extents may be spliced in). */
void xdr_init(struct xdr *xdr, struct xdr_extent *extents, uint32_t count, uint32_t room);

/* Bytes from here to the end of the stream or of the part to which it was narrowed. */
static inline uint64_t xdr_left(const struct xdr *xdr)
{
	return (xdr->limit < xdr->total ? xdr->limit : xdr->total) - xdr->position;
}

enum result xdr_u32_across(struct xdr *xdr, uint32_t *value);

/* Reads an unsigned number in host order. It may straddle extents. */
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

/* Skips `length` bytes if all of them are in memory, in one extent. False: they are not, and nothing moves. */
static inline bool xdr_pass(struct xdr *xdr, uint32_t length)
{
	if ((size_t)(xdr->end - xdr->next) < length || xdr->limit - xdr->position < length)
		return false;
	xdr->next += length;
	xdr->position += length;
	return true;
}

/* Takes `length` bytes, at least one, and returns them if all are in memory, in one extent. NULL: they are not, and nothing moves. */
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

/* Skips `length` bytes of any kind, at a cost independent of their number. OK or MALFORMED. */
static inline enum result xdr_skip(struct xdr *xdr, uint64_t length)
{
	return !length || xdr_here(xdr, length) ? OK : xdr_skip_across(xdr, length);
}

enum result xdr_take_across(struct xdr *xdr, uint64_t length, uint8_t *copy, uint64_t room, const uint8_t **bytes);

/*
 * Takes `length` bytes: *bytes points to them, or to `copy` (of size `room`) if they straddle extents. It is NULL, with the bytes
 * taken nevertheless, if some of them are not in memory or do not fit in the copy. OK or MALFORMED.
 */
static inline enum result xdr_take(struct xdr *xdr, uint64_t length, uint8_t *copy, uint64_t room, const uint8_t **bytes)
{
	*bytes = length ? xdr_here(xdr, length) : NULL;
	return *bytes ? OK : xdr_take_across(xdr, length, copy, room, bytes);
}

/*
 * Narrows the stream to the next `length` bytes, like a sub-cursor. *outer is for xdr_widen(), which restores the wider stream
 * with the cursor at the end of these bytes. MALFORMED if there are fewer.
 */
enum result xdr_narrow(struct xdr *xdr, uint64_t length, uint64_t *outer);
void xdr_widen(struct xdr *xdr, uint64_t outer);

/*
 * Inserts extents at the cursor, where a reduced stream lacks bytes; the cursor is then at the first of them. Needs room for them
 * and one more (the current extent is split if the cursor is within it). False, with nothing changed, without enough room.
 */
bool xdr_splice(struct xdr *xdr, const struct xdr_extent *extents, uint32_t count);

/* XDR padding of an opaque of `length` bytes, missing in a reduced stream, as an extent: 0 to 3 zero bytes. RFC 4506, 4.10. */
struct xdr_extent xdr_padding(uint32_t length);

/* The end of the readable bytes that are contiguous in memory from the cursor. */
static inline const uint8_t *xdr_end(const struct xdr *xdr)
{
	return (uint64_t)(xdr->end - xdr->next) < xdr->limit - xdr->position ? xdr->end : xdr->next + (xdr->limit - xdr->position);
}

#endif
