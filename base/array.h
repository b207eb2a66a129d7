/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Growing arrays: memory, how many elements it has room for, and how many it has. Failures are counted as those of base/memory.h.
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
 * Returns an array that is full with more room: `first` elements, or twice as many, but at most `most`. NULL: it has as many, or out of
 * memory; nothing has changed. For arrays whose size is limited or charged to a budget.
 */
void *array_double(void *array, uint32_t *room, uint32_t first, uint32_t most, size_t size) __attribute__((warn_unused_result));

#endif
