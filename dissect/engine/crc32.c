/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/crc32.h"

#ifndef HAVE_ISAL

#include <zlib.h>

#ifdef __x86_64__

#include <emmintrin.h>
#include <wmmintrin.h>

/*
 * Folding by carry-less multiplication (PCLMULQDQ): each 16 bytes are multiplied and added to later ones. The remainder modulo P stays
 * the same when a part of the polynomial at x^n is replaced by that part times (x^n mod P). All numbers are bit-reversed, as the CRC is:
 * x^0 is the most significant bit of each constant's lowest 33.
 */
#define PIECE 16
#define LANES 4
#define X_544 0x154442bd4 /* x^(4 * 128 + 32) mod P: folds the first half of a piece by four pieces */
#define X_480 0x1c6e41596 /* x^(4 * 128 - 32) mod P: the other half */
#define X_160 0x1751997d0 /* x^(128 + 32) mod P and x^(128 - 32) mod P: by one piece */
#define X_96 0x0ccaa009e
#define X_64 0x163cd6124
#define P 0x1db710641
#define MU 0x1f7011641    /* x^64 / P, for Barrett reduction */

#define CARRYLESS __attribute__((target("sse2,pclmul")))

CARRYLESS static inline __m128i load(const uint8_t *bytes)
{
	return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

/* Folds 16 bytes into later ones. */
CARRYLESS static inline __m128i fold(__m128i before, __m128i by, __m128i after)
{
	return _mm_xor_si128(after, _mm_xor_si128(_mm_clmulepi64_si128(before, by, 0x00), _mm_clmulepi64_si128(before, by, 0x11)));
}

/* The remainder of 16 bytes modulo P. */
CARRYLESS static uint32_t reduce(__m128i sum)
{
	const __m128i low = _mm_set_epi32(0, 0, 0, -1);
	__m128i quotient;

	sum = _mm_xor_si128(_mm_srli_si128(sum, 8), _mm_clmulepi64_si128(sum, _mm_set_epi64x(0, X_96), 0x00));
	sum = _mm_xor_si128(_mm_srli_si128(sum, 4), _mm_clmulepi64_si128(_mm_and_si128(sum, low), _mm_set_epi64x(0, X_64), 0x00));
	quotient = _mm_and_si128(_mm_clmulepi64_si128(_mm_and_si128(sum, low), _mm_set_epi64x(0, MU), 0x00), low);
	sum = _mm_xor_si128(sum, _mm_clmulepi64_si128(quotient, _mm_set_epi64x(0, P), 0x00));
	return (uint32_t)_mm_cvtsi128_si32(_mm_srli_si128(sum, 4));
}

/* Updates the CRC with whole pieces, at least one. */
CARRYLESS static uint32_t of_pieces(uint32_t crc, const uint8_t *bytes, uint64_t pieces)
{
	const __m128i by_lanes = _mm_set_epi64x(X_480, X_544), by_one = _mm_set_epi64x(X_96, X_160);
	__m128i lanes[LANES], sum = _mm_xor_si128(load(bytes), _mm_cvtsi32_si128((int)~crc));

	bytes += PIECE;
	pieces--;
	if (pieces >= 2 * LANES - 1) {
		lanes[0] = sum;
		for (int i = 1; i < LANES; i++, bytes += PIECE, pieces--)
			lanes[i] = load(bytes);
		for (; pieces >= LANES; pieces -= LANES)
			for (int i = 0; i < LANES; i++, bytes += PIECE)
				lanes[i] = fold(lanes[i], by_lanes, load(bytes));
		sum = lanes[0];
		for (int i = 1; i < LANES; i++)
			sum = fold(sum, by_one, lanes[i]);
	}
	for (; pieces; pieces--, bytes += PIECE)
		sum = fold(sum, by_one, load(bytes));
	return ~reduce(sum);
}

#endif

uint32_t crc32_of(uint32_t crc, const uint8_t *bytes, uint64_t length)
{
#ifdef __x86_64__
	if (length >= PIECE && __builtin_cpu_supports("pclmul")) {
		crc = of_pieces(crc, bytes, length / PIECE);
		bytes += length / PIECE * PIECE;
		length %= PIECE;
	}
#endif
	return length ? (uint32_t)crc32_z(crc, bytes, length) : crc;
}

#endif
