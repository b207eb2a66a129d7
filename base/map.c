/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <sys/random.h>

#include "base/map.h"
#include "base/memory.h"

#define FIRST_ROOM 64

static uint64_t secret;

/* Runs before any thread can hash. */
__attribute__((constructor)) static void choose_secret(void)
{
	if (getrandom(&secret, sizeof secret, GRND_NONBLOCK) != sizeof secret)
		secret = (uintptr_t)&secret; /* fallback: the randomised address of a shared object */
}

uint64_t map_secret(void)
{
	return secret;
}

void map_set_secret(uint64_t shared)
{
	secret = shared;
}

/* The two halves of the product of 128 bits, exclusive or. */
static uint64_t fold_product(uint64_t one, uint64_t other)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 product = (unsigned __int128)one * other;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
	uint64_t low = (one & UINT32_MAX) * (other & UINT32_MAX), middle = (one >> 32) * (other & UINT32_MAX) + (low >> 32);
	uint64_t cross = (one & UINT32_MAX) * (other >> 32) + (middle & UINT32_MAX);

	return one * other ^ ((one >> 32) * (other >> 32) + (middle >> 32) + (cross >> 32));
#endif
}

uint64_t map_hash(const uint64_t *words, size_t count)
{
	uint64_t hash = secret;

	for (size_t i = 0; i < count; i++)
		hash = fold_product(hash ^ words[i], UINT64_C(0x9e3779b97f4a7c15));
	return hash;
}

void *map_find(const struct map *map, uint64_t hash, bool (*equal)(const void *value, const void *key), const void *key)
{
	if (!map->room)
		return NULL;
	for (size_t i = hash & (map->room - 1); map->slots[i].value; i = (i + 1) & (map->room - 1))
		if (map->slots[i].hash == hash && equal(map->slots[i].value, key))
			return map->slots[i].value;
	return NULL;
}

static void put(struct map *map, uint64_t hash, void *value)
{
	size_t i = hash & (map->room - 1);

	while (map->slots[i].value)
		i = (i + 1) & (map->room - 1);
	map->slots[i] = (struct map_slot){ hash, value };
}

static bool grow(struct map *map)
{
	struct map larger = { .room = map->room ? map->room * 2 : FIRST_ROOM, .count = map->count };

	larger.slots = memory_new_zeroed(larger.room, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].value)
			put(&larger, map->slots[i].hash, map->slots[i].value);
	free(map->slots);
	*map = larger;
	return true;
}

bool map_add(struct map *map, uint64_t hash, void *value)
{
	if (map->count >= map->room / 4 * 3 && !grow(map))
		return false;
	put(map, hash, value);
	map->count++;
	return true;
}

static size_t place_of(const struct map *map, uint64_t hash, const void *value)
{
	size_t mask = map->room - 1, at = hash & mask;

	while (map->slots[at].value != value)
		at = (at + 1) & mask;
	return at;
}

void map_replace(struct map *map, uint64_t hash, const void *value, void *other)
{
	map->slots[place_of(map, hash, value)].value = other;
}

void map_remove(struct map *map, uint64_t hash, const void *value)
{
	size_t mask = map->room - 1, hole = place_of(map, hash, value);

	/* Moves up entries that were displaced by the removed one. */
	for (size_t i = (hole + 1) & mask; map->slots[i].value; i = (i + 1) & mask)
		if (((i - map->slots[i].hash) & mask) >= ((i - hole) & mask)) {
			map->slots[hole] = map->slots[i];
			hole = i;
		}
	map->slots[hole].value = NULL;
	map->count--;
}

void map_fini(struct map *map)
{
	free(map->slots);
	*map = (struct map){ 0 };
}

void map_fini_values(struct map *map)
{
	for (size_t i = 0; i < map->room; i++)
		free(map->slots[i].value);
	map_fini(map);
}
