/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What landed in memory regions: of one connection, (key, addresses) to (message, offset in it). It goes by the order of
 * the operations, not of their arrival: of bytes that several operations moved the last one's count.
 *
 * A key lives in generations: closing it at an order makes what is ordered from there on belong to the next one, also what
 * was added before. Orders are unwrapped PSNs of one stream: that of who moves the data.
 */
#ifndef REASSEMBLY_REGION_H
#define REASSEMBLY_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "reassembly/map.h"

/* All zero is empty. `memory`: bytes that it takes, for the owner to account for. */
struct regions {
	struct map keys;
	uint64_t memory;
	uint64_t added;
};

/* Bytes of a region that came from one message, or from none. */
struct region_piece {
	uint64_t address, length;
	uint64_t message; /* as told to region_add(); valid unless is_hole */
	uint64_t offset;  /* of the piece's first byte in that message */
	bool is_hole;
};

/*
 * Bytes of `message`, from `offset` on, moved to or from [address, address + length). Of the same order the one added first
 * counts. What would lie behind the last address is left out, and so is what belongs to a forgotten generation. False:
 * memory is out, and nothing has changed.
 */
bool region_add(struct regions *regions, uint32_t r_key, uint64_t address, uint64_t length, uint64_t message, uint64_t offset,
		uint64_t order) __attribute__((warn_unused_result));

/*
 * Hands out what is at [address, address + length) in the generation that `order` is in: pieces and holes that follow each
 * other without overlap, by address. `piece` is borrowed for the call, which must not change the regions. False: memory is
 * out, and nothing was handed out.
 */
bool region_find(const struct regions *regions, uint32_t r_key, uint64_t order, uint64_t address, uint64_t length,
		 void (*visit)(void *owner, const struct region_piece *piece), void *owner) __attribute__((warn_unused_result));

/*
 * Closes the generation that `order` is in: operations from `order` on belong to the next. Of very many generations that are
 * never forgotten the oldest is. False: memory is out, and nothing has changed.
 */
bool region_close(struct regions *regions, uint32_t r_key, uint64_t order) __attribute__((warn_unused_result));

/* Forgets the generations that were closed at `order` or before. */
void region_forget(struct regions *regions, uint32_t r_key, uint64_t order);

/* Frees everything. */
void regions_fini(struct regions *regions);

#endif
