/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Directories for files that paths name: DIR/smb/<server>/<share>/<directories>. Paths are as reassembly/file_effect.h has them.
 */
#ifndef OUTPUT_EXPORT_EXPORT_PATHS_H
#define OUTPUT_EXPORT_EXPORT_PATHS_H

#include "base/map.h"
#include "output/export/export_disk.h"

/* Initialise `disk` and `max_memory`; all else zero: no directories. */
struct paths {
	struct disk *disk;
	uint64_t max_memory, memory; /* bytes */
	struct map directories;
};

/* Creates a file at the path, and its directories if necessary. NULL: out of memory, too deep, or the disk failed. */
struct disk_entry *paths_make_file(struct paths *paths, const char *path);

/* Moves a file to another path; a file already there gets another name. False: likewise. */
bool paths_move(struct paths *paths, struct disk_entry *entry, const char *path);

void paths_fini(struct paths *paths);

#endif
