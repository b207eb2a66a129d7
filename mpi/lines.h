/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of all ranks as text, merged by their numbers and printed by rank 0.
 */
#ifndef MPI_LINES_H
#define MPI_LINES_H

#include <stddef.h>
#include <stdint.h>

struct lines;
struct reader;

/* Collective. Rank 0 prints with the reader. */
struct lines *lines_open(struct reader *reader);

/* Adds a record of this rank, in ascending order of numbers. Rank 0 prints it after those of other ranks with lower numbers. */
void lines_add(struct lines *lines, uint64_t number, const char *text, size_t length);

/* Collective: this rank has no more. Frees. */
void lines_close(struct lines *lines);

#endif
