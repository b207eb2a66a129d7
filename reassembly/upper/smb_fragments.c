/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "dissect/smb/smb.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/upper/smb_fragments.h"

#define MOST_FRAGMENTS 4096
#define MOST_BYTES (16u << 20) /* limit per direction; peers usually negotiate 1 MiB per message */

/* Whether a message begins with these bytes. A later command of a compound does not begin one. */
static bool begins(struct rtap_span bytes)
{
	uint32_t id = bytes.length >= 4 ? load32(bytes.bytes) : 0;

	if (id != SMB_ID)
		return smb_is_id(id);
	return bytes.length < SMB2_HEADER_LENGTH || !(little_bits(bytes.bytes, SMB2_FLAGS) & SMB2_IS_RELATED);
}

/*
 * Whether the end of one message may have been sent between the fragments, and the start of the next: then at least two SENDs, or one if
 * the fragment itself can be that start.
 */
static bool may_lack_sends(const struct psn_stream *stream, const struct smb_fragment *before, const struct smb_fragment *fragment)
{
	if (before->has_msn && fragment->has_msn)
		return before->msn + 1 != fragment->msn;
	return stream && fragment->psn > before->end + !begins(fragment->bytes) &&
	       psn_lacks(stream, before->given_up, before->end, fragment->psn);
}

static bool follows(const struct psn_stream *stream, const struct smb_fragment *before, const struct smb_fragment *fragment)
{
	return before->remaining && before->remaining == (uint64_t)fragment->length + fragment->remaining && !may_lack_sends(stream, before, fragment);
}

/* Index of the first fragment at or after the PSN: usually all are before it. */
static uint32_t place_of(const struct smb_fragments *fragments, uint64_t psn)
{
	uint32_t low = 0, high = fragments->count;

	if (high && fragments->list[high - 1].psn < psn)
		return high;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (fragments->list[middle].psn < psn)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void remove_some(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments, uint32_t first, uint32_t count)
{
	uint64_t bytes = 0;

	if (!count)
		return;
	for (uint32_t i = first; i < first + count; i++) {
		bytes += fragments->list[i].bytes.length;
		free((void *)(uintptr_t)fragments->list[i].bytes.bytes);
	}
	fragments->count -= count;
	memmove(fragments->list + first, fragments->list + first + count, (fragments->count - first) * sizeof *fragments->list);
	fragments->bytes -= bytes;
	budget_give(&tracker->budget, &connection->entry, bytes);
}

static bool make_room(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments)
{
	uint32_t before = fragments->room;
	struct smb_fragment *larger;

	if (fragments->count < before)
		return true;
	larger = array_reserve(fragments->list, &fragments->room, fragments->count + 1, 8, UINT32_MAX, sizeof *larger);
	if (!larger)
		return false;
	budget_add(&tracker->budget, &connection->entry, (fragments->room - before) * sizeof *larger);
	fragments->list = larger;
	return true;
}

/* Inserts a copy at `place`. */
static bool insert(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments, uint32_t place,
		   const struct smb_fragment *fragment)
{
	uint8_t *copy = memory_new(fragment->bytes.length + !fragment->bytes.length);

	if (!copy || !make_room(tracker, connection, fragments)) {
		free(copy);
		tracker->counters.evictions++;
		return false;
	}
	memcpy(copy, fragment->bytes.bytes, fragment->bytes.length);
	memmove(fragments->list + place + 1, fragments->list + place, (fragments->count - place) * sizeof *fragments->list);
	fragments->list[place] = *fragment;
	fragments->list[place].bytes.bytes = copy;
	fragments->count++;
	fragments->bytes += fragment->bytes.length;
	budget_add(&tracker->budget, &connection->entry, fragment->bytes.length);
	return true;
}

/* Joins `count` fragments from `first` on. */
static bool join(const struct smb_fragments *fragments, uint32_t first, uint32_t count, struct smb_whole *whole)
{
	const struct smb_fragment *list = fragments->list + first;
	uint32_t length = 0, taken = 0;
	uint8_t *bytes;

	while (taken < count && list[taken].bytes.length == list[taken].length)
		length += list[taken++].length;
	length += taken < count ? list[taken++].bytes.length : 0;
	bytes = memory_new(length + !length);
	if (!bytes)
		return false;
	*whole = (struct smb_whole){ .bytes = { bytes, length }, .first_frame = list->frame, .first_ns = list->time_ns,
				     .wire = list->length + list->remaining, .sends = count };
	for (uint32_t i = 0, at = 0; i < taken; at += list[i++].bytes.length)
		memcpy(bytes + at, list[i].bytes.bytes, list[i].bytes.length);
	return true;
}

bool smb_fragments_add(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments,
		       const struct psn_stream *stream, const struct smb_fragment *fragment, struct smb_whole *whole)
{
	uint32_t place = place_of(fragments, fragment->psn), first, last;
	bool is_joined = place && follows(stream, &fragments->list[place - 1], fragment), is_done;

	if (!fragment->remaining && !is_joined && begins(fragment->bytes)) {
		*whole = (struct smb_whole){ .bytes = fragment->bytes, .first_frame = fragment->frame, .first_ns = fragment->time_ns,
					     .wire = fragment->length, .sends = 1 };
		return true;
	}
	if (place < fragments->count && fragments->list[place].psn == fragment->psn) {
		if (fragments->list[place].bytes.length >= fragment->bytes.length)
			return false;
		/* the copy before was truncated */
		remove_some(tracker, connection, fragments, place, 1);
	}
	while (fragments->count && (fragments->count >= MOST_FRAGMENTS || fragments->bytes + fragment->bytes.length > MOST_BYTES)) {
		tracker->counters.evictions++;
		remove_some(tracker, connection, fragments, 0, 1);
		place -= place > 0;
	}
	if (!insert(tracker, connection, fragments, place, fragment))
		return false;
	last = place;
	while (fragments->list[last].remaining && last + 1 < fragments->count && follows(stream, &fragments->list[last], &fragments->list[last + 1]))
		last++;
	if (fragments->list[last].remaining)
		return false;
	first = place;
	while (first && follows(stream, &fragments->list[first - 1], &fragments->list[first]))
		first--;
	if (!begins(fragments->list[first].bytes))
		return false;
	is_done = join(fragments, first, last - first + 1, whole);
	tracker->counters.evictions += !is_done;
	remove_some(tracker, connection, fragments, first, last - first + 1);
	return is_done;
}

void smb_fragments_fini(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments)
{
	remove_some(tracker, connection, fragments, 0, fragments->count);
	budget_give(&tracker->budget, &connection->entry, fragments->room * sizeof *fragments->list);
	free(fragments->list);
	*fragments = (struct smb_fragments){ 0 };
}
