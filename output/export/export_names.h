/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which file a handle is and what it is called: learned from what clients looked up, made, renamed and listed. All handles
 * and names are of one server each (struct rpc_exchange, server).
 */
#ifndef OUTPUT_EXPORT_EXPORT_NAMES_H
#define OUTPUT_EXPORT_EXPORT_NAMES_H

#include <rdmatap/message.h>

#include "output/export/export_disk.h"
#include "output/export/export_ranges.h"
#include "reassembly/store/map.h"

/* A borrowed piece of memory: a handle, a name. */
struct piece {
	const uint8_t *bytes; /* NULL: there is none */
	size_t length;
};

struct name;
struct handle;

struct server {
	struct server *next;
	struct node *root;
	uint64_t doubt;       /* calls not captured that may have changed the contents of any file */
	uint64_t doubt_frame; /* of the latest one's reply */
	uint8_t length, address[16];
};

/* A file or directory of a server. */
struct node {
	struct name *names;        /* what it is called, the latest first; NULL: nobody said */
	struct handle *handles;
	struct name *children;     /* names in it */
	struct node *previous, *next; /* all there are, in the order they were made */
	struct node *older, *newer;   /* idle ones by use */
	bool is_idle, is_root;
	bool has_id;
	struct server *server;
	uint64_t fsid[2], fileid;
	bool gone;                 /* removed: its fileid may be another's soon */
	bool size_known;           /* the server's size is entry->size */
	uint64_t told_size;        /* by the attributes heard last */
	uint64_t unseen_size;      /* told while nothing captured makes it so long; 0: none */
	uint64_t unseen_frame, resized_frame; /* of the replies that told that, and that set a size */
	uint64_t grown_frame;      /* of the latest reply of an operation that may have made it longer */
	uint64_t guessed_size, guessed_frame; /* where a WRITE without its call seems to have ended, and its reply; 0: none */
	bool has_stamp;
	uint64_t stamp;            /* the change attribute, or ctime, reported last */
	uint64_t doubt;            /* its server's, when nothing of the contents was in doubt */
	bool is_certain;           /* a range is data or zeros */
	struct name *placed;       /* what the entry is named after; NULL: after the handle, or an older name */
	struct disk_entry *entry;  /* NULL: nothing is exported of it */
	struct ranges ranges;
};

struct names {
	struct disk *disk;
	struct map handles, names, ids, servers;
	struct node *first, *last;
	struct server *all_servers;
	struct node *newest, *oldest; /* idle: nothing would be lost with them */
	uint64_t memory, max_memory;
	uint64_t forgotten;        /* nodes that made room for others */
	uint64_t refused;          /* nodes that there was no room for */
	uint64_t steps;            /* that walks below directories may still take */
	uint64_t unsettled;        /* walks that ended for want of steps: files stay where they are */
	uint64_t contrary;         /* times that a directory's contents were to be a file's */
};

/* `max_memory`: bytes. */
void names_init(struct names *names, struct disk *disk, uint64_t max_memory);
void names_fini(struct names *names);

/* Makes room, as far as it can. Nodes found before are no longer valid unless they have an entry. */
void names_trim(struct names *names);

/* The server with that address. NULL: no room. */
struct server *names_server(struct names *names, const struct rtap_end *server);

/* The node of a handle, a new one if it was never seen. NULL: no room, or no handle. */
struct node *names_of_handle(struct names *names, struct server *server, struct piece handle);

/* The node that is called so in a directory, or NULL. Neither may be there. */
struct node *names_find(const struct names *names, const struct node *directory, struct piece name);

/* A node that has no handle yet and is called so. NULL: no room. */
struct node *names_make(struct names *names, struct node *directory, struct piece name);

/* The server's NFSv4 root; NULL: no room. */
struct node *names_root(struct names *names, struct server *server);

/* The node is the root of what its path is shown in, unless it is called something already. */
void names_be_root(struct names *names, struct node *node);

/* A node without handles gets one (`handle` is of no node yet). */
void names_add_handle(struct names *names, struct node *node, struct piece handle);
bool names_knows_handle(const struct names *names, const struct server *server, struct piece handle);

/*
 * The node is called so in the directory. Returns who is called so afterwards: another node that was called so and is the
 * same file by its fileid takes the handles over; any other loses the name. Files that have a path now move there.
 */
struct node *names_bind(struct names *names, struct node *directory, struct piece name, struct node *node);

/* The name is gone. */
void names_unbind(struct names *names, struct node *directory, struct piece name);

/* Another name, perhaps in another directory, replaces this one. */
void names_rename(struct names *names, struct node *from, struct piece old, struct node *to, struct piece name);

/* The directory that the node's name is in, or NULL. */
struct node *names_parent(const struct node *node);

/* What file this is, on the server. */
void names_identify(struct names *names, struct node *node, const uint64_t fsid[2], uint64_t fileid);

/* The node that is this file, or NULL. */
struct node *names_of_id(const struct names *names, const struct server *server, const uint64_t fsid[2], uint64_t fileid);

/* The node that is this file and is neither called anything nor gone; or NULL. */
struct node *names_nameless(const struct names *names, const struct server *server, const uint64_t fsid[2], uint64_t fileid);

/* The node's file, made if it is not there yet: under its path or its handle. NULL: the disk failed, or it stands there as a directory. */
struct disk_entry *names_place(struct names *names, struct node *node);

#endif
