/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Free list of memory blocks for objects that are created and freed for each request: malloc() keeps only a few freed blocks of a size at
 * hand. The blocks in the list are few; they are not charged to the budget.
 */
#ifndef REASSEMBLY_STORE_SPARE_BLOCKS_H
#define REASSEMBLY_STORE_SPARE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define SPARE_BLOCK 1024 /* bytes of a block; larger objects are not kept */

struct spare_block;

/* All zero: empty. */
struct spare_blocks {
	struct spare_block *first;
	uint32_t count;
};

/* Memory of a block for an object of `size` bytes. */
static inline size_t spare_blocks_room(size_t size)
{
	return size < SPARE_BLOCK ? SPARE_BLOCK : size;
}

/* A block of spare_blocks_room(size) bytes, undefined. NULL: out of memory, which is counted. */
void *spare_blocks_take(struct spare_blocks *blocks, size_t size) __attribute__((warn_unused_result));

/* Frees a block of spare_blocks_take() for an object of that size, or keeps it. */
void spare_blocks_give(struct spare_blocks *blocks, void *block, size_t size);

/* Frees all that are kept. */
void spare_blocks_fini(struct spare_blocks *blocks);

#endif
