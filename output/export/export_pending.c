/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/export/export_pending.h"

/* Servers execute calls within this time. */
#define PENDING_NS (INT64_C(60) * 1000000000)
#define MOST_PENDING 64 /* ranges; each change of the file examines those that it touches */

bool pending_set_ranges(struct name_tree *tree, struct ranges *ranges, uint64_t begin, uint64_t end, unsigned state, bool only_unknown)
{
	uint32_t room = ranges->room;
	bool done = false;

	if (tree->memory < tree->max_memory || ranges->count + 2 <= room)
		done = only_unknown ? ranges_fill(ranges, begin, end, state) : ranges_set(ranges, begin, end, state);
	tree->memory += (ranges->room - room) * sizeof *ranges->at;
	return done;
}

static void set(struct contents *contents, struct node *node, uint64_t begin, uint64_t end, enum pending_state state)
{
	if (begin < end && !pending_set_ranges(&contents->tree, &node->pending, begin, end, state, false) && state != PENDING_DONE)
		ranges_spoil(&node->pending, begin, end, PENDING_CHANGED);
}

void pending_add(struct contents *contents, struct node *node, uint64_t begin, uint64_t end, enum pending_state state)
{
	const struct ranges *pending = &node->pending;

	node->cut_from = 0;
	set(contents, node, begin, end, state);
	if (pending->count > MOST_PENDING)
		set(contents, node, pending->at[0].begin, pending->at[pending->count - 1].end, PENDING_CHANGED);
	if (contents->asked_ns > node->pending_ns)
		node->pending_ns = contents->asked_ns;
}

void pending_add_size(struct contents *contents, struct node *node, uint64_t before, uint64_t size)
{
	bool is_alone = !node->pending.count;

	pending_add(contents, node, size, UINT64_MAX, PENDING_CHANGED);
	if (!is_alone || size >= before)
		return;
	node->cut_from = before;
	node->cut_to = size;
}

/* Other calls make the file longer: those that make it shorter lower cut_from. */
void pending_confirm_size(struct contents *contents, struct node *node, uint64_t size)
{
	if (size >= node->cut_from)
		return;
	set(contents, node, node->cut_to, UINT64_MAX, PENDING_DONE);
	node->confirmed_frame = contents->answered;
}

/* The next part of the range that may be changed after the current call. False: there is none. */
static bool next(const struct contents *contents, const struct node *node, uint64_t at, uint64_t end, struct range *part)
{
	/* such a call can have been executed before the one that is done; but not what confirms it */
	bool is_earlier = contents->asked < node->confirmed_frame && contents->answered != node->confirmed_frame;

	for (; at < end; at = part->end) {
		bool known;

		*part = ranges_at(&node->pending, at, &known);
		part->end = part->end < end ? part->end : end;
		if (known && (part->state != PENDING_DONE || is_earlier))
			return true;
	}
	return false;
}

void pending_doubt(struct contents *contents, struct node *node, uint64_t begin, uint64_t end)
{
	struct range part;

	if (contents->asked_ns - node->pending_ns > PENDING_NS) {
		contents->tree.memory -= node->pending.room * sizeof *node->pending.at;
		ranges_fini(&node->pending);
	}
	for (uint64_t at = begin; next(contents, node, at, end, &part); at = part.end) {
		if (!pending_set_ranges(&contents->tree, &node->ranges, part.begin, part.end, RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED, false))
			ranges_spoil(&node->ranges, part.begin, part.end, RANGE_MISSING + RTAP_MISSING_EVICTED);
		set(contents, node, part.begin, part.end, PENDING_CHANGED);
	}
}

void pending_confirm(struct contents *contents, struct node *node, uint64_t offset, const uint8_t *bytes, uint64_t length)
{
	struct range part;

	for (uint64_t at = offset; next(contents, node, at, offset + length, &part); at = part.end)
		if (part.state == PENDING_STORED && disk_holds(contents->disk, node->entry, part.begin, bytes + (part.begin - offset), part.end - part.begin)) {
			set(contents, node, part.begin, part.end, PENDING_DONE);
			node->confirmed_frame = contents->answered;
		}
}
