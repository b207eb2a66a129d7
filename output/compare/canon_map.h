/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A hash table from pairs of numbers to numbers.
 */
#ifndef OUTPUT_COMPARE_CANON_MAP_H
#define OUTPUT_COMPARE_CANON_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct canon_slot {
	uint64_t key, value;
	uint32_t kind;
	bool used;
};

/* Zero-initialised: empty. */
struct canon_map {
	struct canon_slot *slots;
	size_t room, count; /* room: 0 or a power of two */
	uint64_t secret;    /* hash seed against crafted collisions; output does not depend on it */
};

/* A pointer to the value, or NULL. Valid until the next addition. */
uint64_t *canon_map_find(const struct canon_map *map, uint32_t kind, uint64_t key);

/* Adds a value unless the key exists. Returns a pointer to the key's value; NULL: out of memory. */
uint64_t *canon_map_add(struct canon_map *map, uint32_t kind, uint64_t key, uint64_t value) __attribute__((warn_unused_result));

void canon_map_remove(struct canon_map *map, uint32_t kind, uint64_t key);
void canon_map_fini(struct canon_map *map);

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
