/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages that the FPDUs, records and datagrams of the frame at hand are part of: they are wanted if it is.
 */
#ifndef REASSEMBLY_FRAME_TOUCH_H
#define REASSEMBLY_FRAME_TOUCH_H

#include "reassembly/state.h"

/* The frame at hand gave something of the message. */
void frame_touch(struct rtap_tracker *tracker, struct message *message);

/* The message goes before the frame is done. */
void frame_touch_forget(struct rtap_tracker *tracker, struct message *message);

/* The frame is done: messages that its FPDUs touched are wanted if `wanted`. */
void frame_touch_done(struct rtap_tracker *tracker, bool wanted);

#endif
