/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CRC-32 with zlib's polynomial, using ISA-L if available.
 */
#ifndef DISSECT_ENGINE_CRC32_H
#define DISSECT_ENGINE_CRC32_H

#include <stdint.h>

#ifdef HAVE_ISAL
#include <isa-l/crc.h>
#endif

/* Updates the CRC `crc` (initially 0) with `length` bytes. */
#ifdef HAVE_ISAL
static inline uint32_t crc32_of(uint32_t crc, const uint8_t *bytes, uint64_t length)
{
	return crc32_gzip_refl(crc, bytes, length);
}
#else
uint32_t crc32_of(uint32_t crc, const uint8_t *bytes, uint64_t length);
#endif

/*
 * To be called after computing CRCs. ISA-L's AVX-512 code leaves the upper halves of the vector registers in use, which
 * slows down all SSE code after it: -V took 1.7 times as long.
 */
static inline void crc32_release(void)
{
#if defined(HAVE_ISAL) && defined(__x86_64__)
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper");
#endif
}

#endif
