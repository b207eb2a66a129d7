/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "reassembly/memory.h"
#include "reassembly/rpc_operations.h"
#include "reassembly/state.h"

#define MOST_SPARE 1024

struct spare_operations {
	struct spare_operations *next;
};

_Static_assert(sizeof(struct spare_operations) <= sizeof(struct rtap_operation), "it is put where operations were");

struct rtap_operation *rpc_operations_grow(struct rtap_tracker *tracker, struct rtap_operation *operations, uint32_t *room)
{
	struct spare_operations *spare = tracker->spare_operations;

	if (*room) {
		*room *= 2;
		return memory_resize(operations, *room * sizeof *operations);
	}
	*room = RPC_OPERATIONS;
	if (!spare)
		return memory_new(RPC_OPERATIONS * sizeof(struct rtap_operation));
	tracker->spare_operations = spare->next;
	tracker->spare_operation_count--;
	return (struct rtap_operation *)(void *)spare;
}

void rpc_operations_free(struct rtap_tracker *tracker, const struct rtap_operation *operations, uint32_t count)
{
	struct spare_operations *spare = (struct spare_operations *)(uintptr_t)operations;

	if (count > RPC_OPERATIONS || tracker->spare_operation_count == MOST_SPARE) {
		free(spare);
		return;
	}
	spare->next = tracker->spare_operations;
	tracker->spare_operations = spare;
	tracker->spare_operation_count++;
}

void rpc_operations_fini(struct rtap_tracker *tracker)
{
	while (tracker->spare_operations) {
		struct spare_operations *spare = tracker->spare_operations;

		tracker->spare_operations = spare->next;
		free(spare);
	}
}
