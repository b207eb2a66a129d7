/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef MPI_TOTALS_H
#define MPI_TOTALS_H

struct reader;

/* Collective: rank 0 reports what all ranks counted. */
void totals_share(struct reader *reader);

#endif
