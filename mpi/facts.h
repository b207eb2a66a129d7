/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics, or what was lost and delayed between capture points, of several ranks: each passes what its packets, messages, operations and
 * connections add to the counts to rank 0, which counts it in the order of one process.
 */
#ifndef MPI_FACTS_H
#define MPI_FACTS_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/feed.h"

struct exchange;
struct facts;

/* Whether the statistics, or the packets of a join, can be counted so. */
bool facts_can_keep(const struct options *options);
bool facts_can_join(const struct options *options);

/* NULL: out of memory. */
struct facts *facts_create(struct exchange *exchange);

/* Makes the command pass what it counts here. */
void facts_set_feed(struct facts *facts, struct feed *set);

/* Bytes that this rank passed. */
uint64_t facts_bytes(const struct facts *facts);

/* Seconds that rank 0 counted. */
double facts_counting_s(const struct facts *facts);

/* NULL is ignored. */
void facts_destroy(struct facts *facts);

#endif
