/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory for the items of messages with several (COMPOUND). It is charged to the messages and kept for reuse after the
 * report.
 */
#ifndef REASSEMBLY_UPPER_RPC_ITEMS_H
#define REASSEMBLY_UPPER_RPC_ITEMS_H

#include <rdmatap/message.h>

struct rtap_tracker;

#define RPC_ITEMS 8 /* enough for most COMPOUNDs */

/*
 * Grows the array to more than `*room` items, moves its contents and updates `*room`. If `*room` is 0, `items` is
 * ignored. NULL: out of memory, the array is unchanged.
 */
struct rtap_item *rpc_items_grow(struct rtap_tracker *tracker, struct rtap_item *items, uint32_t *room);

/* Returns the array with its contents. It has grown if it is larger. */
void rpc_items_free(struct rtap_tracker *tracker, const struct rtap_item *items, uint32_t count);

#endif
