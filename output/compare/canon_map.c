/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/compare/canon_map.h"

/* Numbers are allocated so many at once: most connections have few names. */
#define BLOCK_NUMBERS 32u

struct canon_number {
	struct canon_map_key key;
	uint64_t value;
};

struct canon_block {
	SLIST_ENTRY(canon_block) link;
	struct canon_number numbers[BLOCK_NUMBERS];
};

static uint64_t hash_of(uint32_t kind, uint64_t key)
{
	return map_hash((uint64_t[]){ key, kind }, 2);
}

static bool has_key(const void *value, const void *key)
{
	const struct canon_map_key *one = value, *other = key;

	return one->key == other->key && one->kind == other->kind;
}

void *canon_map_find(const struct map *map, uint32_t kind, uint64_t key)
{
	return map_find(map, hash_of(kind, key), has_key, &(struct canon_map_key){ key, kind });
}

bool canon_map_add(struct map *map, struct canon_map_key *value)
{
	return map_add(map, hash_of(value->kind, value->key), value);
}

void canon_map_remove(struct map *map, const struct canon_map_key *value)
{
	map_remove(map, hash_of(value->kind, value->key), value);
}

uint64_t *canon_numbers_find(const struct canon_numbers *numbers, uint32_t kind, uint64_t key)
{
	struct canon_number *found = canon_map_find(&numbers->map, kind, key);

	return found ? &found->value : NULL;
}

uint64_t *canon_numbers_set(struct canon_numbers *numbers, uint32_t kind, uint64_t key, uint64_t value)
{
	struct canon_number *number = canon_map_find(&numbers->map, kind, key);
	struct canon_block *block = SLIST_FIRST(&numbers->blocks);

	if (number) {
		number->value = value;
		return &number->value;
	}
	if (!numbers->unused) {
		block = malloc(sizeof *block);
		if (!block)
			return NULL;
		SLIST_INSERT_HEAD(&numbers->blocks, block, link);
		numbers->unused = BLOCK_NUMBERS;
	}
	number = &block->numbers[numbers->unused - 1];
	*number = (struct canon_number){ { key, kind }, value };
	if (!canon_map_add(&numbers->map, &number->key))
		return NULL;
	numbers->unused--;
	return &number->value;
}

void canon_numbers_fini(struct canon_numbers *numbers)
{
	struct canon_block *block;

	while ((block = SLIST_FIRST(&numbers->blocks))) {
		SLIST_REMOVE_HEAD(&numbers->blocks, link);
		free(block);
	}
	map_fini(&numbers->map);
	numbers->unused = 0;
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
