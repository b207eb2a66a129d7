/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A growing list of missing ranges, in order.
 */
#ifndef REASSEMBLY_MISSING_LIST_H
#define REASSEMBLY_MISSING_LIST_H

#include <rdmatap/message.h>

#include "reassembly/store/coverage.h"

/* Members that the user does not set are zero: empty. The user frees `items`. */
struct missing_list {
	uint64_t origin;           /* position from which offsets count, modulo 2^64 */
	uint8_t reason;            /* enum rtap_missing_reason of holes that were not truncated */
	bool failed;               /* out of memory: some are not listed */
	struct rtap_missing *items;
	uint32_t count, room;
};

/* Adds a range; an adjacent one with the same reason becomes longer. */
void missing_list_add(struct missing_list *list, struct rtap_missing item);

/* Adds what `data` lacks of the positions from `begin` to `end`. Parts in `cut` were truncated by the capture. */
void missing_list_add_holes(struct missing_list *list, const struct coverage *data, const struct coverage *cut,
			    uint64_t begin, uint64_t end);

/* Whether `data` lacks a position below `end`: cheaper than a list that nobody reads. */
bool missing_list_has_hole(const struct coverage *data, uint64_t end);

#endif
