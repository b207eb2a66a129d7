/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Zeroing and copying memory in the hot path.
 */
#ifndef DISSECT_ENGINE_CLEAR_H
#define DISSECT_ENGINE_CLEAR_H

#include <stddef.h>
#include <string.h>

/*
 * memset(at, 0, bytes) for some hundred bytes. For a constant size GCC generates `rep stos`, which is slower than the C library's
 * function, so the size is hidden from it.
 */
static inline void clear_bytes(void *at, size_t bytes)
{
	__asm__("" : "+r"(bytes));
	memset(at, 0, bytes);
}

/* The same of memcpy() and `rep movs`. */
static inline void call_memcpy(void *to, const void *from, size_t bytes)
{
	__asm__("" : "+r"(bytes));
	memcpy(to, from, bytes);
}

#endif
