/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The capture files of a job, and the ranks that read them.
 */
#ifndef MPI_INPUTS_H
#define MPI_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inputs {
	char **names;
	uint64_t *sizes;     /* bytes */
	unsigned *readers;   /* rank that reads each file */
	size_t count, room;
	size_t unreadable;   /* files that were left out */
};

/*
 * Collective: rank 0 looks up `given`, capture files, directories of them and lists (NAME.list, NAME.txt: one name on each line); all ranks get
 * the same files, sorted within each directory, with the ranks that read them: whole files, the largest first, each to the rank with the fewest
 * bytes. Files that their rank cannot open are reported and left out. False: an error was printed.
 */
bool inputs_find(struct inputs *inputs, const char *const *given, size_t count);

void inputs_fini(struct inputs *inputs);

#endif
