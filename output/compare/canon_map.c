/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "output/compare/canon_map.h"

#define FIRST_ROOM 64u

/* splitmix64's finisher over both words and the secret. */
static uint64_t mix(const struct canon_map *map, uint32_t kind, uint64_t key)
{
	uint64_t x = (key ^ map->secret) + kind * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static struct canon_slot *probe(const struct canon_map *map, uint32_t kind, uint64_t key)
{
	size_t at = mix(map, kind, key) & (map->room - 1);

	while (map->slots[at].used && (map->slots[at].key != key || map->slots[at].kind != kind))
		at = (at + 1) & (map->room - 1);
	return &map->slots[at];
}

uint64_t *canon_map_find(const struct canon_map *map, uint32_t kind, uint64_t key)
{
	struct canon_slot *slot = map->room ? probe(map, kind, key) : NULL;

	return slot && slot->used ? &slot->value : NULL;
}

static bool grow(struct canon_map *map)
{
	struct canon_map larger = { .room = map->room ? map->room * 2 : FIRST_ROOM, .count = map->count, .secret = map->secret };

	if (!map->room && getrandom(&larger.secret, sizeof larger.secret, GRND_NONBLOCK) < 0)
		larger.secret = (uint64_t)(uintptr_t)&larger;
	larger.slots = calloc(larger.room, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].used)
			*probe(&larger, map->slots[i].kind, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = larger;
	return true;
}

uint64_t *canon_map_add(struct canon_map *map, uint32_t kind, uint64_t key, uint64_t value)
{
	struct canon_slot *slot;

	if (map->count >= map->room / 4 * 3 && !grow(map))
		return NULL;
	slot = probe(map, kind, key);
	map->count += !slot->used;
	*slot = (struct canon_slot){ .key = key, .value = value, .kind = kind, .used = true };
	return &slot->value;
}

/* Slots after the hole move up, so that probing does not end too early. */
void canon_map_remove(struct canon_map *map, uint32_t kind, uint64_t key)
{
	struct canon_slot *slot = map->room ? probe(map, kind, key) : NULL;
	size_t hole, at;

	if (!slot || !slot->used)
		return;
	hole = at = (size_t)(slot - map->slots);
	for (;;) {
		size_t home;

		at = (at + 1) & (map->room - 1);
		if (!map->slots[at].used)
			break;
		home = mix(map, map->slots[at].kind, map->slots[at].key) & (map->room - 1);
		if (((at - home) & (map->room - 1)) >= ((at - hole) & (map->room - 1))) {
			map->slots[hole] = map->slots[at];
			hole = at;
		}
	}
	map->slots[hole].used = false;
	map->count--;
}

void canon_map_fini(struct canon_map *map)
{
	free(map->slots);
	*map = (struct canon_map){ 0 };
}

uint64_t canon_hash(uint64_t hash, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;

	hash ^= UINT64_C(0xcbf29ce484222325);
	while (length--)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return hash;
}

uint64_t canon_mark(uint64_t hash, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;
	uint32_t first, last;
	uint64_t word;

	hash = canon_mark_word(hash, length);
	for (; length > 8; length -= 8, at += 8) {
		memcpy(&word, at, sizeof word);
		hash = canon_mark_word(hash, word);
	}
	/* the remaining bytes, in two overlapping loads */
	if (length >= 4) {
		memcpy(&first, at, sizeof first);
		memcpy(&last, at + length - sizeof last, sizeof last);
		return canon_mark_word(hash, (uint64_t)last << 32 | first);
	}
	return length ? canon_mark_word(hash, (uint64_t)at[0] | (uint64_t)at[length / 2] << 8 | (uint64_t)at[length - 1] << 16) : hash;
}
