/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pieces of a generation are kept as they came, each overlap included, because closing a generation takes some away:
 * what counts is worked out when it is asked for. They stand in a treap by address; each node knows how far its subtree
 * reaches, so that the pieces at some addresses are found without looking at others.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "reassembly/region.h"

#define MAX_GENERATIONS 4096
#define FIRST_ROOM 4

struct node {
	struct node *left, *right;
	uint64_t begin, end;          /* addresses */
	uint64_t message, offset;
	uint64_t order, added;
	uint64_t furthest, last_order; /* greatest end and order in the subtree */
	uint64_t priority;
};

struct generation {
	uint64_t end;                 /* order at which it was closed; UINT64_MAX: open */
	struct node *root;
};

struct key {
	uint32_t r_key, count, room;
	uint64_t forgotten;           /* orders below belong to generations that are no more */
	struct generation *generations; /* by end; the last one is open */
};

static uint64_t hash_of(uint32_t r_key)
{
	uint64_t word = r_key;

	return map_hash(&word, 1);
}

static bool has_number(const void *value, const void *r_key)
{
	return ((const struct key *)value)->r_key == *(const uint32_t *)r_key;
}

static struct key *find_key(const struct regions *regions, uint32_t r_key)
{
	return map_find(&regions->keys, hash_of(r_key), has_number, &r_key);
}

static struct key *create_key(struct regions *regions, uint32_t r_key)
{
	struct key *key = calloc(1, sizeof *key);

	if (!key)
		return NULL;
	key->r_key = r_key;
	key->generations = malloc(FIRST_ROOM * sizeof *key->generations);
	if (!key->generations || !map_add(&regions->keys, hash_of(r_key), key)) {
		free(key->generations);
		free(key);
		return NULL;
	}
	key->room = FIRST_ROOM;
	key->count = 1;
	key->generations[0] = (struct generation){ UINT64_MAX, NULL };
	regions->memory += sizeof *key + FIRST_ROOM * sizeof *key->generations + 2 * sizeof(struct map_slot);
	return key;
}

/* Index of the generation that an order is in. */
static uint32_t generation_of(const struct key *key, uint64_t order)
{
	uint32_t low = 0, high = key->count - 1;

	/* nearly always the open one */
	if (key->count < 2 || key->generations[high - 1].end <= order)
		return high;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (key->generations[middle].end <= order)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void update(struct node *node)
{
	const struct node *children[] = { node->left, node->right };

	node->furthest = node->end;
	node->last_order = node->order;
	for (int i = 0; i < 2; i++) {
		if (children[i] && children[i]->furthest > node->furthest)
			node->furthest = children[i]->furthest;
		if (children[i] && children[i]->last_order > node->last_order)
			node->last_order = children[i]->last_order;
	}
}

/* Nodes that begin before an address, and the others. Priorities are random: recursion is as deep as a logarithm. */
static void split(struct node *node, uint64_t address, struct node **before, struct node **behind)
{
	if (!node) {
		*before = *behind = NULL;
	} else if (node->begin < address) {
		split(node->right, address, &node->right, behind);
		update(node);
		*before = node;
	} else {
		split(node->left, address, before, &node->left);
		update(node);
		*behind = node;
	}
}

static struct node *merge(struct node *before, struct node *behind)
{
	if (!before || !behind)
		return before ? before : behind;
	if (before->priority > behind->priority) {
		before->right = merge(before->right, behind);
		update(before);
		return before;
	}
	behind->left = merge(before, behind->left);
	update(behind);
	return behind;
}

static void insert(struct generation *generation, struct node *node)
{
	struct node *before, *behind;

	node->left = node->right = NULL;
	update(node);
	split(generation->root, node->begin, &before, &behind);
	generation->root = merge(merge(before, node), behind);
}

bool region_add(struct regions *regions, uint32_t r_key, uint64_t address, uint64_t length, uint64_t message, uint64_t offset, uint64_t order)
{
	struct key *key = find_key(regions, r_key);
	struct node *node;
	uint64_t words[2] = { regions->added, address };

	if (length > UINT64_MAX - address)
		length = UINT64_MAX - address;
	if (!length || (key && order < key->forgotten))
		return true;
	node = malloc(sizeof *node);
	if (!key && node)
		key = create_key(regions, r_key);
	if (!node || !key) {
		free(node);
		return false;
	}
	*node = (struct node){
		.begin = address, .end = address + length, .message = message, .offset = offset, .order = order, .added = regions->added++,
		.priority = map_hash(words, 2),
	};
	insert(&key->generations[generation_of(key, order)], node);
	regions->memory += sizeof *node;
	return true;
}

/* Pieces that overlap [begin, end), by address: their number, and themselves if `nodes` is not NULL. */
static size_t collect(const struct node *node, uint64_t begin, uint64_t end, const struct node **nodes, size_t count)
{
	if (!node || node->furthest <= begin)
		return count;
	count = collect(node->left, begin, end, nodes, count);
	if (node->begin >= end)
		return count;
	if (node->end > begin) {
		if (nodes)
			nodes[count] = node;
		count++;
	}
	return collect(node->right, begin, end, nodes, count);
}

static bool counts_over(const struct node *node, const struct node *other)
{
	return node->order != other->order ? node->order > other->order : node->added < other->added;
}

/* A heap whose first node counts over all others. */
struct heap {
	const struct node **nodes;
	size_t count;
};

static void push(struct heap *heap, const struct node *node)
{
	size_t at = heap->count++;

	for (; at && counts_over(node, heap->nodes[(at - 1) / 2]); at = (at - 1) / 2)
		heap->nodes[at] = heap->nodes[(at - 1) / 2];
	heap->nodes[at] = node;
}

static void pop(struct heap *heap)
{
	const struct node *node = heap->nodes[--heap->count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count && counts_over(heap->nodes[child + 1], heap->nodes[child]))
			child++;
		if (!counts_over(heap->nodes[child], node))
			break;
		heap->nodes[at] = heap->nodes[child];
		at = child;
	}
	heap->nodes[at] = node;
}

/* Where the piece that counts at `at` ends, or a later one takes over; those that it covers go to the heap. */
static uint64_t reach(const struct node *top, struct heap *heap, const struct node **nodes, size_t count, size_t *next, uint64_t end)
{
	uint64_t stop = top->end < end ? top->end : end;

	for (; *next < count && nodes[*next]->begin < stop; ++*next) {
		if (counts_over(nodes[*next], top))
			return nodes[*next]->begin;
		push(heap, nodes[*next]);
	}
	return stop;
}

/* `nodes` has room for twice their number. */
static void walk(const struct node **nodes, size_t count, uint64_t begin, uint64_t end,
		 void (*visit)(void *owner, const struct region_piece *piece), void *owner)
{
	struct heap heap = { nodes + count, 0 };
	size_t next = 0;

	for (uint64_t at = begin; at < end;) {
		struct region_piece piece = { .address = at, .is_hole = true };
		uint64_t stop;

		while (next < count && nodes[next]->begin <= at)
			push(&heap, nodes[next++]);
		while (heap.count && heap.nodes[0]->end <= at)
			pop(&heap);
		if (heap.count) {
			const struct node *top = heap.nodes[0];

			stop = reach(top, &heap, nodes, count, &next, end);
			piece.is_hole = false;
			piece.message = top->message;
			piece.offset = top->offset + (at - top->begin);
		} else {
			stop = next < count ? nodes[next]->begin : end;
		}
		piece.length = stop - at;
		visit(owner, &piece);
		at = stop;
	}
}

bool region_find(const struct regions *regions, uint32_t r_key, uint64_t order, uint64_t address, uint64_t length,
		 void (*visit)(void *owner, const struct region_piece *piece), void *owner)
{
	const struct key *key = find_key(regions, r_key);
	const struct node *root = key && order >= key->forgotten ? key->generations[generation_of(key, order)].root : NULL;
	uint64_t end = length > UINT64_MAX - address ? UINT64_MAX : address + length;
	size_t count = collect(root, address, end, NULL, 0);
	const struct node **nodes = malloc((2 * count + 1) * sizeof *nodes);

	if (!nodes)
		return false;
	collect(root, address, end, nodes, 0);
	walk(nodes, count, address, end, visit, owner);
	free(nodes);
	return true;
}

/* Takes the nodes ordered from `order` on out of a subtree, to a list by `left`; returns what remains. */
static struct node *take_later(struct node *node, uint64_t order, struct node **list)
{
	if (!node || node->last_order < order)
		return node;
	node->left = take_later(node->left, order, list);
	node->right = take_later(node->right, order, list);
	if (node->order >= order) {
		struct node *rest = merge(node->left, node->right);

		node->left = *list;
		*list = node;
		return rest;
	}
	update(node);
	return node;
}

static void free_nodes(struct regions *regions, struct node *node)
{
	if (!node)
		return;
	free_nodes(regions, node->left);
	free_nodes(regions, node->right);
	regions->memory -= sizeof *node;
	free(node);
}

static void forget_first(struct regions *regions, struct key *key, uint32_t count)
{
	if (!count)
		return;
	for (uint32_t i = 0; i < count; i++)
		free_nodes(regions, key->generations[i].root);
	key->forgotten = key->generations[count - 1].end;
	key->count -= count;
	memmove(key->generations, key->generations + count, key->count * sizeof *key->generations);
}

static bool reserve(struct regions *regions, struct key *key)
{
	uint32_t room = key->room * 2;
	struct generation *larger;

	if (key->count == MAX_GENERATIONS)
		forget_first(regions, key, MAX_GENERATIONS / 4);
	if (key->count < key->room)
		return true;
	larger = realloc(key->generations, room * sizeof *larger);
	if (!larger)
		return false;
	regions->memory += (room - key->room) * sizeof *larger;
	key->generations = larger;
	key->room = room;
	return true;
}

bool region_close(struct regions *regions, uint32_t r_key, uint64_t order)
{
	struct key *key = find_key(regions, r_key);
	struct node *list = NULL;
	uint32_t at;

	if (!key)
		key = create_key(regions, r_key);
	if (!key || !reserve(regions, key))
		return false;
	if (order <= key->forgotten)
		return true;
	at = generation_of(key, order);
	if (at && key->generations[at - 1].end == order)
		return true;
	memmove(key->generations + at + 1, key->generations + at, (key->count - at) * sizeof *key->generations);
	key->count++;
	key->generations[at].end = order;
	key->generations[at].root = take_later(key->generations[at].root, order, &list);
	key->generations[at + 1].root = NULL;
	while (list) {
		struct node *node = list;

		list = node->left;
		insert(&key->generations[at + 1], node);
	}
	return true;
}

void region_forget(struct regions *regions, uint32_t r_key, uint64_t order)
{
	struct key *key = find_key(regions, r_key);
	uint32_t count = 0;

	if (!key)
		return;
	while (key->generations[count].end <= order && count < key->count - 1)
		count++;
	forget_first(regions, key, count);
}

void regions_fini(struct regions *regions)
{
	for (size_t i = 0; i < regions->keys.room; i++) {
		struct key *key = regions->keys.slots[i].value;

		if (!key)
			continue;
		for (uint32_t j = 0; j < key->count; j++)
			free_nodes(regions, key->generations[j].root);
		free(key->generations);
		free(key);
	}
	map_fini(&regions->keys);
	*regions = (struct regions){ .memory = 0 };
}
