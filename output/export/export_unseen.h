/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes of files whose path is not known: the request was not captured, or the file was opened before.
 */
#ifndef OUTPUT_EXPORT_EXPORT_UNSEEN_H
#define OUTPUT_EXPORT_EXPORT_UNSEEN_H

#include <sys/queue.h>

#include "output/export/export_extents.h"

#define UNSEEN_EXTENTS 1024

/* Changes of some file below a path. */
struct unseen {
	SLIST_ENTRY(unseen) link;
	uint64_t frame;           /* of the last response to a change of any bytes */
	uint64_t first;           /* of requests with one file id: the frame of the first one; 0: of any request */
	struct extents ranges;    /* that changed, with the frame of the last response */
	size_t length;
	const char *path;         /* empty: of any server */
};

/* All zero: none. */
struct unseen_changes {
	SLIST_HEAD(, unseen) list;
	struct unseen any;        /* below any path, and those beyond the limits */
	unsigned count;
	uint64_t extents, most_extents; /* most_extents: 0: UNSEEN_EXTENTS */
	uint64_t ranges;          /* changes of ranges since the beginning */
};

/* Adds a change of the bytes from `begin` to `end`, answered in `frame`. Returns the memory that it took, at most `room`. */
size_t unseen_add(struct unseen_changes *changes, const char *path, uint64_t first, uint64_t frame, uint64_t begin, uint64_t end, size_t room);

/* Whether the changes can be of the file. `born`: the frame of the response that created it, 0: unknown. */
bool unseen_is_of(const struct unseen *unseen, const char *path, uint64_t born);

void unseen_fini(struct unseen_changes *changes);

#endif
