/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists of messages, operations and connections that several ranks found: kept until their numbers are known, then shown as one list.
 */
#ifndef MPI_RECORDS_H
#define MPI_RECORDS_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/feed.h"

struct exchange;
struct records;

/* Whether a command's results can be found by several ranks: they do not depend on the line before or on those of other ranks. */
bool records_can_keep(const struct options *options);

/* `output`: a file that all ranks write, instead of rank 0 printing all; borrowed; NULL: none. NULL: an error was printed. */
struct records *records_create(struct exchange *exchange, const char *output);

/* Makes the command keep and deliver its results here. */
void records_set_feed(struct records *records, struct feed *set);

/* NULL is ignored. */
void records_destroy(struct records *records);

#endif
