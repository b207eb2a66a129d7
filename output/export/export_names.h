/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The exported files: the tree of names, with the known contents of each file and its path on disk. Files are moved
 * on disk when their names become known or change.
 */
#ifndef OUTPUT_EXPORT_EXPORT_NAMES_H
#define OUTPUT_EXPORT_EXPORT_NAMES_H

#include "output/export/export_disk.h"
#include "output/export/export_ranges.h"
#include "reassembly/upper/name_tree.h"

struct server {
	struct name_server name;
	uint64_t doubt;       /* number of uncaptured calls that may have changed the contents of any file */
	uint64_t doubt_frame; /* reply frame of the latest one */
};

/* A file or directory of a server. */
struct node {
	struct name_node name;     /* `placed`: the name that the entry is stored under; NULL: its handle, or an older name */
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
	struct disk_entry *entry;  /* NULL: not exported */
	struct ranges ranges;
};

struct names {
	struct name_tree tree;
	struct disk *disk;
	uint64_t contrary;         /* file data for a node that is a directory */
};

/* `max_memory`: bytes. */
void names_init(struct names *names, struct disk *disk, uint64_t max_memory);
void names_fini(struct names *names);

/* The node's file, created if necessary under its path or its handle. NULL: the disk failed, or the entry is a directory. */
struct disk_entry *names_place(struct names *names, struct node *node);

static inline struct server *names_server(const struct node *node)
{
	return (struct server *)node->name.server;
}

#endif
