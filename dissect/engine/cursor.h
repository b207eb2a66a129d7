/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bounds-checked access to packet bytes: a cursor that tracks how many captured bytes and how many wire bytes are left.
 * A read that does not fit completely does not move the cursor.
 */
#ifndef DISSECT_ENGINE_CURSOR_H
#define DISSECT_ENGINE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum result {
	OK,
	TRUNCATED, /* the packet had these bytes, but they were not captured */
	MALFORMED, /* the packet does not have these bytes, or is inconsistent */
};

/* Marks a condition as rarely true, so that the compiler moves its code out of the hot path. */
static inline bool unlikely(bool condition)
{
	return __builtin_expect(condition, false);
}

/* `wire`: bytes left according to the packet's length fields; `captured`: those of them that were captured. */
struct cursor {
	const uint8_t *next;
	uint32_t captured, wire; /* captured <= wire */
};

static inline uint16_t load16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	return v;
}

static inline uint64_t load64(const uint8_t *p)
{
	return (uint64_t)load32(p) << 32 | load32(p + 4);
}

/* Writes a number as 8 bytes, the most significant one first. */
static inline void store64(uint8_t *p, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t)(value >> (56 - 8 * i));
}

/*
 * The value of bits in a header: offset from the most significant bit of the first byte, width at most 64 and within eight
 * bytes. The caller has taken these bytes from a cursor. With constants it compiles to one load, swap and shift.
 */
static inline uint64_t bits(const uint8_t *header, unsigned offset, unsigned width)
{
	const uint8_t *p = header + offset / 8;
	unsigned end = offset % 8 + width; /* bits from p to the end of the field */
	uint64_t mask = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
	uint64_t v = 0;

	if (end <= 8)
		return p[0] >> (8 - end) & mask;
	if (end <= 16)
		return (uint64_t)load16(p) >> (16 - end) & mask;
	/* with the byte before it, one load suffices */
	if (end <= 24 && offset >= 8)
		return (uint64_t)load32(p - 1) >> (24 - end) & mask;
	if (end <= 24)
		return ((uint64_t)load16(p) << 8 | p[2]) >> (24 - end) & mask;
	if (end <= 32)
		return (uint64_t)load32(p) >> (32 - end) & mask;
	if (end == 64)
		return load64(p) & mask;
	for (unsigned i = 0; i < (end + 7) / 8; i++)
		v = v << 8 | p[i];
	return v >> (7 - (end + 7) % 8) & mask;
}

static inline uint16_t little16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t little32(const uint8_t *p)
{
	return __builtin_bswap32(load32(p));
}

/*
 * bits() for little-endian headers: the least significant byte is first, and within a byte bits count from the least significant, so
 * that a field of several bytes is one number. With constants it compiles to a load and a shift.
 */
static inline uint64_t little_bits(const uint8_t *header, unsigned offset, unsigned width)
{
	const uint8_t *p = header + offset / 8;
	uint64_t mask = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
	uint64_t v = 0;

	switch ((offset % 8 + width + 7) / 8) {
	case 1: v = p[0]; break;
	case 2: v = little16(p); break;
	case 4: v = little32(p); break;
	case 8: v = little32(p) | (uint64_t)little32(p + 4) << 32; break;
	default:
		for (unsigned i = (offset % 8 + width + 7) / 8; i-- > 0;)
			v = v << 8 | p[i];
		break;
	}
	return v >> offset % 8 & mask;
}

/* Takes `length` bytes: *bytes points to them. */
static inline enum result cursor_take(struct cursor *cursor, uint32_t length, const uint8_t **bytes)
{
	const uint8_t *next = cursor->next;

	if (length > cursor->captured)
		return length > cursor->wire ? MALFORMED : TRUNCATED;
	*bytes = next;
	cursor->next = next + length;
	cursor->captured -= length;
	cursor->wire -= length;
	return OK;
}

/* Takes a big-endian number of 32 or 64 bits into host order. */
static inline enum result cursor_u32(struct cursor *cursor, uint32_t *value)
{
	const uint8_t *bytes;
	enum result result = cursor_take(cursor, 4, &bytes);

	if (result == OK)
		*value = load32(bytes);
	return result;
}

static inline enum result cursor_u64(struct cursor *cursor, uint64_t *value)
{
	const uint8_t *bytes;
	enum result result = cursor_take(cursor, 8, &bytes);

	if (result == OK)
		*value = load64(bytes);
	return result;
}

/* Limits the cursor to the first `length` wire bytes. False, and nothing changes, if there are fewer. */
static inline bool cursor_narrow(struct cursor *cursor, uint32_t length)
{
	if (length > cursor->wire)
		return false;
	cursor->wire = length;
	if (cursor->captured > length)
		cursor->captured = length;
	return true;
}

#endif
