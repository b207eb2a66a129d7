/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdint.h>

#include "reassembly/store/tree.h"

static unsigned height_of(const struct tree_node *node)
{
	return node ? node->height : 0;
}

/* Returns whether anything changed for the parent. */
static bool refresh(const struct tree *tree, struct tree_node *node)
{
	unsigned low = height_of(node->child[0]), high = height_of(node->child[1]), height = 1 + (low > high ? low : high);
	bool changed = height != node->height;

	node->height = height;
	return (tree->update && tree->update(node)) || changed;
}

/* Replaces `old` by `node` (NULL: nothing). */
static void replace(struct tree *tree, const struct tree_node *old, struct tree_node *node)
{
	struct tree_node *parent = old->parent;

	*(!parent ? &tree->root : &parent->child[parent->child[1] == old]) = node;
	if (node)
		node->parent = parent;
}

/* Makes the child on `side` the parent of its parent. Returns it. */
static struct tree_node *rotate(struct tree *tree, struct tree_node *node, int side)
{
	struct tree_node *up = node->child[side], *inner = up->child[!side];

	replace(tree, node, up);
	up->child[!side] = node;
	node->parent = up;
	node->child[side] = inner;
	if (inner)
		inner->parent = node;
	refresh(tree, node);
	refresh(tree, up);
	return up;
}

/* Rebalances from `node` up to where nothing changes any more, but at least up to `least` (NULL: no minimum). */
static void balance(struct tree *tree, struct tree_node *node, const struct tree_node *least)
{
	for (; node; node = node->parent) {
		unsigned low = height_of(node->child[0]), high = height_of(node->child[1]);
		int side = high > low;
		struct tree_node *child;

		if (low <= high + 1 && high <= low + 1) {
			if (!refresh(tree, node) && !least)
				return;
			least = node == least ? NULL : least;
			continue;
		}
		child = node->child[side];
		if (height_of(child->child[!side]) > height_of(child->child[side]))
			rotate(tree, child, !side);
		least = node == least ? NULL : least;
		node = rotate(tree, node, side);
	}
}

void tree_insert(struct tree *tree, struct tree_node *node)
{
	struct tree_node *parent = NULL, **place = &tree->root;

	while (*place) {
		parent = *place;
		place = &parent->child[tree->order(node, parent) >= 0];
	}
	*node = (struct tree_node){ .parent = parent };
	*place = node;
	balance(tree, node, NULL);
}

void tree_remove(struct tree *tree, struct tree_node *node)
{
	struct tree_node *next, *changed;

	if (!node->child[0] || !node->child[1]) {
		changed = node->parent;
		replace(tree, node, node->child[!node->child[0]]);
		balance(tree, changed, NULL);
		return;
	}
	/* The next higher node, which has no lower child, takes its place. */
	next = node->child[1];
	while (next->child[0])
		next = next->child[0];
	changed = next->parent == node ? next : next->parent;
	replace(tree, next, next->child[1]);
	replace(tree, node, next);
	for (int side = 0; side < 2; side++) {
		next->child[side] = node->child[side];
		if (next->child[side])
			next->child[side]->parent = next;
	}
	balance(tree, changed, next);
}

static struct tree_node *outermost(struct tree_node *node, int side)
{
	while (node && node->child[side])
		node = node->child[side];
	return node;
}

struct tree_node *tree_first(const struct tree *tree)
{
	return outermost(tree->root, 0);
}

struct tree_node *tree_at_or_after(const struct tree *tree, tree_order_of_key *order, const void *key)
{
	struct tree_node *node = tree->root, *found = NULL;

	while (node) {
		bool before = order(node, key) < 0;

		found = before ? found : node;
		node = node->child[before];
	}
	return found;
}

static struct tree_node *neighbour(const struct tree_node *node, int side)
{
	const struct tree_node *from;

	if (node->child[side])
		return outermost(node->child[side], !side);
	do {
		from = node;
		node = node->parent;
	} while (node && node->child[side] == from);
	return (struct tree_node *)(uintptr_t)node;
}

struct tree_node *tree_next(const struct tree_node *node)
{
	return neighbour(node, 1);
}

struct tree_node *tree_previous(const struct tree_node *node)
{
	return neighbour(node, 0);
}
