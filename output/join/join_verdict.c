/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "output/join/join_verdict.h"

static bool was_lost(const struct join_brief *packet, unsigned *hop)
{
	return packet->direction && packet->seen != packet->active && join_lost_at(packet->direction, packet->seen, packet->active, hop);
}

/* How much longer it took than the fastest packet of its direction. */
static int64_t queued_ns(const struct join_brief *packet)
{
	const struct join_direction *direction = packet->direction;
	const struct histogram *delays;

	if (!direction->order_count)
		return 0;
	delays = direction->delays[direction->order[0]][direction->order[direction->order_count - 1]];
	return delays && delays->count ? packet->last_ns - packet->time_ns - (int64_t)delays->least : 0;
}

struct join_verdict join_verdict_of(const struct join_stall *stall)
{
	const struct join_brief *before = &stall->before, *after = &stall->after;
	bool is_same_way = before->direction == after->direction;
	struct join_verdict verdict = { JOIN_NETWORK, JOIN_LOST, before, 0 };

	if (was_lost(before, &verdict.hop))
		return verdict;
	verdict.packet = &stall->lost;
	if (after->is_repeat && was_lost(&stall->lost, &verdict.hop))
		return verdict;
	verdict.packet = before;
	verdict.reason = JOIN_DELAYED;
	if (queued_ns(before) >= stall->duration_ns / 2)
		return verdict;
	verdict.place = is_same_way && !after->is_repeat ? JOIN_SENDER : JOIN_RECEIVER;
	verdict.reason = is_same_way && after->is_repeat ? JOIN_UNANSWERED : JOIN_LATE;
	return verdict;
}

static int compare(const void *left, const void *right)
{
	const struct join_stall *one = *(struct join_stall *const *)left, *other = *(struct join_stall *const *)right;
	enum join_place place = join_verdict_of(one).place, other_place = join_verdict_of(other).place;

	if (place != other_place)
		return place < other_place ? -1 : 1;
	if (one->duration_ns != other->duration_ns)
		return one->duration_ns > other->duration_ns ? -1 : 1;
	return one->after.number < other->after.number ? -1 : 1;
}

size_t join_verdict_sort(struct join_stalls *stalls, struct join_stall ***sorted)
{
	*sorted = (struct join_stall **)stalls->longest.items;
	if (stalls->longest.count)
		qsort(*sorted, stalls->longest.count, sizeof **sorted, compare);
	return stalls->longest.count;
}

const char *join_verdict_place_name(enum join_place place)
{
	static const char *const names[] = { "network", "receiver", "sender" };

	return names[place];
}

const char *join_verdict_reason_name(enum join_reason reason)
{
	static const char *const names[] = { "lost", "delayed", "unanswered", "late" };

	return names[reason];
}
