/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values and numbers by pairs of numbers, in hash tables; hashes of bytes.
 */
#ifndef OUTPUT_COMPARE_CANON_MAP_H
#define OUTPUT_COMPARE_CANON_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/map.h"

/* The first member of a value in a map. */
struct canon_map_key {
	uint64_t key;
	uint32_t kind;
};

/* The value with this key, or NULL. */
void *canon_map_find(const struct map *map, uint32_t kind, uint64_t key);

/* Adds a value. Its key must not be in the map. False: out of memory. */
bool canon_map_add(struct map *map, struct canon_map_key *value) __attribute__((warn_unused_result));

/* Removes a value, which must be in the map. */
void canon_map_remove(struct map *map, const struct canon_map_key *value);

/* Numbers by key. Zero-initialised: empty. */
struct canon_numbers {
	struct map map;
	SLIST_HEAD(, canon_block) blocks; /* the numbers' memory, the newest first */
	unsigned unused;                  /* numbers of the newest block */
};

/* A pointer to the number, or NULL. Valid until canon_numbers_fini(). */
uint64_t *canon_numbers_find(const struct canon_numbers *numbers, uint32_t kind, uint64_t key);

/* Adds a number, or changes the one with this key. Returns a pointer to it; NULL: out of memory. */
uint64_t *canon_numbers_set(struct canon_numbers *numbers, uint32_t kind, uint64_t key, uint64_t value) __attribute__((warn_unused_result));

/* Frees the numbers, which leaves an empty table. */
void canon_numbers_fini(struct canon_numbers *numbers);

/* FNV-1a, 64 bits. `hash` is 0, or the hash of the preceding bytes. */
uint64_t canon_hash(uint64_t hash, const void *bytes, size_t length);

static inline uint64_t canon_mark_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* A faster hash, eight bytes at a time, for values that are neither printed nor stored; differs from canon_hash(). */
uint64_t canon_mark(uint64_t hash, const void *bytes, size_t length);

#endif
