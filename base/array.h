/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Growing arrays: memory, how many elements it has room for, and how many it has.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>

/*
 * Returns `array`, of *room elements of `size` bytes, with room for at least `wanted`: it is at least doubled if it has less. NULL: out of
 * memory, nothing has changed. An array without memory is NULL and has no room.
 */
void *array_grow(void *array, size_t *room, size_t wanted, size_t size) __attribute__((warn_unused_result));

#endif
