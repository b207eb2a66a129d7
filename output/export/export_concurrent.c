/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/export/export_concurrent.h"

/* Most changes whose bytes are compared with those of another one; more are taken for different. */
#define MOST_COMPARED 8

static void note(struct contents *contents, const struct change *change)
{
	contents->recent[contents->recent_count++ % RECENT_CHANGES] = *change;
}

void concurrent_note_write(struct contents *contents, const struct node *node, uint64_t begin, uint64_t end)
{
	note(contents, &(struct change){ (uintptr_t)node, begin, end, contents->answered, false });
}

void concurrent_note_size(struct contents *contents, const struct node *node, uint64_t size)
{
	note(contents, &(struct change){ (uintptr_t)node, size, UINT64_MAX, contents->answered, true });
}

/* The next older change of the file that had no reply when the current call was sent. NULL: none. */
static const struct change *next(const struct contents *contents, const struct node *node, uint64_t *number)
{
	while (*number && contents->recent_count - *number < RECENT_CHANGES) {
		const struct change *change = &contents->recent[--*number % RECENT_CHANGES];

		if (change->answered <= contents->asked)
			return NULL; /* they are in the order of the replies */
		if (change->file == (uintptr_t)node)
			return change;
	}
	return NULL;
}

struct range concurrent_with_write(const struct contents *contents, const struct node *node, uint64_t offset, const uint8_t *bytes, uint64_t length)
{
	struct range part = { .begin = offset + length, .end = offset };
	uint64_t number = contents->recent_count;
	const struct change *change;
	unsigned compared = 0;

	while ((change = next(contents, node, &number))) {
		uint64_t begin = change->begin > offset ? change->begin : offset;
		uint64_t end = change->end < offset + length ? change->end : offset + length;

		if (change->is_size || begin >= end ||
		    (compared++ < MOST_COMPARED && disk_holds(contents->disk, node->entry, begin, bytes + (begin - offset), end - begin)))
			continue;
		part.begin = begin < part.begin ? begin : part.begin;
		part.end = end > part.end ? end : part.end;
	}
	return part.begin < part.end ? part : (struct range){ 0 };
}

uint64_t concurrent_least_size(const struct contents *contents, const struct node *node)
{
	uint64_t number = contents->recent_count, least = UINT64_MAX;
	const struct change *change;

	while ((change = next(contents, node, &number)))
		if (change->is_size && change->begin < least)
			least = change->begin;
	return least;
}

bool concurrent_with_size(const struct contents *contents, const struct node *node, uint64_t size)
{
	uint64_t number = contents->recent_count;
	const struct change *change;

	while ((change = next(contents, node, &number)))
		if (change->is_size ? change->begin != size : change->end > size)
			return true;
	return false;
}
