/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Known ranges of a file: disjoint, sorted by offset, adjacent ranges of one state merged. Bytes outside of all ranges were never
 * captured.
 */
#ifndef OUTPUT_EXPORT_EXPORT_RANGES_H
#define OUTPUT_EXPORT_EXPORT_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum range_state {
	RANGE_DATA,    /* the bytes are in the exported file */
	RANGE_ZEROS,   /* known to be zero: a hole of the exported file */
	RANGE_MISSING, /* the bytes exist but are unavailable: + enum rtap_missing_reason */
};

struct range {
	uint64_t begin, end; /* offsets; end is exclusive */
	uint8_t state;       /* enum range_state */
};

/* Limit per file; bounds the time of each operation. */
#define RANGES_MAX 16384

/* Zero-initialised: nothing is known. */
struct ranges {
	struct range *at;
	uint32_t count, room;
};

/* Sets the state from `begin` to `end`. False: too many ranges or out of memory; nothing changed. */
bool ranges_set(struct ranges *ranges, uint64_t begin, uint64_t end, unsigned state);

/* Like ranges_set(), but only where nothing is known yet. */
bool ranges_fill(struct ranges *ranges, uint64_t begin, uint64_t end, unsigned state);

/* Sets the state of the range and of all ranges that touch it; loses information but needs no memory. */
void ranges_spoil(struct ranges *ranges, uint64_t begin, uint64_t end, unsigned state);

/* Truncates the ranges to `size`, the new end of the file. */
void ranges_cut(struct ranges *ranges, uint64_t size);

/*
 * The part from `offset` on of the range that contains it. With *known == false: the gap from `offset` to the next range, or to
 * UINT64_MAX after the last.
 */
struct range ranges_at(const struct ranges *ranges, uint64_t offset, bool *known);

void ranges_fini(struct ranges *ranges);

#endif
