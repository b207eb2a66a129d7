/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Computes what is reported of a message that no longer changes. Complete means that all its bytes are covered.
 */
#ifndef REASSEMBLY_CONCLUDE_H
#define REASSEMBLY_CONCLUDE_H

#include "reassembly/state.h"

/* Computes length, completeness, missing ranges and outcome. */
void conclude_message(const struct rtap_tracker *tracker, struct message *message);

#endif
