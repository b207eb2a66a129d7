/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include <criterion/criterion.h>

#include "base/multimap.h"

struct entry {
	uint64_t key;
	bool is_in;
	struct multimap_link link;
};

static bool has_key(const void *value, const void *key)
{
	return ((const struct entry *)value)->key == *(const uint64_t *)key;
}

static struct entry *find(const struct multimap *map, uint64_t key)
{
	return multimap_find(map, map_hash(&key, 1), has_key, &key);
}

static void add(struct multimap *map, struct entry *entry)
{
	cr_assert(multimap_add(map, map_hash(&entry->key, 1), has_key, &entry->key, entry));
	entry->is_in = true;
}

/* The values of a key are those in the table, the newest first: `entries` are in the order in which they were added. */
static void expect_values(const struct multimap *map, const struct entry *entries, size_t count, uint64_t key)
{
	const struct entry *found = find(map, key), *newer = NULL;

	for (size_t i = count; i-- > 0;) {
		if (!entries[i].is_in || entries[i].key != key)
			continue;
		cr_assert_eq(found, &entries[i]);
		cr_assert_eq(found->link.newer, newer);
		newer = found;
		found = found->link.older;
	}
	cr_assert_null(found);
}

Test(multimap, has_all_values_of_a_key_the_newest_first)
{
	enum { KEYS = 300, MANY = 3000 };
	struct multimap map = { .link = offsetof(struct entry, link) };
	struct entry *entries = calloc(MANY, sizeof *entries);
	unsigned seed = 1;

	cr_assert(entries);
	for (size_t i = 0; i < MANY; i++) {
		entries[i].key = i * i % KEYS;
		add(&map, &entries[i]);
	}
	for (uint64_t key = 0; key < KEYS; key++)
		expect_values(&map, entries, MANY, key);
	/* the newest, the oldest and those between */
	for (size_t i = 0; i < MANY; i++) {
		struct entry *removed = &entries[seed % MANY];

		seed = seed * 1103515245u + 12345u;
		if (!removed->is_in)
			continue;
		multimap_remove(&map, removed);
		removed->is_in = false;
		expect_values(&map, entries, MANY, removed->key);
	}
	for (uint64_t key = 0; key < KEYS; key++)
		expect_values(&map, entries, MANY, key);
	for (size_t i = 0; i < MANY; i++)
		if (entries[i].is_in)
			multimap_remove(&map, &entries[i]);
	cr_assert_eq(map.map.count, 0);
	multimap_fini(&map);
	free(entries);
}
