/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "mpi/order.h"
#include "mpi/positions.h"
#include "mpi/ranks.h"

bool order_add(struct order *order, uint64_t key)
{
	uint64_t *keys = array_grow(order->keys, &order->room, order->count + 1, sizeof *keys);

	if (!keys)
		return false;
	order->keys = keys;
	keys[order->count] = order->count && keys[order->count - 1] > key ? keys[order->count - 1] : key;
	order->count++;
	return true;
}

bool order_number(struct order *order)
{
	struct position_key *keys = ranks_get(order->count, sizeof *keys);
	struct position *positions = ranks_get(order->count, sizeof *positions);
	struct positions_total total;
	bool found;

	order->numbers = ranks_get(order->count, sizeof *order->numbers);
	for (size_t i = 0; i < order->count; i++)
		keys[i].major = keys[i].time_ns = (int64_t)order->keys[i];
	found = positions_find(keys, order->count, INT64_MAX, positions, &total);
	for (size_t i = 0; i < order->count; i++)
		order->numbers[i] = found ? positions[i].position + 1 : i + 1;
	free(keys);
	free(positions);
	free(total.gaps);
	return found;
}

uint64_t order_find(const struct order *order, uint64_t number)
{
	return number - 1 < order->count ? order->numbers[number - 1] : number;
}

void order_fini(struct order *order)
{
	free(order->keys);
	free(order->numbers);
}
