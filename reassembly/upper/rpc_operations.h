/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory for the operations of messages with several operations. It is charged to the messages and kept for reuse after the
 * report.
 */
#ifndef REASSEMBLY_UPPER_RPC_OPERATIONS_H
#define REASSEMBLY_UPPER_RPC_OPERATIONS_H

#include <rdmatap/message.h>

struct rtap_tracker;

#define RPC_OPERATIONS 8 /* enough for most COMPOUNDs */

/*
 * Grows the array to more than `*room` operations, moves its contents and updates `*room`. If `*room` is 0, `operations` is
 * ignored. NULL: out of memory, the array is unchanged.
 */
struct rtap_operation *rpc_operations_grow(struct rtap_tracker *tracker, struct rtap_operation *operations, uint32_t *room);

/* Returns the array with its contents. It has grown if it is larger. */
void rpc_operations_free(struct rtap_tracker *tracker, const struct rtap_operation *operations, uint32_t count);

/* Frees the memory kept for reuse. */
void rpc_operations_fini(struct rtap_tracker *tracker);

#endif
