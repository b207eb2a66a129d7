/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "output/export/export_extents.h"

static struct extent *extent_of(const struct tree_node *node)
{
	return node ? (struct extent *)((char *)(uintptr_t)node - offsetof(struct extent, node)) : NULL;
}

static int order(const struct tree_node *left, const struct tree_node *right)
{
	const struct extent *a = extent_of(left), *b = extent_of(right);

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* The first extent that ends after an offset is the lowest that is not before it. */
static int order_of_offset(const struct tree_node *node, const void *key)
{
	const uint64_t *offset = key;

	return extent_of(node)->end > *offset ? 1 : -1;
}

static struct extent *first_after(const struct extents *extents, uint64_t offset)
{
	return extent_of(tree_at_or_after(&extents->tree, order_of_offset, &offset));
}

static struct extent *next_of(const struct extent *extent)
{
	return extent_of(tree_next(&extent->node));
}

static bool is_same(const struct extent_facts *a, const struct extent_facts *b)
{
	return a->state == b->state && a->is_known == b->is_known && a->frame == b->frame && a->until == b->until;
}

static void add(struct extents *extents, struct extent *extent, uint64_t begin, uint64_t end, const struct extent_facts *facts)
{
	extents->tree.order = order;
	extent->begin = begin;
	extent->end = end;
	extent->facts = *facts;
	tree_insert(&extents->tree, &extent->node);
	extents->count++;
}

static void drop(struct extents *extents, struct extent *extent)
{
	tree_remove(&extents->tree, &extent->node);
	extents->count--;
	free(extent);
}

struct extent extents_at(const struct extents *extents, uint64_t offset)
{
	const struct extent *extent = first_after(extents, offset);

	if (extent && extent->begin <= offset)
		return *extent;
	return (struct extent){ .begin = offset, .end = extent ? extent->begin : UINT64_MAX };
}

/* Joins an extent with its neighbours if they have the same facts. */
static void join(struct extents *extents, struct extent *extent)
{
	struct extent *before = extent_of(tree_previous(&extent->node)), *after = next_of(extent);

	if (before && before->end == extent->begin && is_same(&before->facts, &extent->facts)) {
		extent->begin = before->begin;
		drop(extents, before);
	}
	if (after && after->begin == extent->end && is_same(&after->facts, &extent->facts)) {
		extent->end = after->end;
		drop(extents, after);
	}
}

bool extents_set(struct extents *extents, uint64_t begin, uint64_t end, const struct extent_facts *facts, uint64_t most)
{
	struct extent *fresh, *rest = NULL, *extent;

	if (begin >= end)
		return true;
	extent = first_after(extents, begin);
	/* room for what is set, and for what is left of an extent around it */
	if (extents->count + 2 > most)
		return false;
	fresh = malloc(sizeof *fresh);
	if (extent && extent->begin < begin && extent->end > end)
		rest = malloc(sizeof *rest);
	if (!fresh || (extent && extent->begin < begin && extent->end > end && !rest)) {
		free(fresh);
		free(rest);
		return false;
	}
	if (rest)
		add(extents, rest, end, extent->end, &extent->facts);
	if (extent && extent->begin < begin) {
		extent->end = begin;
		extent = next_of(extent);
	}
	while (extent && extent->begin < end) {
		struct extent *next = next_of(extent);

		if (extent->end > end)
			extent->begin = end;
		else
			drop(extents, extent);
		extent = next;
	}
	add(extents, fresh, begin, end, facts);
	join(extents, fresh);
	return true;
}

void extents_spoil(struct extents *extents, uint64_t begin, uint64_t end, uint8_t state)
{
	for (struct extent *extent = first_after(extents, begin); extent && extent->begin < end; extent = next_of(extent)) {
		extent->facts.state = state;
		extent->facts.is_known = true;
	}
}

void extents_cut(struct extents *extents, uint64_t size)
{
	struct extent *extent = first_after(extents, size);

	if (extent && extent->begin < size) {
		extent->end = size;
		extent = next_of(extent);
	}
	while (extent) {
		struct extent *next = next_of(extent);

		drop(extents, extent);
		extent = next;
	}
}

void extents_discard(struct extents *extents)
{
	struct extent *last = NULL, *next;

	for (struct extent *extent = extent_of(tree_first(&extents->tree)); extent; extent = next) {
		next = next_of(extent);
		extent->facts.frame = extent->facts.until = 0;
		if (last && last->end == extent->begin && is_same(&last->facts, &extent->facts)) {
			last->end = extent->end;
			drop(extents, extent);
		} else {
			last = extent;
		}
	}
}

void extents_fini(struct extents *extents)
{
	extents_cut(extents, 0);
}
