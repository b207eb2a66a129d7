/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Transmissions that some points did not capture, to find two that are one packet: their points captured it at times that do not fit together,
 * because a clock was set unnoticed, or because there were too many packets to compare them. Such a packet was not lost.
 */
#ifndef OUTPUT_JOIN_JOIN_UNMATCHED_H
#define OUTPUT_JOIN_JOIN_UNMATCHED_H

#include "reassembly/join/transmission.h"

struct join_direction;
struct join_group;

struct join_unmatched {
	const struct transmission_path *path; /* NULL: empty */
	struct join_direction *direction;
	struct join_group *group;      /* in which it was counted; NULL: in none */
	uint64_t hash, number;
	uint32_t icrc, seen;
	uint32_t kept;                 /* its index in the direction's `missed` + 1; 0: it is not there */
	bool has_icrc;
};

/* The latest ones. All zero: none. */
struct join_unmatcheds {
	struct join_unmatched *places;
	uint32_t room;                 /* a power of two */
	uint64_t *numbers;             /* of those found to be parts of one packet; sorted by join_unmatched_sort() */
	size_t count, number_room;
};

/* Number of places in as many bytes. */
uint32_t join_unmatched_room(uint64_t max_memory);

/* An earlier transmission of the same packet that other points captured. It belongs to the table. NULL: none is known. */
struct join_unmatched *join_unmatched_find(const struct join_unmatcheds *unmatcheds, const struct transmission *transmission);

/* Keeps one; it may replace another one. NULL: out of memory. */
struct join_unmatched *join_unmatched_keep(struct join_unmatcheds *unmatcheds, const struct transmission *transmission);

/* Its packet is complete. */
void join_unmatched_remove(struct join_unmatcheds *unmatcheds, struct join_unmatched *unmatched);

/* Call it before join_unmatched_contains(), which finds those removed by their numbers. */
void join_unmatched_sort(struct join_unmatcheds *unmatcheds);
bool join_unmatched_contains(const struct join_unmatcheds *unmatcheds, uint64_t number);

void join_unmatched_fini(struct join_unmatcheds *unmatcheds);

#endif
