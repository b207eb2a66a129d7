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

/* Their memory is that of the messages. */
static void charge(struct rtap_tracker *tracker, uint32_t room)
{
	budget_charge(&tracker->budget, &tracker->messages, room * sizeof(struct rtap_operation));
}

/* What rpc_operations_grow() made room for when there are so many. */
static uint32_t room_of(uint32_t count)
{
	uint32_t room = RPC_OPERATIONS;

	while (room < count)
		room *= 2;
	return room;
}

struct rtap_operation *rpc_operations_grow(struct rtap_tracker *tracker, struct rtap_operation *operations, uint32_t *room)
{
	struct spare_operations *spare = tracker->spare_operations;
	struct rtap_operation *larger;

	if (*room) {
		larger = memory_resize(operations, 2 * *room * sizeof *operations);
		if (larger)
			charge(tracker, *room);
		*room *= 2;
		return larger;
	}
	*room = RPC_OPERATIONS;
	if (spare) {
		tracker->spare_operations = spare->next;
		tracker->spare_operation_count--;
		larger = (struct rtap_operation *)(void *)spare;
	} else {
		larger = memory_new(RPC_OPERATIONS * sizeof *larger);
	}
	if (larger)
		charge(tracker, RPC_OPERATIONS);
	return larger;
}

void rpc_operations_free(struct rtap_tracker *tracker, const struct rtap_operation *operations, uint32_t count)
{
	struct spare_operations *spare = (struct spare_operations *)(uintptr_t)operations;

	budget_give(&tracker->budget, &tracker->messages, room_of(count) * sizeof *operations);
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
