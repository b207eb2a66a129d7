/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include <stdint.h>

#include "reassembly/store/tree.h"

#define MOST 2000

struct item {
	struct tree_node node;
	uint32_t number;
	uint32_t below; /* nodes of its subtree */
	int is_in;
};

static uint64_t compared;

static struct item *item_of(const struct tree_node *node)
{
	return (struct item *)((char *)(uintptr_t)node - offsetof(struct item, node));
}

static int order(const struct tree_node *a, const struct tree_node *b)
{
	uint32_t left = item_of(a)->number, right = item_of(b)->number;

	compared++;
	return left < right ? -1 : left > right;
}

static int order_of_key(const struct tree_node *node, const void *key)
{
	uint32_t left = item_of(node)->number, right = *(const uint32_t *)key;

	return left < right ? -1 : left > right;
}

static bool count_below(struct tree_node *node)
{
	struct item *item = item_of(node);
	uint32_t before = item->below;

	item->below = 1;
	for (int side = 0; side < 2; side++)
		item->below += node->child[side] ? item_of(node->child[side])->below : 0;
	return item->below != before;
}

/* Walks all of it: links, order, balance, and contents of nodes. Returns the number of nodes. */
static uint32_t check(const struct tree_node *node, const struct tree_node *parent)
{
	unsigned heights[2] = { 0, 0 };
	uint32_t below = 1;

	if (!node)
		return 0;
	cr_assert_eq(node->parent, parent);
	for (int side = 0; side < 2; side++) {
		below += check(node->child[side], node);
		heights[side] = node->child[side] ? node->child[side]->height : 0;
	}
	cr_assert(heights[0] <= heights[1] + 1 && heights[1] <= heights[0] + 1);
	cr_assert_eq(node->height, 1 + (heights[0] > heights[1] ? heights[0] : heights[1]));
	cr_assert_eq(item_of(node)->below, below);
	return below;
}

static uint32_t random_of(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

TestSuite(tree, .timeout = HANG_SECONDS);

Test(tree, equals_a_sorted_array)
{
	static struct item items[MOST];
	struct tree tree = { .order = order, .update = count_below };
	uint64_t state = 7;
	uint32_t count = 0;

	for (uint32_t i = 0; i < MOST; i++)
		items[i].number = i;
	for (uint32_t step = 0; step < 20000; step++) {
		struct item *item = &items[random_of(&state) % MOST];
		uint32_t key = random_of(&state) % MOST, at = key, seen = 0;
		struct tree_node *node;

		if (item->is_in)
			tree_remove(&tree, &item->node);
		else
			tree_insert(&tree, &item->node);
		item->is_in = !item->is_in;
		count += item->is_in ? 1 : UINT32_MAX;
		while (at < MOST && !items[at].is_in)
			at++;
		node = tree_at_or_after(&tree, order_of_key, &key);
		cr_assert_eq(node, at < MOST ? &items[at].node : NULL);
		if (node && tree_next(node))
			cr_assert_eq(tree_previous(tree_next(node)), node);
		if (step % 500)
			continue;
		cr_assert_eq(check(tree.root, NULL), count);
		at = 0;
		for (node = tree_first(&tree); node; node = tree_next(node), seen++, at++) {
			while (!items[at].is_in)
				at++;
			cr_assert_eq(item_of(node)->number, at);
		}
		cr_assert_eq(seen, count);
	}
}

Test(tree, keeps_equal_nodes_in_the_order_of_their_insertion)
{
	static struct item items[100];
	struct tree tree = { .order = order };
	const struct tree_node *node;
	uint32_t i = 0;

	for (i = 0; i < 100; i++)
		tree_insert(&tree, &items[i].node);
	for (node = tree_first(&tree), i = 0; node; node = tree_next(node), i++)
		cr_assert_eq(item_of(node), &items[i]);
	cr_assert_eq(i, 100);
}

/* Comparisons for n insertions that go up. */
static uint64_t comparisons_of(uint32_t count)
{
	static struct item items[64000];
	struct tree tree = { .order = order };

	compared = 0;
	for (uint32_t i = 0; i < count; i++) {
		items[i].number = i;
		tree_insert(&tree, &items[i].node);
	}
	return compared;
}

Test(tree, takes_little_more_than_twice_the_steps_for_twice_the_nodes)
{
	cr_expect_lt(comparisons_of(64000), 3 * comparisons_of(32000));
}
