/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The clocks of the files of all ranks: by packets that several files have, as one process finds them.
 */
#ifndef MPI_SURVEY_H
#define MPI_SURVEY_H

#include <stdbool.h>

#include "capture/source.h"

struct options;

/*
 * Collective: sets the clock of each input, the same on all ranks, and its partner: the earlier input that shares the most packets with it, or
 * itself. readers: the rank that reads each of them for that. False: no clock is known to differ, or to be equal.
 */
bool survey_clocks(const struct options *options, const unsigned *readers, struct source_clock *clocks, uint64_t *partners);

#endif
