/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory for the operations of a message that has several, kept for the next one when it is told.
 */
#ifndef REASSEMBLY_RPC_OPERATIONS_H
#define REASSEMBLY_RPC_OPERATIONS_H

#include <rdmatap/message.h>

struct rtap_tracker;

#define RPC_OPERATIONS 8 /* that most COMPOUNDs have at most */

/* Memory for so many, from the heap, where it can grow. NULL: memory is out. */
struct rtap_operation *rpc_operations_new(struct rtap_tracker *tracker);

/* Takes it back with what is in it: it has grown if that is more. */
void rpc_operations_free(struct rtap_tracker *tracker, const struct rtap_operation *operations, uint32_t count);

/* Frees what is kept. */
void rpc_operations_fini(struct rtap_tracker *tracker);

#endif
