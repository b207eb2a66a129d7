/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files of handles, and names of files, learned from lookups, creations, renames and directory listings. Each handle and name belongs
 * to one server (struct rpc_exchange, server).
 */
#ifndef OUTPUT_EXPORT_EXPORT_NAMES_H
#define OUTPUT_EXPORT_EXPORT_NAMES_H

#include <rdmatap/message.h>

#include "output/export/export_disk.h"
#include "output/export/export_ranges.h"
#include "reassembly/store/map.h"

/* A borrowed piece of memory: a handle, a name. */
struct piece {
	const uint8_t *bytes; /* NULL: absent */
	size_t length;
};

struct name;
struct handle;

struct server {
	struct server *next;
	struct node *root;
	uint64_t doubt;       /* number of uncaptured calls that may have changed the contents of any file */
	uint64_t doubt_frame; /* reply frame of the latest one */
	uint8_t length, address[16];
};

/* A file or directory of a server. */
struct node {
	struct name *names;        /* its names, the latest first; NULL: unknown */
	struct handle *handles;
	struct name *children;     /* names in this directory */
	struct node *previous, *next; /* list of all nodes in order of creation */
	struct node *older, *newer;   /* LRU list of idle nodes */
	bool is_idle, is_root;
	bool has_id;
	struct server *server;
	uint64_t fsid[2], fileid;
	bool gone;                 /* removed: the server may reuse its fileid */
	bool size_known;           /* the server's size is entry->size */
	uint64_t reported_size;    /* size in the last attributes */
	uint64_t unseen_size;      /* reported size that no captured operation explains; 0: none */
	uint64_t unseen_frame, resized_frame; /* reply frames: of unseen_size; of the last operation that set a size */
	uint64_t grown_frame;      /* latest reply frame of an operation that may have extended the file */
	uint64_t guessed_size, guessed_frame; /* probable end of a WRITE without its call, and its reply frame; 0: none */
	bool has_stamp;
	uint64_t stamp;            /* last change attribute or ctime */
	uint64_t doubt;            /* server->doubt when the contents were last certain */
	bool is_certain;           /* some range is data or zeros */
	struct name *placed;       /* the name that the entry is stored under; NULL: its handle, or an older name */
	struct disk_entry *entry;  /* NULL: not exported */
	struct ranges ranges;
};

struct names {
	struct disk *disk;
	struct map handles, names, ids, servers;
	struct node *first, *last;
	struct server *all_servers;
	struct node *newest, *oldest; /* idle nodes: they can be evicted without loss */
	uint64_t memory, max_memory;
	uint64_t forgotten;        /* nodes evicted */
	uint64_t refused;          /* nodes refused for lack of memory */
	uint64_t steps;            /* steps left for walks below directories */
	uint64_t unsettled;        /* walks ended by the step limit: files stay at their old paths */
	uint64_t contrary;         /* file data for a node that is a directory */
};

/* `max_memory`: bytes. */
void names_init(struct names *names, struct disk *disk, uint64_t max_memory);
void names_fini(struct names *names);

/* Evicts idle nodes to meet the memory limit. Invalidates node pointers, except those of nodes with an entry. */
void names_trim(struct names *names);

/* The server with this address, added if new. NULL: out of memory. */
struct server *names_server(struct names *names, const struct rtap_end *server);

/* The node of a handle, added if new. NULL: out of memory, or no handle. */
struct node *names_of_handle(struct names *names, struct server *server, struct piece handle);

/* The node with this name in a directory, or NULL. Directory and name may be absent. */
struct node *names_find(const struct names *names, const struct node *directory, struct piece name);

/* Creates a node with this name and without a handle. NULL: out of memory. */
struct node *names_make(struct names *names, struct node *directory, struct piece name);

/* The server's NFSv4 root; NULL: out of memory. */
struct node *names_root(struct names *names, struct server *server);

/* Makes the node a root of paths unless it already has a name. */
void names_be_root(struct names *names, struct node *node);

/* Adds a handle, which no node has yet, to a node without handles. */
void names_add_handle(struct names *names, struct node *node, struct piece handle);
bool names_knows_handle(const struct names *names, const struct server *server, struct piece handle);

/*
 * Gives the node this name in the directory. Returns the node that has the name afterwards: an earlier one with the same name and fileid
 * takes over the handles; any other loses the name. Files whose path becomes known are moved.
 */
struct node *names_bind(struct names *names, struct node *directory, struct piece name, struct node *node);

/* Removes the name. */
void names_unbind(struct names *names, struct node *directory, struct piece name);

/* Renames an entry, possibly into another directory. */
void names_rename(struct names *names, struct node *from, struct piece old, struct node *to, struct piece name);

/* The directory of the node's name, or NULL. */
struct node *names_parent(const struct node *node);

/* Sets the identity of the node's file on the server. */
void names_identify(struct names *names, struct node *node, const uint64_t fsid[2], uint64_t fileid);

/* The node of this file, or NULL. */
struct node *names_of_id(const struct names *names, const struct server *server, const uint64_t fsid[2], uint64_t fileid);

/* The node of this file if it has no name and was not removed; or NULL. */
struct node *names_nameless(const struct names *names, const struct server *server, const uint64_t fsid[2], uint64_t fileid);

/* The node's file, created if necessary under its path or its handle. NULL: the disk failed, or the entry is a directory. */
struct disk_entry *names_place(struct names *names, struct node *node);

#endif
