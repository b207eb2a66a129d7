/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is known of a file's bytes: disjoint ranges in order of offset, neighbours of one state joined. What no range covers
 * was never captured.
 */
#ifndef OUTPUT_EXPORT_EXPORT_RANGES_H
#define OUTPUT_EXPORT_EXPORT_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum range_state {
	RANGE_DATA,    /* the bytes are in the exported file */
	RANGE_ZEROS,   /* known to be zero: a hole of the exported file */
	RANGE_MISSING, /* the bytes were said, but are not at hand: + enum rtap_missing_reason */
};

struct range {
	uint64_t begin, end; /* offsets; end is behind the last byte */
	uint8_t state;       /* enum range_state */
};

/* A file's own limit, so that one file cannot make every step slow. */
#define RANGES_MAX 16384

/* All zero knows nothing. */
struct ranges {
	struct range *at;
	uint32_t count, room;
};

/* What is known from `begin` to `end` is this now. False, and nothing changed: there are too many ranges, or memory is out. */
bool ranges_set(struct ranges *ranges, uint64_t begin, uint64_t end, unsigned state);

/* The same, but only where nothing is known yet. */
bool ranges_fill(struct ranges *ranges, uint64_t begin, uint64_t end, unsigned state);

/* Whatever touches the range is of this state now, as a whole: less is known than before, and no more memory is needed. */
void ranges_spoil(struct ranges *ranges, uint64_t begin, uint64_t end, unsigned state);

/* Forgets what is known from `size` on: the file ends there. */
void ranges_cut(struct ranges *ranges, uint64_t size);

/*
 * The range that `offset` is in, cut to begin there; or, with known == false, the gap up to the next one (to UINT64_MAX behind
 * the last).
 */
struct range ranges_at(const struct ranges *ranges, uint64_t offset, bool *known);

void ranges_fini(struct ranges *ranges);

#endif
