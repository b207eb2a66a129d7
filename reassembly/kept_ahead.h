/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages under way that keep their bytes though nobody may ask for them, in the order in which they began to: tracker->ahead.
 */
#ifndef REASSEMBLY_KEPT_AHEAD_H
#define REASSEMBLY_KEPT_AHEAD_H

#include "reassembly/state.h"

/* The message becomes one of them: it does keeps_ahead. */
void kept_ahead_enter(struct rtap_tracker *tracker, struct message *message);

/* It is one no longer. */
void kept_ahead_leave(struct rtap_tracker *tracker, struct message *message);

#endif
