/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Searching held bytes for the start of an FPDU. For fpdu.c.
 */
#ifndef REASSEMBLY_IWARP_FPDU_SEARCH_H
#define REASSEMBLY_IWARP_FPDU_SEARCH_H

#include "reassembly/iwarp/fpdu_sequence.h"

/* Searches the held bytes. On success delivers FPDUs and clears framer->searching. */
void fpdu_search(struct fpdu_framer *framer);

/* No more bytes follow: accepts the best candidate if its evidence suffices. */
void fpdu_search_settle(struct fpdu_framer *framer);

/* Makes room in the held bytes by dropping the oldest. */
void fpdu_search_discard(struct fpdu_framer *framer);

#endif
