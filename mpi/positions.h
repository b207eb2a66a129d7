/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Positions of sorted items of all ranks in the order of all: each rank sorts a part of the range of keys.
 */
#ifndef MPI_POSITIONS_H
#define MPI_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What items are sorted by: major, then minor. Equal keys of different ranks: the lower rank comes first. */
struct position_key {
	int64_t major;
	uint64_t minor;
	int64_t time_ns;         /* of the item; no part of the key */
};

struct position {
	uint64_t position;       /* from 0 */
	int64_t before_ns;       /* time of the item before it; of the first one its own */
};

/* Most gaps of one rank's part. */
#define POSITIONS_GAPS 16

/* Before this item passed much time. */
struct position_gap {
	uint64_t position;
	int64_t before_ns;       /* time of the item before it */
	int64_t time_ns;         /* of the item */
};

struct positions_total {
	uint64_t count;          /* items of all ranks */
	int64_t first_ns, last_ns; /* times of the first and the last of them; valid with `count` */
	struct position_gap *gaps; /* in the order of items; each rank finds up to POSITIONS_GAPS */
	size_t gap_count;
};

/*
 * Collective. `keys`: of the items of this rank, in ascending order. Fills one position for each of them. gap_ns: time between two items that
 * makes a gap. False: out of memory on some rank; the same on all. The caller frees the gaps.
 */
bool positions_find(const struct position_key *keys, size_t count, int64_t gap_ns, struct position *positions, struct positions_total *total)
	__attribute__((warn_unused_result));

#endif
