/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The capture files of a job, and the ranks that read them.
 */
#ifndef MPI_INPUTS_H
#define MPI_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct split;

struct inputs {
	char **names;
	uint64_t *sizes;     /* bytes */
	unsigned *readers;   /* rank that reads each file; of one that is split, its beginning */
	unsigned *surveyors; /* rank that measures each file's clock, for which it is read whole */
	struct split **splits; /* NULL: the file is read whole */
	size_t count, room;
	size_t unreadable;   /* files that were left out */
};

struct input_division {
	uint64_t least;      /* bytes of a file from which on it is split */
	uint64_t piece;      /* as for split_create() */
	unsigned counting;   /* work of rank 0 for all ranks, in thousandths of the reading and analysis of all files */
};

/*
 * Collective: rank 0 looks up `given`, capture files, directories of them and lists (NAME.list, NAME.txt: one name on each line); all ranks get
 * the same files, sorted within each directory, with the ranks that read them. Files that are large enough are split, as far as they can be;
 * others are read whole, the largest first, each by the rank with the fewest bytes. Files that their ranks cannot open are reported and left
 * out. False: an error was printed.
 */
bool inputs_find(struct inputs *inputs, const char *const *given, size_t count, const struct input_division *division);

/*
 * Collective. partners: of each file, an earlier one whose packets it shares, or the file itself. Places files that share packets on the same
 * rank, so that fewer frames move, unless that makes the ranks less equal or a rank cannot open its files.
 */
void inputs_place_together(struct inputs *inputs, const uint64_t *partners, unsigned counting);

void inputs_fini(struct inputs *inputs);

#endif
