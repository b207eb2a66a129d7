/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Growing arrays: the memory, its capacity in elements, and the number of elements. Failures are counted as those of base/memory.h.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns `array`, of *room elements of `size` bytes, with room for at least `wanted`: it is at least doubled if it has less. NULL: out of
 * memory, nothing has changed. An array without memory is NULL and has no room.
 */
void *array_grow(void *array, size_t *room, size_t wanted, size_t size) __attribute__((warn_unused_result));

/*
 * The same for an array with its own first size and a limit: `first` elements, doubled until there is room for `wanted`, but
 * at most `most`. NULL: more is wanted, or out of memory; nothing has changed.
 */
void *array_reserve(void *array, uint32_t *room, uint32_t wanted, uint32_t first, uint32_t most, size_t size)
	__attribute__((warn_unused_result));

#endif
