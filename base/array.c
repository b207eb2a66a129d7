/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "base/array.h"
#include "base/memory.h"

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
	grown = memory_resize(array, bytes);
	if (grown)
		*room = larger;
	return grown;
}

void *array_reserve(void *array, uint32_t *room, uint32_t wanted, uint32_t first, uint32_t most, size_t size)
{
	uint32_t larger = *room ? *room : first < most ? first : most;
	size_t bytes;
	void *grown;

	if (array && wanted <= *room)
		return array;
	if (wanted > most)
		return NULL;
	while (larger < wanted)
		larger = larger <= most / 2 ? larger * 2 : most;
	if (__builtin_mul_overflow((size_t)larger, size, &bytes))
		return NULL;
	grown = memory_resize(array, bytes);
	if (grown)
		*room = larger;
	return grown;
}
