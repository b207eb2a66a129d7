/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finding FPDUs in held bytes of which it is not known where one begins. For fpdu.c.
 */
#ifndef REASSEMBLY_IWARP_FPDU_SEARCH_H
#define REASSEMBLY_IWARP_FPDU_SEARCH_H

#include "reassembly/iwarp/fpdu_count.h"

/* Looks through what is held. On a find FPDUs are told and framer->searching is false. */
void fpdu_search(struct fpdu_framer *framer);

/* No more bytes follow what is held: takes the best there is for a find, if the evidence is enough. */
void fpdu_search_settle(struct fpdu_framer *framer);

/* Makes room in held bytes: gives up what was held longest. */
void fpdu_search_forget(struct fpdu_framer *framer);

#endif
