/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"

#define FIRST_ROOM 16

void *array_grow(void *array, size_t *room, size_t wanted, size_t size)
{
	size_t larger = *room ? *room : FIRST_ROOM, bytes;
	void *grown;

	if (array && wanted <= *room)
		return array;
	while (larger < wanted)
		if (__builtin_mul_overflow(larger, (size_t)2, &larger))
			return NULL;
	if (__builtin_mul_overflow(larger, size, &bytes))
		return NULL;
	grown = realloc(array, bytes);
	if (grown)
		*room = larger;
	return grown;
}
