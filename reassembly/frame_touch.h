/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages that FPDUs, records and datagrams of the current frame belong to. They are wanted if the frame is.
 */
#ifndef REASSEMBLY_FRAME_TOUCH_H
#define REASSEMBLY_FRAME_TOUCH_H

#include "reassembly/state.h"

/* The current frame contributed to the message. */
void frame_touch(struct rtap_tracker *tracker, struct message *message);

/* The message is destroyed before the end of the frame. */
void frame_touch_discard(struct rtap_tracker *tracker, struct message *message);

/* The frame ends: marks its messages as wanted if `wanted` is set. */
void frame_touch_done(struct rtap_tracker *tracker, bool wanted);

#endif
