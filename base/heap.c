/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/heap.h"

bool heap_add(struct heap *heap, void *item)
{
	void **items = array_grow(heap->items, &heap->room, heap->count + 1, sizeof *items);
	size_t at = heap->count;

	if (!items)
		return false;
	heap->items = items;
	heap->count++;
	for (; at && heap->before(item, items[(at - 1) / 2]); at = (at - 1) / 2)
		items[at] = items[(at - 1) / 2];
	items[at] = item;
	return true;
}

void heap_settle_first(struct heap *heap)
{
	void **items = heap->items, *moved = items[0];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < heap->count; at = child) {
		if (child + 1 < heap->count && heap->before(items[child + 1], items[child]))
			child++;
		if (!heap->before(items[child], moved))
			break;
		items[at] = items[child];
	}
	items[at] = moved;
}

void *heap_remove_first(struct heap *heap)
{
	void *first = heap->items[0];

	heap->items[0] = heap->items[--heap->count];
	if (heap->count)
		heap_settle_first(heap);
	return first;
}

void heap_fini(struct heap *heap)
{
	free(heap->items);
	heap->items = NULL;
	heap->count = heap->room = 0;
}
