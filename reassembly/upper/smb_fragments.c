/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "dissect/smb/smb.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/upper/smb_fragments.h"

#define MOST_FRAGMENTS 4096
#define MOST_BYTES (16u << 20) /* limit per direction; peers usually negotiate 1 MiB per message */
#define MOST_EXAMINED 256     /* fragments that are searched for the first one of a message */

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
	return before->remaining && before->remaining == (uint64_t)fragment->length + fragment->remaining && !before->lacks_packets &&
	       !fragment->lacks_packets && !may_lack_sends(stream, before, fragment);
}

/*
 * Whether the fragment is of the message that begins with `head`, if fragments between it and the one before may be missing. These must be as long as `head`
 * in all and have as many packets: the end of this message and the start of another would have more, for fragments except the last are equally long.
 */
static bool continues(const struct smb_fragments *fragments, const struct smb_fragment *head, const struct smb_fragment *before,
		      const struct smb_fragment *fragment)
{
	uint64_t after = (uint64_t)fragment->length + fragment->remaining, missing = before->remaining - after;
	uint64_t sends = missing / head->length, between = fragment->psn - before->end;

	if (before->remaining < after || missing % head->length || (sends > 1 && head->length < fragments->longest) ||
	    head->length + (uint64_t)head->remaining > MOST_BYTES || begins(fragment->bytes))
		return false;
	if (before->has_msn && fragment->has_msn)
		return fragment->msn - before->msn - 1 == sends;
	return between == sends * (head->end - head->psn);
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
		bytes += fragments->list[i].bytes.length + coverage_memory(&fragments->list[i].present);
		coverage_fini(&fragments->list[i].present);
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
	if (fragment->length > fragments->longest)
		fragments->longest = fragment->length;
	fragments->bytes += fragment->bytes.length;
	budget_add(&tracker->budget, &connection->entry, fragment->bytes.length);
	return true;
}

static void add_lost(const struct smb_fragment *list, uint32_t count, struct smb_whole *whole)
{
	for (uint32_t i = 0; i < count; i++) {
		recovery_add_time(&whole->lost.time_us, list[i].lost.time_us);
		whole->lost.repeats += list[i].lost.repeats;
	}
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
				     .wire = list->length + list->remaining, .sends = count, .first_psn = list->psn, .last_psn = list[count - 1].psn };
	add_lost(list, count, whole);
	for (uint32_t i = 0, at = 0; i < taken; at += list[i++].bytes.length)
		memcpy(bytes + at, list[i].bytes.bytes, list[i].bytes.length);
	return true;
}

/* Inserts a copy at *place, which changes if older ones are dropped. */
static bool add(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments, uint32_t *place,
		const struct smb_fragment *fragment)
{
	while (fragments->count && (fragments->count >= MOST_FRAGMENTS || fragments->bytes + fragment->bytes.length > MOST_BYTES)) {
		tracker->counters.evictions++;
		remove_some(tracker, connection, fragments, 0, 1);
		*place -= *place > 0;
	}
	return insert(tracker, connection, fragments, *place, fragment);
}

bool smb_fragments_add(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments,
		       const struct psn_stream *stream, const struct smb_fragment *fragment, struct smb_whole *whole)
{
	uint32_t place = place_of(fragments, fragment->psn), first, last;
	bool is_joined = place && follows(stream, &fragments->list[place - 1], fragment), is_done;

	if (place < fragments->count && fragments->list[place].psn == fragment->psn && fragments->list[place].lacks_packets)
		remove_some(tracker, connection, fragments, place, 1);
	if (!fragment->remaining && !is_joined && begins(fragment->bytes)) {
		*whole = (struct smb_whole){ .bytes = fragment->bytes, .first_frame = fragment->frame, .first_ns = fragment->time_ns,
					     .wire = fragment->length, .sends = 1, .first_psn = fragment->psn, .last_psn = fragment->psn };
		return true;
	}
	if (place < fragments->count && fragments->list[place].psn == fragment->psn) {
		if (fragments->list[place].bytes.length >= fragment->bytes.length)
			return false;
		/* the copy before was truncated */
		remove_some(tracker, connection, fragments, place, 1);
	}
	if (!add(tracker, connection, fragments, &place, fragment))
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

struct smb_fragment *smb_fragments_find(const struct smb_fragments *fragments, uint64_t psn)
{
	uint32_t place = place_of(fragments, psn);

	return place < fragments->count && fragments->list[place].psn == psn ? &fragments->list[place] : NULL;
}

void smb_fragments_add_part(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments,
			    const struct smb_fragment *fragment, const struct coverage *present, uint64_t position)
{
	uint32_t place = place_of(fragments, fragment->psn);
	struct smb_fragment *added;
	uint64_t memory;

	if (smb_fragments_find(fragments, fragment->psn) || !add(tracker, connection, fragments, &place, fragment))
		return;
	added = &fragments->list[place];
	added->lacks_packets = true;
	if (!coverage_copy(&added->present, present, position, position + added->length, 0 - position, COVERAGE_BYTES))
		tracker->counters.evictions++;
	memory = coverage_memory(&added->present);
	fragments->bytes += memory;
	budget_add(&tracker->budget, &connection->entry, memory);
}

/* The last fragment of the message that begins with `first`. */
static uint32_t last_of(const struct smb_fragments *fragments, uint32_t first)
{
	const struct smb_fragment *list = fragments->list;
	uint32_t last = first;

	while (list[last].remaining && last + 1 < fragments->count && continues(fragments, &list[first], &list[last], &list[last + 1]))
		last++;
	return last;
}

/* Takes fragments of a message, of which others are missing, out of the list. */
static bool take(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments, uint32_t first, uint32_t last,
		 struct smb_whole *whole)
{
	const struct smb_fragment *list = fragments->list;
	uint64_t fresh, total = (uint64_t)list[first].length + list[first].remaining;
	const struct coverage_run *run;
	bool good = total <= UINT32_MAX;

	*whole = (struct smb_whole){ .first_frame = list[first].frame, .first_ns = list[first].time_ns, .wire = (uint32_t)total,
				     .sends = last - first + 1, .first_psn = list[first].psn, .last_psn = list[last].psn, .lacks_packets = true };
	for (uint32_t i = first; i <= last && good; i++) {
		uint64_t at = total - list[i].remaining - list[i].length;

		good = list[i].lacks_packets ? coverage_copy(&whole->present, &list[i].present, 0, list[i].length, at, COVERAGE_BYTES) :
					       coverage_add(&whole->present, at, list[i].bytes.bytes, list[i].bytes.length, 0, COVERAGE_BYTES, &fresh);
	}
	add_lost(list + first, last - first, whole);
	remove_some(tracker, connection, fragments, first, last - first + 1);
	run = coverage_runs(&whole->present);
	if (good && whole->present.count && whole->present.bytes && !run->begin) {
		whole->bytes = (struct rtap_span){ coverage_bytes(&whole->present, run), (uint32_t)run->end };
		return true;
	}
	tracker->counters.evictions++;
	coverage_fini(&whole->present);
	return false;
}

bool smb_fragments_take(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments, uint64_t id,
			struct smb_whole *whole)
{
	for (uint32_t i = fragments->count; i && fragments->count - i < MOST_EXAMINED; i--) {
		const struct rtap_span bytes = fragments->list[i - 1].bytes;

		if (bytes.length >= SMB2_HEADER_LENGTH && load32(bytes.bytes) == SMB_ID && begins(bytes) && little_bits(bytes.bytes, SMB2_MESSAGE_ID) == id)
			return take(tracker, connection, fragments, i - 1, last_of(fragments, i - 1), whole);
	}
	return false;
}

bool smb_fragments_settle(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments, uint64_t psn,
			  struct smb_whole *whole)
{
	uint32_t at = place_of(fragments, psn), first = at, last;

	if (at == fragments->count || fragments->list[at].psn != psn)
		return false;
	while (first && at - first < MOST_EXAMINED && !begins(fragments->list[first].bytes))
		first--;
	last = begins(fragments->list[first].bytes) ? last_of(fragments, first) : 0;
	if (last == at && begins(fragments->list[first].bytes))
		return take(tracker, connection, fragments, first, last, whole);
	if (last < at)
		remove_some(tracker, connection, fragments, at, 1);
	return false;
}

void smb_fragments_fini(struct rtap_tracker *tracker, struct connection *connection, struct smb_fragments *fragments)
{
	remove_some(tracker, connection, fragments, 0, fragments->count);
	budget_give(&tracker->budget, &connection->entry, fragments->room * sizeof *fragments->list);
	free(fragments->list);
	*fragments = (struct smb_fragments){ 0 };
}
