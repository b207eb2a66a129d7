/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A capture file whose records are divided among the ranks.
 */
#ifndef MPI_SPLIT_H
#define MPI_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

struct source_parts;
struct split;

/*
 * Collective. Finds the records of a file of `size` bytes: each rank those of a stretch of it. Then the file is dealt out in parts of about
 * `piece` bytes, one to each rank in turn, so that all ranks read frames of about the same time. Where the file is broken, the parts end, and
 * one rank prints why. NULL, on all ranks: the file cannot be divided (it is compressed, some rank cannot open it, or it changes its
 * interfaces too often).
 */
struct split *split_create(const char *name, uint64_t size, uint64_t piece);

/* The parts of this rank. */
const struct source_parts *split_parts(const struct split *split);

/* Bytes of these. */
uint64_t split_bytes(const struct split *split);

/* This rank printed that the file is broken. */
bool split_is_broken(const struct split *split);

/* This rank found a wrong beginning of its stretch, or not all interfaces, and went over it again. */
bool split_was_wrong(const struct split *split);

/* NULL is ignored. */
void split_destroy(struct split *split);

#endif
