/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An ordered set: a balanced (AVL) tree of embedded nodes. Insertion, removal and search take O(log n) steps in any order of
 * insertion. A node can hold a value computed from its subtree.
 */
#ifndef REASSEMBLY_STORE_TREE_H
#define REASSEMBLY_STORE_TREE_H

#include <stdbool.h>
#include <stddef.h>

/* Embed it. Read-only for the owner. */
struct tree_node {
	struct tree_node *parent, *child[2]; /* child[0]: lower nodes */
	unsigned height;                     /* of its subtree; 1 for a leaf */
};

/* Less than, equal to or greater than 0 if `a` is ordered before, with or after `b`. */
typedef int tree_order(const struct tree_node *a, const struct tree_node *b);

/* The same for a node and a key. */
typedef int tree_order_of_key(const struct tree_node *node, const void *key);

/* Recomputes what a node holds of its subtree from its children. Returns whether it changed. */
typedef bool tree_update(struct tree_node *node);

/* All zero except the functions: empty tree. */
struct tree {
	struct tree_node *root;
	tree_order *order;
	tree_update *update; /* NULL: nodes hold no values of their subtrees */
};

/* Adds a node after equal ones. */
void tree_insert(struct tree *tree, struct tree_node *node);

/* Removes a node, which must be in the tree. */
void tree_remove(struct tree *tree, struct tree_node *node);

/* The lowest node; NULL: empty tree. */
struct tree_node *tree_first(const struct tree *tree);

/* The lowest node not ordered before the key; NULL: none. */
struct tree_node *tree_at_or_after(const struct tree *tree, tree_order_of_key *order, const void *key);

/* The next higher node; the next lower node; NULL: none. */
struct tree_node *tree_next(const struct tree_node *node);
struct tree_node *tree_previous(const struct tree_node *node);

#endif
