/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files and directories by path, as a tree of components, which slashes separate in paths. A directory is moved with all below it in a time that
 * does not depend on their number.
 */
#ifndef BASE_PATH_TREE_H
#define BASE_PATH_TREE_H

#include "base/map.h"

#define PATH_TREE_LEVELS 128   /* most components of a path */

/* The head of an owner's own struct. */
struct path_node {
	struct path_node *parent;  /* NULL: the first component */
	char *name;                /* its component */
	uint64_t hash, folded_hash;
	bool is_folded;            /* in path_tree.folded */
	uint32_t references;       /* by owners, and by the nodes in it */
	uint32_t height;           /* highest number of levels below it so far */
};

/* Set `node_size`, of the owner's struct; all else zero: no nodes. */
struct path_tree {
	size_t node_size;
	struct map nodes;
	struct map folded;         /* by the hash without the case of letters: one node of those with the same */
	uint64_t memory;           /* bytes */
	uint64_t aside;            /* nodes that were set aside so far: the number in their names */
};

/* The node at a path. NULL: there is none. */
struct path_node *path_tree_find(const struct path_tree *tree, const char *path);

/* The same; components can also differ in the case of ASCII letters. One of several; NULL, if that one has left the path. */
struct path_node *path_tree_find_folded(const struct path_tree *tree, const char *path);

/* The first with a reference, created with all directories if necessary, zeroed. NULL: out of memory, or too deep. */
struct path_node *path_tree_get(struct path_tree *tree, const char *path);

/* Returns a reference. Nodes without references are freed. */
void path_tree_release(struct path_tree *tree, struct path_node *node);

/* Moves a node to another path. False: a node has it, it is below the node itself or too deep, or out of memory. */
bool path_tree_move(struct path_tree *tree, struct path_node *node, const char *path);

/*
 * Gives the node a new name beside its own one, which is free then: the name, the control character `mark`, and a number. False: out of
 * memory.
 */
bool path_tree_set_aside(struct path_tree *tree, struct path_node *node, char mark);

/* The path on the heap. NULL: out of memory. */
char *path_tree_text(const struct path_node *node);

/* Frees all nodes; `drop`, or NULL, is called before for each. */
void path_tree_fini(struct path_tree *tree, void (*drop)(struct path_node *node));

#endif
