/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/export/export_queue.h"

struct queued {
	struct rpc_exchange exchange;
	uint64_t frame, order, memory;
	uint8_t bytes[];      /* data of the parts: extents, missing ranges, bytes */
};

static uint64_t bytes_of(const struct rpc_part *part)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < part->extent_count; i++)
		if (part->extents[i].kind == XDR_BYTES)
			bytes += part->extents[i].length;
	return bytes;
}

/* Structs precede bytes for alignment. */
static uint64_t structs_of(const struct rpc_part *part)
{
	return part->extent_count * sizeof *part->extents + part->missing_count * sizeof *part->missing;
}

static uint8_t *copy_structs(struct rpc_part *part, uint8_t *to)
{
	size_t extents = part->extent_count * sizeof *part->extents, missing = part->missing_count * sizeof *part->missing;

	if (extents)
		part->extents = memcpy(to, part->extents, extents);
	if (missing)
		part->missing = memcpy(to + extents, part->missing, missing);
	return to + extents + missing;
}

static uint8_t *copy_bytes(struct rpc_part *part, uint8_t *to)
{
	struct xdr_extent *extents = (struct xdr_extent *)(uintptr_t)part->extents;

	for (uint32_t i = 0; i < part->extent_count; i++)
		if (extents[i].kind == XDR_BYTES && extents[i].length) {
			extents[i].bytes = memcpy(to, extents[i].bytes, extents[i].length);
			to += extents[i].length;
		}
	return to;
}

static struct queued *copy_of(const struct rpc_exchange *exchange)
{
	uint64_t length = structs_of(&exchange->call) + structs_of(&exchange->reply) + bytes_of(&exchange->call) + bytes_of(&exchange->reply);
	struct queued *queued = length <= PTRDIFF_MAX - sizeof *queued ? memory_new(sizeof *queued + (size_t)length) : NULL;
	uint8_t *to;

	if (!queued)
		return NULL;
	queued->exchange = *exchange;
	queued->exchange.connection = NULL;
	queued->frame = exchange->reply.present ? exchange->reply.last_frame : exchange->call.first_frame;
	queued->memory = sizeof *queued + length;
	to = copy_structs(&queued->exchange.call, queued->bytes);
	to = copy_structs(&queued->exchange.reply, to);
	to = copy_bytes(&queued->exchange.call, to);
	copy_bytes(&queued->exchange.reply, to);
	return queued;
}

static bool is_before(const void *one, const void *other)
{
	const struct queued *a = one, *b = other;

	return a->frame != b->frame ? a->frame < b->frame : a->order < b->order;
}

bool export_queue_add(struct export_queue *queue, const struct rpc_exchange *exchange)
{
	struct queued *queued = copy_of(exchange);

	if (!queued)
		return false;
	queue->heap.before = is_before;
	queued->order = queue->sequence++;
	if (!heap_add(&queue->heap, queued)) {
		free(queued);
		return false;
	}
	queue->late += queued->frame < queue->last_frame;
	queue->memory += queued->memory;
	return true;
}

const struct rpc_exchange *export_queue_next(const struct export_queue *queue, bool all)
{
	const struct queued *first = heap_first(&queue->heap);

	return first && (all || queue->memory > queue->max_memory) ? &first->exchange : NULL;
}

void export_queue_drop(struct export_queue *queue)
{
	struct queued *first = heap_remove_first(&queue->heap);

	if (first->frame > queue->last_frame)
		queue->last_frame = first->frame;
	queue->memory -= first->memory;
	free(first);
}

void export_queue_fini(struct export_queue *queue)
{
	while (queue->heap.count)
		export_queue_drop(queue);
	heap_fini(&queue->heap);
}
