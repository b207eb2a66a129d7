/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions by which devices append frames to a batch.
 */
#ifndef CAPTURE_LIVE_LIVE_DEVICE_H
#define CAPTURE_LIVE_LIVE_DEVICE_H

#include "capture/live.h"

/*
 * For devices that copy: returns room for another frame of `length` bytes, in a block of the batch's pool. NULL: no room, and
 * batch->closed is set (for an empty batch only if out of memory).
 */
uint8_t *live_room(struct live_device *device, struct batch *batch, size_t length);

/*
 * Appends a frame with a copy of its captured bytes, no comments and interface 0. False: no room, and batch->closed is
 * set; append the frame to the next batch.
 */
bool live_append(struct live_device *device, struct batch *batch, const struct rtap_frame *frame)
	__attribute__((warn_unused_result));

/* Makes an empty batch count its frames only, in shared.count, counted_bytes and counted_cut. */
void live_count_only(struct batch *batch);

#endif
