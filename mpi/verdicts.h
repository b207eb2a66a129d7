/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Violations that several ranks found, listed and counted as one process does.
 */
#ifndef MPI_VERDICTS_H
#define MPI_VERDICTS_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/feed.h"

struct exchange;
struct verdicts;

/* Whether packets can be checked by several ranks: no assertion is about all of them. */
bool verdicts_can_keep(const struct options *options);

/* NULL: out of memory. */
struct verdicts *verdicts_create(struct exchange *exchange);

/* Makes the command deliver its violations here. */
void verdicts_set_feed(struct verdicts *verdicts, struct feed *set);

/* NULL is ignored. */
void verdicts_destroy(struct verdicts *verdicts);

#endif
