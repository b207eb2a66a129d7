/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is reported of a message when nothing will change it any more. Complete means that its bytes are covered.
 */
#ifndef REASSEMBLY_CONCLUDE_H
#define REASSEMBLY_CONCLUDE_H

#include "reassembly/state.h"

/* Works out length, completeness, what is missing, and the outcome, from what was gathered. */
void conclude_message(const struct rtap_tracker *tracker, struct message *message);

#endif
