/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A hash table of pointers in which several values can have the same key: they are linked, and only the newest takes a slot, so that many
 * equal keys slow nothing down.
 */
#ifndef BASE_MULTIMAP_H
#define BASE_MULTIMAP_H

#include "base/map.h"

/* A member of each value. Read-only for the owner. */
struct multimap_link {
	void *newer, *older; /* the values with the same key that were added next and last before; NULL: none */
	uint64_t hash;
};

/* All zero but `link`: empty table. */
struct multimap {
	struct map map;
	size_t link; /* offset of the link in a value */
};

/* Finds the newest value with this hash whose key `equal` accepts. NULL: not found. */
static inline void *multimap_find(const struct multimap *map, uint64_t hash,
				  bool (*equal)(const void *value, const void *key), const void *key)
{
	return map_find(&map->map, hash, equal, key);
}

/* Adds a value with this key. False: out of memory. */
bool multimap_add(struct multimap *map, uint64_t hash, bool (*equal)(const void *value, const void *key), const void *key, void *value)
	__attribute__((warn_unused_result));

/* Removes a value, which must be in the table. */
void multimap_remove(struct multimap *map, void *value);

/* Frees the table, not the values. */
void multimap_fini(struct multimap *map);

#endif
