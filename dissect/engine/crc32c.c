/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#ifdef HAVE_ISAL
#include <isa-l/crc.h>
#else
#include <string.h>
#ifdef __x86_64__
#include <nmmintrin.h>
#include <wmmintrin.h>
#endif
#endif

#include "dissect/engine/crc32c.h"

#ifdef HAVE_ISAL

uint32_t crc32c(const uint8_t *bytes, uint32_t length)
{
	/* ISA-L's prototype takes a pointer without const and an int: pass at most 2^30 bytes at a time */
	unsigned char *next = (unsigned char *)(uintptr_t)bytes;
	uint32_t crc = 0xffffffff;

	while (length) {
		uint32_t part = length < 1u << 30 ? length : 1u << 30;

		crc = crc32_iscsi(next, (int)part, crc);
		next += part;
		length -= part;
	}
#ifdef __x86_64__
	/* ISA-L's AVX-512 code slows down SSE code that runs after it: see crc32.h */
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper");
#endif
	return ~crc;
}

#else

#define POLYNOMIAL 0x82f63b78 /* x^0 is the most significant bit */
#define LANES 8

/* tables[k][b]: the contribution of byte b followed by k zero bytes */
static uint32_t tables[LANES][256];

#ifdef __x86_64__

/*
 * The processor's CRC instruction is several times as fast as the tables. Its latency is three cycles, but one can start each cycle: so
 * long runs are computed as three interleaved strands. The contribution of a strand followed by a number of bytes is its CRC times
 * (x^(8 * bytes) mod the polynomial).
 */
#define STRANDS 3
#define STRAND 256 /* bytes */

/* For one and two following strands. The exponent is 33 less, as the product has 63 bits and the instruction multiplies by x^32. */
static uint64_t powers[STRANDS];

static void fill_powers(void)
{
	uint32_t power = 0x80000000; /* x^0 */

	for (unsigned bits = 1; bits <= (STRANDS - 1) * STRAND * 8 - 33; bits++) {
		power = power >> 1 ^ (power & 1 ? POLYNOMIAL : 0);
		if ((bits + 33) % (STRAND * 8) == 0)
			powers[(bits + 33) / (STRAND * 8)] = power;
	}
}

#endif

__attribute__((constructor)) static void fill_tables(void)
{
#ifdef __x86_64__
	fill_powers();
#endif
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		tables[0][byte] = crc;
	}
	for (int lane = 1; lane < LANES; lane++)
		for (uint32_t byte = 0; byte < 256; byte++)
			tables[lane][byte] = tables[lane - 1][byte] >> 8 ^ tables[0][tables[lane - 1][byte] & 0xff];
}

#ifdef __x86_64__

static inline uint64_t word_at(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof word);
	return word;
}

#define BY_INSTRUCTION __attribute__((target("sse4.2")))
#define SIDE_BY_SIDE __attribute__((target("sse4.2,pclmul")))

SIDE_BY_SIDE static inline uint64_t shifted(uint64_t crc, unsigned strands)
{
	__m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((int64_t)crc), _mm_cvtsi64_si128((int64_t)powers[strands]), 0x00);

	return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product));
}

/* Updates the CRC with STRANDS * STRAND bytes. */
SIDE_BY_SIDE static uint64_t of_strands(uint64_t crc, const uint8_t *bytes)
{
	uint64_t second = 0, third = 0;

	for (unsigned i = 0; i < STRAND; i += LANES) {
		crc = _mm_crc32_u64(crc, word_at(bytes + i));
		second = _mm_crc32_u64(second, word_at(bytes + STRAND + i));
		third = _mm_crc32_u64(third, word_at(bytes + 2 * STRAND + i));
	}
	return shifted(crc, 2) ^ shifted(second, 1) ^ third;
}

BY_INSTRUCTION static uint32_t by_instruction(const uint8_t *bytes, uint32_t length)
{
	uint64_t crc = 0xffffffff;

	if (__builtin_cpu_supports("pclmul"))
		for (; length >= STRANDS * STRAND; length -= STRANDS * STRAND, bytes += STRANDS * STRAND)
			crc = of_strands(crc, bytes);
	for (; length >= LANES; length -= LANES, bytes += LANES)
		crc = _mm_crc32_u64(crc, word_at(bytes));
	for (; length; length--)
		crc = _mm_crc32_u8((uint32_t)crc, *bytes++);
	return ~(uint32_t)crc;
}

#endif

uint32_t crc32c(const uint8_t *bytes, uint32_t length)
{
	uint32_t crc = 0xffffffff;

#ifdef __x86_64__
	if (__builtin_cpu_supports("sse4.2"))
		return by_instruction(bytes, length);
#endif
	for (; length >= LANES; length -= LANES, bytes += LANES) {
		uint32_t first = crc ^ ((uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0]);

		crc = tables[7][first & 0xff] ^ tables[6][first >> 8 & 0xff] ^ tables[5][first >> 16 & 0xff] ^ tables[4][first >> 24] ^
		      tables[3][bytes[4]] ^ tables[2][bytes[5]] ^ tables[1][bytes[6]] ^ tables[0][bytes[7]];
	}
	for (; length; length--)
		crc = crc >> 8 ^ tables[0][(crc ^ *bytes++) & 0xff];
	return ~crc;
}

#endif
