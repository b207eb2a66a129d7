/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Directories for files that paths name: DIR/smb/<server>/<share>/<directories>. Paths are as reassembly/file_effect.h has them.
 */
#ifndef OUTPUT_EXPORT_EXPORT_PATHS_H
#define OUTPUT_EXPORT_EXPORT_PATHS_H

#include "base/path_tree.h"
#include "output/export/export_disk.h"

/* A file or directory. */
struct path {
	struct path_node node;
	struct disk_entry *directory; /* NULL: none on the disk */
	void *file;                  /* of the owner, who frees it; NULL: none */
	struct disk_entry *entry;    /* with `file`: on the disk */
};

/* By paths_init(). */
struct paths {
	struct disk *disk;
	uint64_t max_memory;         /* bytes */
	struct disk_entry *root;     /* NULL: not created yet */
	struct path_tree tree;       /* of struct path */
};

void paths_init(struct paths *paths, struct disk *disk, uint64_t max_memory);

/* The file or directory at the path. NULL: unknown. */
struct path *paths_find(const struct paths *paths, const char *path);

/* The same, with `entry` of a file created, and its directories. Once for each path. NULL: out of memory, too deep, or the disk failed. */
struct path *paths_make_file(struct paths *paths, const char *path);

/* Moves a file or directory, with all below it, to another path; one already there gets another name. False: likewise. */
bool paths_move(struct paths *paths, const char *from, const char *to);

void paths_fini(struct paths *paths);

#endif
