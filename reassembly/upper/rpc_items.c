/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "reassembly/upper/rpc_items.h"
#include "reassembly/upper/rpc_state.h"

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

struct rtap_item *rpc_items_grow(struct rtap_tracker *tracker, struct rtap_item *operations, uint32_t *room)
{
	uint32_t larger_room = *room ? 2 * *room : RPC_ITEMS;
	struct rtap_item *larger = memory_resize(*room ? operations : NULL, larger_room * sizeof *larger);

	if (larger)
		charge(tracker, larger_room - *room);
	*room = larger_room;
	return larger;
}

void rpc_items_free(struct rtap_tracker *tracker, const struct rtap_item *operations, uint32_t count)
{
	budget_give(&tracker->budget, &tracker->messages, (count > RPC_ITEMS ? room_of(count) : RPC_ITEMS) * sizeof *operations);
	free((void *)(uintptr_t)operations);
}
