/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The list tracker->ahead: messages being reassembled that keep their bytes although these may not be needed, in the order
 * in which they began to.
 */
#ifndef REASSEMBLY_KEPT_AHEAD_H
#define REASSEMBLY_KEPT_AHEAD_H

#include "reassembly/state.h"

/* Adds a message. Its keeps_ahead is set. */
void kept_ahead_enter(struct rtap_tracker *tracker, struct message *message);

/* Removes a message. */
void kept_ahead_leave(struct rtap_tracker *tracker, struct message *message);

#endif
