/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A hash table of pointers. Keys are stored in the values: the user hashes them with map_hash() and compares them.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t hash;
	void *value; /* NULL: empty slot */
};

/* All zero: empty table. */
struct map {
	struct map_slot *slots;
	size_t room, count; /* room: 0 or a power of two */
};

/* Hash of `count` words. The secret key differs for each run, so that a capture cannot be crafted to collide. */
uint64_t map_hash(const uint64_t *words, size_t count);

/* The secret key. Processes that compare hashes share one: set it before anything was hashed. */
uint64_t map_secret(void);
void map_set_secret(uint64_t shared);

/* Finds the value with this hash whose key `equal` accepts. NULL: not found. */
void *map_find(const struct map *map, uint64_t hash, bool (*equal)(const void *value, const void *key), const void *key);

/* Adds a value. Its key must not be in the table. False: out of memory. */
bool map_add(struct map *map, uint64_t hash, void *value) __attribute__((warn_unused_result));

/* Puts another value with the same key in the place of one, which must be in the table. */
void map_replace(struct map *map, uint64_t hash, const void *value, void *other);

/* Removes a value, which must be in the table. */
void map_remove(struct map *map, uint64_t hash, const void *value);

/* Frees the table, not the values. */
void map_fini(struct map *map);

/* Frees the table, and the values by free(). */
void map_fini_values(struct map *map);

#endif
