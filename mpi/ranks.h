/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all ranks need: other ranks wait for one that fails, so that it ends the whole job.
 */
#ifndef MPI_RANKS_H
#define MPI_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/* Prints the reason and ends all ranks, with exit status 2. */
_Noreturn void ranks_give_up(const char *reason);

/* The same, out of memory. */
_Noreturn void ranks_lack_memory(void);

/* Zeroed memory for `count` elements of `size` bytes and one more. Ends all ranks if there is none. */
void *ranks_get(size_t count, size_t size) __attribute__((returns_nonnull, warn_unused_result));

/* A number of bytes or elements for MPI. Ends all ranks if it is more than INT_MAX; reason: what is so large, and what to do. */
int ranks_count(size_t count, const char *reason);

/* Collective: whether all say so. */
bool ranks_agree(bool ok);

#endif
