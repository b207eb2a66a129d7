/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One file of text that all ranks write, by MPI-IO.
 */
#ifndef MPI_PARALLEL_FILE_H
#define MPI_PARALLEL_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct parallel_file;

/* Collective: opens an existing file, to write after what it has. NULL, on all ranks: some of them cannot, which rank 0 printed. */
struct parallel_file *parallel_file_open(const char *name);

/*
 * Adds whole lines of this rank. Where they are among those of other ranks is open; those of one rank keep their order. Waits for
 * the other ranks when much has been added.
 */
void parallel_file_add(struct parallel_file *file, const char *text, size_t length);

/* Collective: this rank has no more. Frees. False, on all ranks: the file is not complete, which was printed. NULL is ignored. */
bool parallel_file_close(struct parallel_file *file);

#endif
