/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <sys/queue.h>

#include "base/memory.h"
#include "reassembly/upper/rpc_items.h"
#include "reassembly/upper/rpc_state.h"

#define MOST_SPARE 1024

struct spare_items {
	SLIST_ENTRY(spare_items) link;
};

_Static_assert(sizeof(struct spare_items) <= sizeof(struct rtap_item), "it is put where operations were");

/* Charged to the messages. */
static void charge(struct rtap_tracker *tracker, uint32_t room)
{
	budget_charge(&tracker->budget, &tracker->messages, room * sizeof(struct rtap_item));
}

/* The room that rpc_items_grow() made for this many. */
static uint32_t room_of(uint32_t count)
{
	uint32_t room = RPC_ITEMS;

	while (room < count)
		room *= 2;
	return room;
}

/* Doubles the room, on the heap. */
static struct rtap_item *__attribute__((noinline)) more_operations(struct rtap_tracker *tracker, struct rtap_item *operations,
									uint32_t *room)
{
	uint32_t larger_room = *room ? 2 * *room : RPC_ITEMS;
	struct rtap_item *larger = memory_resize(*room ? operations : NULL, larger_room * sizeof *larger);

	if (larger)
		charge(tracker, larger_room - *room);
	*room = larger_room;
	return larger;
}

struct rtap_item *rpc_items_grow(struct rtap_tracker *tracker, struct rtap_item *operations, uint32_t *room)
{
	struct rpc_state *state = rpc_state_of(tracker);
	struct spare_items *spare = SLIST_FIRST(&state->spare_items);

	if (*room || !spare)
		return more_operations(tracker, operations, room);
	*room = RPC_ITEMS;
	SLIST_REMOVE_HEAD(&state->spare_items, link);
	state->spare_item_count--;
	charge(tracker, RPC_ITEMS);
	return (struct rtap_item *)(void *)spare;
}

void rpc_items_free(struct rtap_tracker *tracker, const struct rtap_item *operations, uint32_t count)
{
	struct rpc_state *state = rpc_state_of(tracker);
	struct spare_items *spare = (struct spare_items *)(uintptr_t)operations;

	budget_give(&tracker->budget, &tracker->messages, (count > RPC_ITEMS ? room_of(count) : RPC_ITEMS) * sizeof *operations);
	if (count > RPC_ITEMS || state->spare_item_count == MOST_SPARE) {
		free(spare);
		return;
	}
	SLIST_INSERT_HEAD(&state->spare_items, spare, link);
	state->spare_item_count++;
}

void rpc_items_fini(struct rtap_tracker *tracker)
{
	struct rpc_state *state = rpc_state_of(tracker);
	struct spare_items *spare;

	while ((spare = SLIST_FIRST(&state->spare_items))) {
		SLIST_REMOVE_HEAD(&state->spare_items, link);
		free(spare);
	}
}
