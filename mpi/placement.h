/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which rank analyses what: pairs of hosts are placed where most of their packets are read, as far as that leaves the ranks with equal work.
 * The hosts of a job that writes with immediate data, as NCCL does, are placed together: why a transfer waited is found out from those of others.
 */
#ifndef MPI_PLACEMENT_H
#define MPI_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct placement;

/*
 * Collective: decides by the beginning of each file; the same on all ranks. readers: the rank that reads each file. apart: no hosts are placed
 * together. counting: as in struct input_division. NULL: out of memory, on this rank.
 */
struct placement *placement_create(const char *const *names, size_t count, const unsigned *readers, bool apart, unsigned counting);

/* The rank that analyses a unit of two hosts (mpi/unit.h). Those that were not seen are placed by their number. */
unsigned placement_rank(const struct placement *placement, uint64_t unit, const uint64_t hosts[2]);

/* NULL is ignored. */
void placement_destroy(struct placement *placement);

#endif
