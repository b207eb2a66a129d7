/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "capture/file/pcapng.h"
#include "capture/kept_blocks.h"

struct kept_block *kept_blocks_make(struct kept_blocks *blocks, uint32_t type, uint32_t length, bool *full)
{
	size_t size = sizeof(struct kept_block) + length;
	struct kept_block *made;

	*full = size > KEPT_BLOCKS_MOST_BYTES - blocks->bytes;
	made = *full ? NULL : malloc(size);
	if (!made)
		return NULL;
	blocks->bytes += size;
	atomic_init(&made->next, NULL);
	atomic_init(&made->next_lasting, NULL);
	made->type = type;
	made->has_interface = false;
	made->interface = 0;
	made->length = length;
	return made;
}

void kept_blocks_append(struct kept_blocks *blocks, struct kept_block *block)
{
	bool lasting = block->type == PCAPNG_SECTION || block->type == PCAPNG_NAMES || block->type == PCAPNG_SECRETS;

	block->sequence = blocks->count++;
	/* a walk of the lasting ones ends at one that is in both lists */
	if (lasting) {
		atomic_store_explicit(blocks->last_lasting ? &blocks->last_lasting->next_lasting : &blocks->first_lasting, block, memory_order_release);
		blocks->last_lasting = block;
	}
	atomic_store_explicit(blocks->last ? &blocks->last->next : &blocks->first, block, memory_order_release);
	blocks->last = block;
}

const struct kept_block *kept_blocks_next(const struct kept_blocks *blocks, const struct kept_block *block)
{
	return atomic_load_explicit(block ? &block->next : &blocks->first, memory_order_acquire);
}

const struct kept_block *kept_blocks_next_lasting(const struct kept_blocks *blocks, const struct kept_block *block)
{
	return atomic_load_explicit(block ? &block->next_lasting : &blocks->first_lasting, memory_order_acquire);
}

void kept_blocks_fini(struct kept_blocks *blocks)
{
	struct kept_block *block = blocks->first, *next;

	for (; block; block = next) {
		next = block->next;
		free(block);
	}
}
