/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A hash table of pointers. Keys stay with the values: the user hashes them with map_hash() and compares them.
 */
#ifndef REASSEMBLY_STORE_MAP_H
#define REASSEMBLY_STORE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t hash;
	void *value; /* NULL: free */
};

/* All zero is an empty table. */
struct map {
	struct map_slot *slots;
	size_t room, count; /* room: 0 or a power of two */
};

/* Hash of `words` numbers. Its secret differs from run to run, so that no capture can be made to collide. */
uint64_t map_hash(const uint64_t *words, size_t count);

/* The value with this hash whose key `equal` accepts, or NULL. */
void *map_find(const struct map *map, uint64_t hash, bool (*equal)(const void *value, const void *key), const void *key);

/* Adds a value; the caller has looked that its key is not there. False: memory is out. */
bool map_add(struct map *map, uint64_t hash, void *value) __attribute__((warn_unused_result));

/* Removes a value that is there. */
void map_remove(struct map *map, uint64_t hash, const void *value);

/* Frees the table, not the values. */
void map_fini(struct map *map);

#endif
