/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include "base/map.h"

static bool same(const void *value, const void *key)
{
	return *(const uint64_t *)value == *(const uint64_t *)key;
}

static uint64_t hash_of(uint64_t key, bool collide)
{
	return collide ? key % 3 : map_hash(&key, 1);
}

static void fill_and_empty(bool collide)
{
	static uint64_t keys[1000];
	struct map map = { 0 };

	for (uint64_t i = 0; i < 1000; i++) {
		keys[i] = i;
		cr_assert(map_add(&map, hash_of(i, collide), &keys[i]));
	}
	for (uint64_t i = 0; i < 1000; i += 2)
		map_remove(&map, hash_of(i, collide), &keys[i]);
	cr_expect_eq(map.count, 500);
	for (uint64_t i = 0; i < 1000; i++)
		cr_assert_eq(map_find(&map, hash_of(i, collide), same, &i), i % 2 ? &keys[i] : NULL, "%u", (unsigned)i);
	map_fini(&map);
}

TestSuite(map, .timeout = HANG_SECONDS);

Test(map, finds_added_values_until_they_are_removed)
{
	fill_and_empty(false);
}

Test(map, handles_collisions)
{
	fill_and_empty(true);
}

Test(map, an_empty_table_holds_nothing)
{
	struct map map = { 0 };
	uint64_t key = 1;

	cr_expect_null(map_find(&map, 1, same, &key));
	map_fini(&map);
}

Test(map, every_word_counts_in_the_hash)
{
	uint64_t words[5] = { 1, 2, 3, 4, 5 }, first = map_hash(words, 5);

	for (int i = 0; i < 5; i++) {
		words[i] ^= 1;
		cr_expect_neq(map_hash(words, 5), first);
		words[i] ^= 1;
	}
	cr_expect_eq(map_hash(words, 5), first);
}
