/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An ordered set: a balanced (AVL) tree of nodes that are embedded in what they order. Insertion, removal and search take
 * O(log n) steps whatever the order of insertion. A node can hold something worked out from its subtree.
 */
#ifndef REASSEMBLY_STORE_TREE_H
#define REASSEMBLY_STORE_TREE_H

#include <stdbool.h>
#include <stddef.h>

/* Embed it; its owner only reads it. */
struct tree_node {
	struct tree_node *parent, *child[2]; /* child[0]: lower ones */
	unsigned height;                     /* of its subtree; a leaf has 1 */
};

/* Less than, equal to, or greater than 0, as `a` is ordered before, with or after `b`. */
typedef int tree_order(const struct tree_node *a, const struct tree_node *b);

/* The same of a node and a key. */
typedef int tree_order_of_key(const struct tree_node *node, const void *key);

/* Works out anew what a node holds of its subtree: its children are up to date. Returns whether that has changed. */
typedef bool tree_update(struct tree_node *node);

/* All zero but the functions is an empty tree. */
struct tree {
	struct tree_node *root;
	tree_order *order;
	tree_update *update; /* NULL: nodes hold nothing of their subtrees */
};

/* Adds a node, after those that it is equal to. */
void tree_insert(struct tree *tree, struct tree_node *node);

/* Removes a node that is in the tree. */
void tree_remove(struct tree *tree, struct tree_node *node);

/* The lowest node; NULL: there is none. */
struct tree_node *tree_first(const struct tree *tree);

/* The lowest node that is not ordered before the key; NULL: there is none. */
struct tree_node *tree_at_or_after(const struct tree *tree, tree_order_of_key *order, const void *key);

/* The next higher node, the next lower one; NULL: there is none. */
struct tree_node *tree_next(const struct tree_node *node);
struct tree_node *tree_previous(const struct tree_node *node);

#endif
