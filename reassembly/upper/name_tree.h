/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names of files on servers: which file a handle belongs to, and its names in directories, learned from replies in their
 * order. Handles and names belong to one server. Memory is limited: nodes without children are evicted, the least recently used
 * first, unless the owner keeps them. A handle or name is a struct rtap_span; it is absent if `bytes` is NULL.
 */
#ifndef REASSEMBLY_UPPER_NAME_TREE_H
#define REASSEMBLY_UPPER_NAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rdmatap/message.h>
#include <rdmatap/packet.h>

#include "base/map.h"

/* Most directories above a file. Also bounds the walk up if peers report a loop. */
#define NAME_TREE_LEVELS 127

struct handle;

struct name {
	struct name_node *directory, *node;
	LIST_ENTRY(name) link;            /* in the names of the node */
	LIST_ENTRY(name) beside;          /* in the same directory */
	uint64_t hash;
	size_t length;
	uint8_t bytes[];
};

/* The head of an owner's own struct. */
struct name_server {
	SLIST_ENTRY(name_server) link;
	struct name_node *root;       /* of NFSv4; NULL: not seen */
	uint8_t length, address[16];
};

/* A file or directory of a server. The head of an owner's own struct. */
struct name_node {
	LIST_HEAD(, name) names;      /* its names; its path has the first one; NULL: unknown */
	SLIST_HEAD(, handle) handles; /* the latest first */
	LIST_HEAD(, name) children;   /* names in this directory */
	TAILQ_ENTRY(name_node) link;  /* in the list of all nodes */
	TAILQ_ENTRY(name_node) idle;  /* in the list of idle nodes, if `is_idle` */
	struct name_server *server;
	struct name *placed;          /* for the owner; NULL when that name is removed */
	char *mounted;                /* root: the path that was mounted; NULL: unknown. On the heap */
	uint64_t fsid[2], fileid;
	bool has_id;
	bool is_idle, is_root;
	bool is_kept;                 /* by name_tree_keep() */
	bool gone;                    /* removed: the server may reuse its fileid */
};

struct name_tree {
	struct map handles, names, ids, servers;
	TAILQ_HEAD(, name_node) nodes; /* in the order of their creation */
	SLIST_HEAD(, name_server) all_servers;
	struct name_server *latest;    /* found last; NULL: none */
	TAILQ_HEAD(, name_node) idle; /* they can be evicted without loss; the one unused for longest first */
	size_t node_size, server_size;
	uint64_t memory, max_memory;
	const uint64_t *beside;       /* further memory that counts for the limit; NULL: none */
	/* Callbacks, or NULL. A node was created; is about to be freed; has a new path, or one for the first time; has no name any more. */
	void (*created)(struct name_tree *tree, struct name_node *node);
	void (*dropped)(struct name_tree *tree, struct name_node *node);
	void (*moved)(struct name_tree *tree, struct name_node *node);
	void (*unnamed)(struct name_tree *tree, struct name_node *node);
	uint64_t evicted;             /* nodes evicted */
	uint64_t refused;             /* nodes and names refused for lack of memory */
	uint64_t steps;               /* steps left for walks below directories */
	uint64_t unsettled;           /* walks ended by the step limit: moved() was not called for some nodes */
};

/* Sizes of the owner's structs; `max_memory`: bytes. */
void name_tree_init(struct name_tree *tree, size_t node_size, size_t server_size, uint64_t max_memory);
void name_tree_fini(struct name_tree *tree);

/* Evicts idle nodes to meet the memory limit. Invalidates node pointers, except those of nodes that are kept. */
void name_tree_trim(struct name_tree *tree);

/* The server with this address, added if new. NULL: out of memory. */
struct name_server *name_tree_server(struct name_tree *tree, const struct rtap_end *server);

/* The server with this address, or NULL. */
struct name_server *name_tree_find_server(struct name_tree *tree, const struct rtap_end *server);

/* The node of a handle, added if new. NULL: out of memory, or no handle. */
struct name_node *name_tree_of_handle(struct name_tree *tree, struct name_server *server, struct rtap_span handle);

/* The node of a handle, or NULL. */
struct name_node *name_tree_find_handle(struct name_tree *tree, const struct name_server *server, struct rtap_span handle);

/* The node with this name in a directory, or NULL. Directory and name may be absent. */
struct name_node *name_tree_find(const struct name_tree *tree, const struct name_node *directory, struct rtap_span name);

/* Creates a node with this name and without a handle. NULL: out of memory. */
struct name_node *name_tree_make(struct name_tree *tree, struct name_node *directory, struct rtap_span name);

/* The server's NFSv4 root; NULL: out of memory. */
struct name_node *name_tree_root(struct name_tree *tree, struct name_server *server);

/* Makes the node a root of paths unless it already has a name. */
void name_tree_be_root(struct name_tree *tree, struct name_node *node);

/* The path under which a root was mounted. */
void name_tree_mounted(struct name_tree *tree, struct name_node *root, struct rtap_span path);

/* Protects a node from eviction, or no longer. */
void name_tree_keep(struct name_tree *tree, struct name_node *node, bool keep);

/* Adds a handle, which no node has yet, to a node without handles. */
void name_tree_add_handle(struct name_tree *tree, struct name_node *node, struct rtap_span handle);

/*
 * Gives the node this name in the directory. Returns the node that has the name afterwards: an earlier one with the same name and fileid
 * takes over the handles; any other loses the name.
 */
struct name_node *name_tree_bind(struct name_tree *tree, struct name_node *directory, struct rtap_span name, struct name_node *node);

/* Removes the name. */
void name_tree_unbind(struct name_tree *tree, struct name_node *directory, struct rtap_span name);

/* Renames an entry, possibly into another directory. */
void name_tree_rename(struct name_tree *tree, struct name_node *from, struct rtap_span old, struct name_node *to, struct rtap_span name);

/* The directory of the node's name, or NULL. */
struct name_node *name_tree_parent(const struct name_node *node);

/* Whether the node has a path from a root. */
bool name_tree_is_rooted(const struct name_node *node);

/* Sets the identity of the node's file on the server. */
void name_tree_identify(struct name_tree *tree, struct name_node *node, const uint64_t fsid[2], uint64_t fileid);

/* The node of this file, or NULL. */
struct name_node *name_tree_of_id(const struct name_tree *tree, const struct name_server *server, const uint64_t fsid[2], uint64_t fileid);

/* CRC-32 of the node's latest handle, as nfs.fh.hash; 0 without one. */
uint32_t name_tree_hash(const struct name_node *node);

#endif
