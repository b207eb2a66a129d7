/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#ifdef HAVE_ISAL
#include <isa-l/crc.h>
#else
#include <string.h>
#endif

#include "dissect/crc32c.h"

#ifdef HAVE_ISAL

uint32_t crc32c(const uint8_t *bytes, uint32_t length)
{
	/* ISA-L's prototype takes bytes that it does not write, and an int: a quarter of the range of ours at a time is plenty */
	unsigned char *next = (unsigned char *)(uintptr_t)bytes;
	uint32_t crc = 0xffffffff;

	while (length) {
		uint32_t part = length < 1u << 30 ? length : 1u << 30;

		crc = crc32_iscsi(next, (int)part, crc);
		next += part;
		length -= part;
	}
#ifdef __x86_64__
	/* as in ib_crc.c: ISA-L's AVX-512 code leaves SSE code after it slow */
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper");
#endif
	return ~crc;
}

#else

#define POLYNOMIAL 0x82f63b78 /* x^0 is the most significant bit */
#define LANES 8

/* tables[k][b]: what byte b contributes with k zero bytes behind it */
static uint32_t tables[LANES][256];

__attribute__((constructor)) static void fill_tables(void)
{
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

/* The processor has an instruction for it, several times as fast as the tables. */
__attribute__((target("sse4.2"))) static uint32_t by_instruction(const uint8_t *bytes, uint32_t length)
{
	uint64_t crc = 0xffffffff, word;

	for (; length >= LANES; length -= LANES, bytes += LANES) {
		memcpy(&word, bytes, sizeof word);
		crc = __builtin_ia32_crc32di(crc, word);
	}
	for (; length; length--)
		crc = __builtin_ia32_crc32qi((uint32_t)crc, *bytes++);
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
