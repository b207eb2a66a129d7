/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory for the operations of a message that has several, charged to the messages, and kept for the next one when it is reported.
 */
#ifndef REASSEMBLY_UPPER_RPC_OPERATIONS_H
#define REASSEMBLY_UPPER_RPC_OPERATIONS_H

#include <rdmatap/message.h>

struct rtap_tracker;

#define RPC_OPERATIONS 8 /* that most COMPOUNDs have at most */

/*
 * Memory for more than `*room`, which becomes how many there is room for; what is there moves along. 0: nothing is, and `operations` is not
 * looked at. NULL: memory is out, and what was there stays.
 */
struct rtap_operation *rpc_operations_grow(struct rtap_tracker *tracker, struct rtap_operation *operations, uint32_t *room);

/* Takes it back with what is in it: it has grown if that is more. */
void rpc_operations_free(struct rtap_tracker *tracker, const struct rtap_operation *operations, uint32_t count);

/* Frees what is kept. */
void rpc_operations_fini(struct rtap_tracker *tracker);

#endif
