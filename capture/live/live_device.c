/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions by which devices append frames to a batch.
 */
#include "config.h"

#include <string.h>

#include "capture/live/live_device.h"

uint8_t *live_room(struct live_device *device, struct batch *batch, size_t length)
{
	struct batch_block *block = device->block;

	if (batch->closed)
		return NULL;
	if (block && batch_block_is_unshared(block))
		device->block_used = 0;
	if (!block || block->size - device->block_used < length) {
		/* A batch points into one block only. */
		if (batch->shared.count) {
			batch->closed = true;
			return NULL;
		}
		batch_block_release(block);
		device->block_used = 0;
		device->block = block = batch_block_get(batch->pool, length);
		if (!block)
			return NULL;
		batch_block_release(batch->block);
		batch->block = NULL;
	}
	if (!batch->block)
		batch->block = batch_block_hold(block);
	return block->bytes + device->block_used;
}

bool live_append(struct live_device *device, struct batch *batch, const struct rtap_frame *frame)
{
	uint8_t *room = live_room(device, batch, frame->captured_length);
	struct rtap_frame *added;

	if (!room)
		return false;
	memcpy(room, frame->bytes, frame->captured_length);
	device->block_used += frame->captured_length;
	added = &batch->frames[batch->shared.count++];
	*added = *frame;
	added->bytes = room;
	added->interface = 0;
	added->comments = NULL;
	added->comment_count = 0;
	added->options = NULL;
	batch->closed = batch->shared.count == BATCH_FRAMES;
	return true;
}

void live_count_only(struct batch *batch)
{
	batch->counts_only = true;
	batch->counted_bytes = batch->counted_cut = 0;
	batch->shared.frames = NULL;
}
