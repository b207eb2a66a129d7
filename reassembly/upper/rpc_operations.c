/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "reassembly/store/memory.h"
#include "reassembly/upper/rpc_operations.h"
#include "reassembly/state.h"

#define MOST_SPARE 1024

struct spare_operations {
	struct spare_operations *next;
};

_Static_assert(sizeof(struct spare_operations) <= sizeof(struct rtap_operation), "it is put where operations were");

/* Charged to the messages. */
static void charge(struct rtap_tracker *tracker, uint32_t room)
{
	budget_charge(&tracker->budget, &tracker->messages, room * sizeof(struct rtap_operation));
}

/* The room that rpc_operations_grow() made for this many. */
static uint32_t room_of(uint32_t count)
{
	uint32_t room = RPC_OPERATIONS;

	while (room < count)
		room *= 2;
	return room;
}

/* Doubles the room, on the heap. */
static struct rtap_operation *__attribute__((noinline)) more_operations(struct rtap_tracker *tracker, struct rtap_operation *operations,
									uint32_t *room)
{
	uint32_t larger_room = *room ? 2 * *room : RPC_OPERATIONS;
	struct rtap_operation *larger = memory_resize(*room ? operations : NULL, larger_room * sizeof *larger);

	if (larger)
		charge(tracker, larger_room - *room);
	*room = larger_room;
	return larger;
}

struct rtap_operation *rpc_operations_grow(struct rtap_tracker *tracker, struct rtap_operation *operations, uint32_t *room)
{
	struct spare_operations *spare = tracker->spare_operations;

	if (*room || !spare)
		return more_operations(tracker, operations, room);
	*room = RPC_OPERATIONS;
	tracker->spare_operations = spare->next;
	tracker->spare_operation_count--;
	charge(tracker, RPC_OPERATIONS);
	return (struct rtap_operation *)(void *)spare;
}

void rpc_operations_free(struct rtap_tracker *tracker, const struct rtap_operation *operations, uint32_t count)
{
	struct spare_operations *spare = (struct spare_operations *)(uintptr_t)operations;

	budget_give(&tracker->budget, &tracker->messages, (count > RPC_OPERATIONS ? room_of(count) : RPC_OPERATIONS) * sizeof *operations);
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
