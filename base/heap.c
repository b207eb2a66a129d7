/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/heap.h"

static void put(const struct heap *heap, size_t at, void *item)
{
	heap->items[at] = item;
	if (heap->placed)
		heap->placed(item, at);
}

/* Moves an item from the free place `at` up to its position. */
static void rise(const struct heap *heap, size_t at, void *item)
{
	for (; at && heap->before(item, heap->items[(at - 1) / 2]); at = (at - 1) / 2)
		put(heap, at, heap->items[(at - 1) / 2]);
	put(heap, at, item);
}

/* Moves an item from the free place `at` down to its position. */
static void sink(const struct heap *heap, size_t at, void *item)
{
	void **items = heap->items;

	for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
		if (child + 1 < heap->count && heap->before(items[child + 1], items[child]))
			child++;
		if (!heap->before(items[child], item))
			break;
		put(heap, at, items[child]);
	}
	put(heap, at, item);
}

bool heap_add(struct heap *heap, void *item)
{
	void **items = array_grow(heap->items, &heap->room, heap->count + 1, sizeof *items);

	if (!items)
		return false;
	heap->items = items;
	rise(heap, heap->count++, item);
	return true;
}

void heap_settle_first(struct heap *heap)
{
	sink(heap, 0, heap->items[0]);
}

void *heap_remove(struct heap *heap, size_t at)
{
	void *removed = heap->items[at], *last = heap->items[--heap->count];

	if (at == heap->count)
		return removed;
	if (at && heap->before(last, heap->items[(at - 1) / 2]))
		rise(heap, at, last);
	else
		sink(heap, at, last);
	return removed;
}

void heap_fini(struct heap *heap)
{
	free(heap->items);
	heap->items = NULL;
	heap->count = heap->room = 0;
}
