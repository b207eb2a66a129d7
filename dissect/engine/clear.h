/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory set to zero in the hot path.
 */
#ifndef DISSECT_ENGINE_CLEAR_H
#define DISSECT_ENGINE_CLEAR_H

#include <stddef.h>
#include <string.h>

/*
 * memset(at, 0, bytes) of some hundred bytes. Of a number that it knows GCC makes `rep stos`, which takes longer than the C library's
 * function: so the number is hidden from it.
 */
static inline void clear_bytes(void *at, size_t bytes)
{
	__asm__("" : "+r"(bytes));
	memset(at, 0, bytes);
}

#endif
