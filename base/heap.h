/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Binary heaps of pointers: access to the first item by an order.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* Initialise `before` and `placed`; all else zero: an empty heap. */
struct heap {
	bool (*before)(const void *one, const void *other); /* a strict order */
	void (*placed)(void *item, size_t at); /* called with the item's new index in `items`; NULL: not needed */
	void **items; /* no item precedes its parent; the children of n are 2n + 1 and 2n + 2 */
	size_t count, room;
};

/* False: out of memory. Cannot fail if the heap has had as many items before. */
bool heap_add(struct heap *heap, void *item) __attribute__((warn_unused_result));

/* Returns the first item; NULL: the heap is empty. */
static inline void *heap_first(const struct heap *heap)
{
	return heap->count ? heap->items[0] : NULL;
}

/* Restores the order after the key of the first item has changed. */
void heap_settle_first(struct heap *heap);

/* Removes the item at an index, which exists, and returns it. */
void *heap_remove(struct heap *heap, size_t at);

/* Removes the first item, which exists, and returns it. */
static inline void *heap_remove_first(struct heap *heap)
{
	return heap_remove(heap, 0);
}

/* Frees the heap, without the items, which leaves it empty. */
void heap_fini(struct heap *heap);

#endif
