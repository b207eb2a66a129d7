/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "reassembly/store/spare_blocks.h"

#define MOST_SPARE 64

struct spare_block {
	struct spare_block *next;
};

void *spare_blocks_take(struct spare_blocks *blocks, size_t size)
{
	struct spare_block *block = blocks->first;

	if (!block || size > SPARE_BLOCK)
		return memory_new(spare_blocks_room(size));
	blocks->first = block->next;
	blocks->count--;
	return block;
}

void spare_blocks_give(struct spare_blocks *blocks, void *block, size_t size)
{
	struct spare_block *spare = block;

	if (!MEMORY_REUSED || blocks->count >= MOST_SPARE || size > SPARE_BLOCK) {
		free(block);
		return;
	}
	spare->next = blocks->first;
	blocks->first = spare;
	blocks->count++;
}

void spare_blocks_fini(struct spare_blocks *blocks)
{
	struct spare_block *next;

	for (struct spare_block *block = blocks->first; block; block = next) {
		next = block->next;
		free(block);
	}
	*blocks = (struct spare_blocks){ 0 };
}
