/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The bytes of an image as disjoint extents, sorted by offset, each with its state and the frame that set it. Memory limits their number.
 */
#ifndef OUTPUT_EXPORT_EXPORT_EXTENTS_H
#define OUTPUT_EXPORT_EXPORT_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "reassembly/store/tree.h"

/* State of bytes after the last command. */
struct extent_facts {
	uint8_t state;            /* enum range_state; valid with is_known */
	bool is_known;
	/*
	 * The frame after which the state is valid: the response of the last write; for a later read, its request. 0: unknown, or too old
	 * to matter.
	 */
	uint64_t frame;
	uint64_t until;           /* the state was seen after `frame`, and before or at this frame: the response of a read; else `frame` */
};

struct extent {
	struct tree_node node;
	uint64_t begin, end;      /* offsets; end is exclusive */
	struct extent_facts facts;
};

/* All zero: nothing is known. */
struct extents {
	struct tree tree;
	uint64_t count;
};

/*
 * The extent that contains the offset; or the gap from there up to the next one, or to UINT64_MAX: its facts are zero. The node is not valid.
 */
struct extent extents_at(const struct extents *extents, uint64_t offset);

/*
 * Sets the facts from `begin` to `end`, joined with neighbours that have the same. At most two extents more than before. False: more than
 * `most`, or out of memory; nothing changed.
 */
bool extents_set(struct extents *extents, uint64_t begin, uint64_t end, const struct extent_facts *facts, uint64_t most);

/* Sets the state of all extents that touch the range, for which no memory is needed; gaps stay gaps. */
void extents_spoil(struct extents *extents, uint64_t begin, uint64_t end, uint8_t state);

/* Truncates to `size`, the new end of the image. */
void extents_cut(struct extents *extents, uint64_t size);

/* Clears the frames, and joins neighbours of one state. */
void extents_discard(struct extents *extents);

void extents_fini(struct extents *extents);

#endif
