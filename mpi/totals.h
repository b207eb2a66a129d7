/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef MPI_TOTALS_H
#define MPI_TOTALS_H

#include <rdmatap/tracker.h>

struct reader;

/* Collective: rank 0 reports what all ranks counted, of packets and of the state of their trackers. */
void totals_share(struct reader *reader, const struct rtap_tracker *tracker);

#endif
