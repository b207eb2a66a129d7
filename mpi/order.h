/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers of messages, operations or connections of this rank among those of all ranks.
 */
#ifndef MPI_ORDER_H
#define MPI_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: none. */
struct order {
	uint64_t *keys;           /* what they follow, such as the first frames of messages, in the order of this rank's numbers */
	size_t count, room;
	uint64_t *numbers;        /* among those of all ranks, from 1 */
};

/*
 * The next number of this rank. A number later than a lower key before it follows that, as in the order in which one process
 * reports. False: out of memory.
 */
bool order_add(struct order *order, uint64_t key) __attribute__((warn_unused_result));

/* Collective: finds the numbers among all ranks. False: out of memory; the numbers are those of this rank. */
bool order_number(struct order *order) __attribute__((warn_unused_result));

/* The number among all ranks; 0 stays 0. */
uint64_t order_find(const struct order *order, uint64_t number);

void order_fini(struct order *order);

#endif
