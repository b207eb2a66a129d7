/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Blocks of pcapng files besides packets and interfaces, for files written of these: sections, names, secrets, statistics, custom blocks.
 * The thread that reads appends; another one may walk the lists meanwhile.
 */
#ifndef CAPTURE_KEPT_BLOCKS_H
#define CAPTURE_KEPT_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEPT_BLOCKS_MOST_BYTES (16u << 20) /* of a source: memory must be bounded */

/* A block. */
struct kept_block {
	_Atomic(struct kept_block *) next, next_lasting;
	uint64_t sequence;  /* once appended: blocks before it */
	uint64_t before;    /* frames before it: of its file, once appended of the source */
	uint32_t type;      /* enum pcapng_block_type */
	bool has_interface; /* false: none was described in its section before it */
	uint32_t interface; /* number in the source: of statistics theirs, otherwise of the first one of the section */
	uint32_t length;    /* of the body, a multiple of 4 */
	uint8_t body[];     /* in host byte order, padded. Section: its options. Statistics: without the interface, times in nanoseconds */
};

/* All zero: none, and none wanted. */
struct kept_blocks {
	_Atomic(struct kept_block *) first, first_lasting; /* `lasting`: of each file of a series: sections, names and secrets */
	struct kept_block *last, *last_lasting;
	bool wanted;
	uint64_t count;
	size_t bytes;       /* of those made */
	uint64_t left_out;  /* blocks that cannot be kept */
};

/* Returns a block, from malloc(), with room for a body whose length is a multiple of 4; NULL: out of memory, or the limit is reached (*full). */
struct kept_block *kept_blocks_make(struct kept_blocks *blocks, uint32_t type, uint32_t length, bool *full);

/* Appends a block, which it owns from then on. */
void kept_blocks_append(struct kept_blocks *blocks, struct kept_block *block);

/* The block after `block` (NULL: the first), or the next one that is lasting. NULL: none yet. */
const struct kept_block *kept_blocks_next(const struct kept_blocks *blocks, const struct kept_block *block);
const struct kept_block *kept_blocks_next_lasting(const struct kept_blocks *blocks, const struct kept_block *block);

/* Frees the blocks appended. */
void kept_blocks_fini(struct kept_blocks *blocks);

#endif
