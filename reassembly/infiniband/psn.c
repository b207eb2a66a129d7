/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "reassembly/infiniband/early_response.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/time_windows.h"

#define FIRST_ROOM 16
/* Most slots of a ring for each packet that arrived. */
#define RECENT_SPARSE 32
#define MAX_GAPS 4096
/* Most gaps examined for requests that can be SENDs. */
#define MOST_EXAMINED 16
/* Most READ responses kept. */
#define MAX_RESPONSES 1024

void psn_start(struct psn_stream *stream, uint32_t psn)
{
	stream->started = true;
	/* room below, for late packets */
	stream->low = stream->next = stream->acknowledged = (UINT64_C(1) << 32) + psn;
}

/* Whether a PSN precedes another; bits from 24 on do not count. */
static inline bool is_below(uint32_t psn, uint32_t other)
{
	return (int32_t)((psn - other) << 8) < 0;
}

/* A ring with more slots does not turn: the PSNs of all its slots would not return to their slots after 0xffffff. */
#define MOST_TURNING 4096
#define PSN_BITS 24

/*
 * A ring has a slot of its own for each of as many consecutive PSNs as it has slots. One with few packets turns by one slot with each `room` PSNs, so
 * that PSNs at equal distances, as the first ones of READs are, do not share slots; it holds one packet less.
 */
static inline uint32_t slot_of(const struct recent *recent, uint32_t psn)
{
	return (psn + ((psn & PSN_MASK) >> recent->turn_shift)) & (recent->room - 1);
}

/* `psn`: any that is near those of the ring. */
static bool grow_recent(struct recent *recent, struct psn_stream *stream, uint64_t psn)
{
	uint32_t before = recent->room, room = before ? before * 2 : FIRST_ROOM;
	uint64_t newest = 0, at;
	struct recent_packet *smaller = recent->packets, *larger = memory_new(room * sizeof *larger);

	if (!larger)
		return false;
	for (uint32_t i = 0; i < room; i++)
		larger[i].psn = RECENT_NONE;
	recent->packets = larger;
	recent->room = room;
	recent->turn_shift = before && room <= MOST_TURNING && recent->arrived < room / 4 ? (uint8_t)__builtin_ctz(room) : PSN_BITS;
	for (uint32_t i = 0; i < before; i++) {
		struct recent_packet *slot = &larger[slot_of(recent, smaller[i].psn)];

		if (smaller[i].psn == RECENT_NONE)
			continue;
		at = psn + (uint64_t)(int64_t)((int32_t)((smaller[i].psn - (uint32_t)psn) << 8) >> 8);
		if (at > newest)
			newest = at;
		if (slot->psn == RECENT_NONE || is_below(slot->psn, smaller[i].psn))
			*slot = smaller[i];
	}
	if (newest >= recent->known_from + recent->holds)
		recent->known_from = newest + 1 - recent->holds;
	recent->holds = room - (recent->turn_shift < PSN_BITS);
	free(smaller);
	stream->resized = true;
	return true;
}

static struct recent_packet *find_recent(const struct recent *recent, uint32_t psn)
{
	struct recent_packet *packet;

	if (!recent->room)
		return NULL;
	packet = &recent->packets[slot_of(recent, psn)];
	return (packet->psn & PSN_MASK) == psn && packet->psn != RECENT_NONE ? packet : NULL;
}

/* Whether no packet with this PSN was entered: its slot has an older one. */
static bool has_no_entry(const struct recent *recent, uint64_t psn)
{
	uint32_t there;

	if (!recent->room || psn < recent->known_from)
		return false;
	there = recent->packets[slot_of(recent, (uint32_t)psn)].psn;
	return there == RECENT_NONE || is_below(there, (uint32_t)psn);
}

static inline void put(struct recent *recent, uint64_t psn, const struct psn_identity *identity)
{
	recent->packets[slot_of(recent, (uint32_t)psn)] = (struct recent_packet){
		.psn = ((uint32_t)psn & PSN_MASK) | (identity->point & 0x7f) << 24,
		.time_us = (uint32_t)(identity->time_ns / 1000),
		.digest = identity->digest,
		.first_id = identity->id,
		.last_id = identity->id,
	};
}

/*
 * put() when more packets are outstanding than the ring holds. It does not grow without memory, nor beyond RECENT_SPARSE times the packets that
 * arrived: two packets with distant PSNs must not cost much memory and work.
 */
static __attribute__((noinline)) void put_growing(struct recent *recent, struct psn_stream *stream, uint64_t outstanding, uint64_t psn,
						  const struct psn_identity *identity)
{
	if (!recent->room)
		recent->first_ns = identity->time_ns;
	while (outstanding >= recent->holds && recent->room < PSN_WINDOW && recent->room <= (uint64_t)recent->arrived * RECENT_SPARSE)
		if (!grow_recent(recent, stream, psn))
			break;
	if (recent->room)
		put(recent, psn, identity);
}

/* Keeps as many packets as are outstanding, as these can be retransmitted. */
static inline __attribute__((always_inline)) void remember(struct recent *recent, struct psn_stream *stream, uint64_t outstanding,
							   uint64_t psn, const struct psn_identity *identity)
{
	if (outstanding < recent->holds)
		put(recent, psn, identity);
	else
		put_growing(recent, stream, outstanding, psn, identity);
}

static inline uint64_t outstanding_from(const struct psn_stream *stream, uint64_t psn)
{
	return psn >= stream->acknowledged ? psn - stream->acknowledged : 0;
}

/* Whether the sender counts its packets. Constant or random identifications are no evidence. */
static bool ids_distinguish(const struct recent *recent)
{
	/* of the last 32 packets, since the first increase */
	int steps = recent->id_steps ? 32 - __builtin_clz(recent->id_steps) : 0, forward = __builtin_popcount(recent->id_steps);

	return forward > 1 && forward * 5 > steps * 4;
}

/* Whether a late packet was sent before or after others, by its identification. */
enum sent { SENT_UNKNOWN, SENT_BEFORE, SENT_AFTER };

static enum sent when_sent(const struct recent *recent, const struct psn_identity *identity)
{
	if (!ids_distinguish(recent))
		return SENT_UNKNOWN;
	return (int16_t)(uint16_t)(identity->id - recent->last_id) < 0 ? SENT_BEFORE : SENT_AFTER;
}

bool psn_is_same_packet(const struct recent *recent, uint16_t id, uint16_t other)
{
	return id == other && ids_distinguish(recent);
}

bool psn_time_of(const struct recent *recent, uint64_t psn, int64_t now_ns, int64_t *time_ns)
{
	const struct recent_packet *packet = find_recent(recent, (uint32_t)psn & PSN_MASK);

	if (packet)
		*time_ns = now_ns - (int64_t)(uint32_t)((uint32_t)(now_ns / 1000) - packet->time_us) * 1000;
	return packet;
}

/* Whether it is one of the last retransmissions. */
static bool is_recent_repeat(const struct recent *recent, uint32_t psn, uint16_t id)
{
	uint32_t count = recent->repeat_count < RECENT_REPEATS ? recent->repeat_count : RECENT_REPEATS;

	for (uint32_t i = 0; i < count; i++)
		if (recent->repeats[i].psn == psn && recent->repeats[i].id == id)
			return true;
	return false;
}

/*
 * Classifies a packet of which a copy was seen: `first`. has_reason: something captured causes its sender to retransmit it.
 * Only some commands compare bytes, so the class does not depend on them.
 */
static enum rtap_psn_analysis repeated(struct recent *recent, struct recent_packet *first, const struct psn_identity *identity, bool has_reason,
				       bool *differs)
{
	bool is_elsewhere, is_at_once;
	uint32_t age_us;

	*differs = identity->digest != first->digest;
	is_elsewhere = first->psn >> 24 != (identity->point & 0x7f);
	if (ids_distinguish(recent)) {
		if (identity->id == first->first_id || identity->id == first->last_id || is_recent_repeat(recent, first->psn & PSN_MASK, identity->id))
			return is_elsewhere ? RTAP_PSN_CAPTURED_TWICE : RTAP_PSN_DUPLICATE;
		recent->repeats[recent->repeat_count++ % RECENT_REPEATS] = (struct recent_repeat){ first->psn & PSN_MASK, identity->id };
		first->last_id = identity->id;
		return RTAP_PSN_RETRANSMISSION;
	}
	age_us = (uint32_t)(identity->time_ns / 1000) - first->time_us;
	if ((int32_t)age_us < 0)
		age_us = -age_us;
	is_at_once = age_us < TWICE_NS / 1000;
	if (is_at_once && is_elsewhere)
		return RTAP_PSN_CAPTURED_TWICE;
	if (is_at_once && !has_reason)
		return RTAP_PSN_DUPLICATE;
	/* once later packets have shown that the sender counts, a copy of this one is recognised */
	first->last_id = identity->id;
	return RTAP_PSN_RETRANSMISSION;
}

/* Index of the first gap that ends after `psn`, or the number of gaps. */
static uint32_t first_gap_after(const struct psn_gaps *gaps, uint64_t psn)
{
	uint32_t low = 0, high = gaps->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (gaps->list[middle].end <= psn)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Index of the gap that contains `psn`, or the number of gaps. */
static uint32_t find_gap(const struct psn_gaps *gaps, uint64_t psn)
{
	uint32_t at = first_gap_after(gaps, psn);

	return at < gaps->count && gaps->list[at].begin <= psn ? at : gaps->count;
}

/* `at` is the index to insert at. Without memory, packets of the gap will be taken for retransmissions. */
static void insert_gap(struct psn_stream *stream, struct psn_gaps *gaps, uint32_t at, struct psn_gap gap)
{
	if (gaps->count == gaps->room) {
		struct psn_gap *larger = array_reserve(gaps->list, &gaps->room, gaps->count + 1, 4, MAX_GAPS, sizeof *larger);

		if (!larger)
			return;
		gaps->list = larger;
		stream->resized = true;
	}
	memmove(gaps->list + at + 1, gaps->list + at, (gaps->count - at) * sizeof gap);
	gaps->list[at] = gap;
	gaps->count++;
}

static void remove_gap(struct psn_gaps *gaps, uint32_t at)
{
	gaps->count--;
	memmove(gaps->list + at, gaps->list + at + 1, (gaps->count - at) * sizeof *gaps->list);
}

/* The part of a gap from `begin` on. */
static struct psn_gap part_of(const struct psn_gap *gap, uint64_t begin)
{
	struct psn_gap part = *gap;

	part.begin = begin;
	return part;
}

/* A missing packet arrived. */
static void fill_gap(struct psn_stream *stream, struct psn_gaps *gaps, uint32_t at, uint64_t psn, uint64_t count)
{
	struct psn_gap gap = gaps->list[at];
	uint64_t end = psn + count < gap.end ? psn + count : gap.end;

	if (psn == gap.begin && end == gap.end) {
		remove_gap(gaps, at);
	} else if (psn == gap.begin) {
		gaps->list[at].begin = end;
	} else {
		gaps->list[at].end = psn;
		if (end < gap.end)
			insert_gap(stream, gaps, at + 1, part_of(&gap, end));
	}
}

/*
 * A packet that arrived after `arrived` others. The first packet sent after it arrived after `before` others, at that time.
 */
static void note_late(struct psn_stream *stream, const struct recent *recent, uint32_t before, int64_t since_ns, int64_t time_ns)
{
	stream->late_packets = recent->arrived - before;
	stream->late_ns = time_ns > since_ns ? time_ns - since_ns : 0;
}

/* Whether a NAK requests this PSN, or it continues the last retransmission. */
static bool is_asked_for(const struct psn_stream *stream, uint64_t psn)
{
	return (stream->nak && psn >= stream->nak_psn) || (stream->recovery.running && psn == stream->recovery.end);
}

/* Classifies a request that was not seen before and is not the newest. */
static enum rtap_psn_analysis place_late(struct psn_stream *stream, uint64_t psn, uint64_t count, const struct psn_identity *identity)
{
	enum sent sent = when_sent(&stream->requests, identity);
	int64_t time_ns = identity->time_ns, noticed_ns;
	struct psn_gap *gap;
	uint32_t at;

	if (psn < stream->low) {
		note_late(stream, &stream->requests, 0, stream->requests.first_ns, time_ns);
		if (psn + count < stream->low)
			insert_gap(stream, &stream->gaps, 0,
				   (struct psn_gap){ .begin = psn + count, .end = stream->low, .time_ns = time_ns,
						     .since_ns = stream->requests.first_ns });
		stream->low = psn;
		return RTAP_PSN_OUT_OF_ORDER;
	}
	at = find_gap(&stream->gaps, psn);
	if (at == stream->gaps.count)
		return RTAP_PSN_RETRANSMISSION;
	gap = &stream->gaps.list[at];
	noticed_ns = gap->time_ns;
	note_late(stream, &stream->requests, gap->is_open ? stream->requests.arrived : gap->arrived, gap->since_ns, time_ns);
	if (gap->is_open)
		sent = SENT_UNKNOWN;
	/* The responses to a READ can be missing in several parts. Its first ones can have shown that it is missing. */
	if (count > 1) {
		if (gap->is_open && psn + count > stream->next)
			stream->next = psn + count;
		psn_fill(stream, psn, psn + count);
	} else {
		fill_gap(stream, &stream->gaps, at, psn, count);
	}
	stream->recovery.since_ns = noticed_ns;
	if (sent == SENT_UNKNOWN && (is_asked_for(stream, psn) || time_ns - noticed_ns > PSN_LATE_NS))
		sent = SENT_AFTER;
	return sent == SENT_AFTER ? RTAP_PSN_RETRANSMISSION : RTAP_PSN_OUT_OF_ORDER;
}

void psn_skip_to(struct psn_stream *stream, uint64_t psn, int64_t time_ns)
{
	insert_gap(stream, &stream->gaps, stream->gaps.count,
		   (struct psn_gap){ .begin = stream->next, .end = psn, .time_ns = time_ns, .is_open = true });
	stream->next = psn;
	stream->has_open_gap = true;
}

/* A request that is no repeat was captured: the first one after the open gaps before it. */
static void close_gaps(struct psn_stream *stream, uint64_t psn, int64_t time_ns)
{
	struct psn_gap *list = stream->gaps.list;
	uint32_t at = stream->gaps.count;

	for (; at && list[at - 1].is_open; at--) {
		if (list[at - 1].end > psn)
			continue;
		list[at - 1].is_open = false;
		list[at - 1].arrived = stream->requests.arrived;
		list[at - 1].since_ns = time_ns;
	}
	stream->has_open_gap = stream->gaps.count && list[stream->gaps.count - 1].is_open;
}

/* Whether a response to a READ at `psn`, or to a later one, is missing. */
static bool lacks_response(const struct psn_stream *stream, uint64_t psn)
{
	const struct psn_gaps *gaps = &stream->response_gaps;

	for (uint32_t i = gaps->count; i && gaps->list[i - 1].end > psn; i--)
		if (gaps->list[i - 1].is_requested)
			return true;
	return false;
}

/* A request other than the next expected one, or the first one after a gap that an answer showed. */
static __attribute__((noinline)) enum rtap_psn_analysis not_next(struct psn_stream *stream, uint64_t psn, uint64_t count,
								   const struct psn_identity *identity, bool *differs)
{
	struct recent_packet *first = psn < stream->next ? find_recent(&stream->requests, (uint32_t)psn & PSN_MASK) : NULL;
	enum rtap_psn_analysis analysis = RTAP_PSN_GAP;

	stream->recovery.since_ns = INT64_MIN;
	if (first) {
		psn_time_of(&stream->requests, psn, identity->time_ns, &stream->recovery.since_ns);
		return repeated(&stream->requests, first, identity, is_asked_for(stream, psn) || lacks_response(stream, psn), differs);
	}
	if (psn < stream->next) {
		analysis = place_late(stream, psn, count, identity);
		close_gaps(stream, psn, identity->time_ns);
		stream->requests.arrived++;
		/* only some of a READ's responses were captured before it */
		if (psn + count > stream->next)
			stream->next = psn + count;
	} else {
		if (psn > stream->next)
			psn_skip_to(stream, psn, identity->time_ns);
		else
			analysis = RTAP_PSN_IN_ORDER;
		close_gaps(stream, psn, identity->time_ns);
		stream->next = psn + count;
		psn_note_id(&stream->requests, identity->id);
		stream->requests.arrived++;
	}
	remember(&stream->requests, stream, outstanding_from(stream, psn), psn, identity);
	return analysis;
}

enum rtap_psn_analysis psn_request(struct psn_stream *stream, uint64_t psn, uint64_t count, const struct psn_identity *identity, bool *differs)
{
	*differs = false;
	if (psn != stream->next || stream->has_open_gap)
		return not_next(stream, psn, count, identity, differs);
	stream->next = psn + count;
	psn_note_id(&stream->requests, identity->id);
	stream->requests.arrived++;
	remember(&stream->requests, stream, outstanding_from(stream, psn), psn, identity);
	return RTAP_PSN_IN_ORDER;
}

void psn_miss_responses(struct psn_stream *stream, uint64_t begin, uint64_t end, bool are_requested, int64_t time_ns)
{
	struct psn_gaps *gaps = &stream->response_gaps;
	int64_t since_ns;
	uint32_t at = gaps->count;

	while (at && gaps->list[at - 1].begin >= begin)
		at--;
	if (at && gaps->list[at - 1].end > begin)
		begin = gaps->list[at - 1].end;
	if (at < gaps->count && gaps->list[at].begin < end)
		end = gaps->list[at].begin;
	if (begin >= end)
		return;
	if (!psn_time_of(&stream->responses, begin - 1, time_ns, &since_ns))
		since_ns = INT64_MIN;
	insert_gap(stream, gaps, at, (struct psn_gap){
		.begin = begin,
		.end = end,
		.time_ns = time_ns,
		.arrived = stream->responses.arrived,
		.is_requested = are_requested,
		.since_ns = since_ns,
	});
}

uint64_t psn_miss_unknown(struct psn_stream *stream, uint64_t begin, uint64_t end, int64_t time_ns)
{
	uint64_t unknown = 0;

	for (uint32_t i = first_gap_after(&stream->gaps, begin); i < stream->gaps.count && stream->gaps.list[i].begin < end; i++) {
		uint64_t from = stream->gaps.list[i].begin > begin ? stream->gaps.list[i].begin : begin;
		uint64_t to = stream->gaps.list[i].end < end ? stream->gaps.list[i].end : end;

		psn_miss_responses(stream, from, to, false, time_ns);
		unknown += to - from;
	}
	if (end <= stream->next)
		return unknown;
	if (begin < stream->next)
		begin = stream->next;
	psn_miss_responses(stream, begin, end, false, time_ns);
	return unknown + end - begin;
}

void psn_request_missing(struct psn_stream *stream, uint64_t begin, uint64_t end)
{
	for (uint32_t i = first_gap_after(&stream->response_gaps, begin);
	     i < stream->response_gaps.count && stream->response_gaps.list[i].begin < end; i++)
		stream->response_gaps.list[i].is_requested = true;
}

int64_t psn_missing_since(const struct psn_stream *stream, uint64_t psn)
{
	uint32_t at = find_gap(&stream->response_gaps, psn);

	return at < stream->response_gaps.count ? stream->response_gaps.list[at].since_ns : INT64_MIN;
}

/* A run of retransmissions counts as one, even if some of it was not captured. */
static void extend(struct psn_range *range, uint64_t begin, uint64_t end, bool continues)
{
	if ((begin > range->end && !continues) || end < range->begin) {
		*range = (struct psn_range){ begin, end };
		return;
	}
	if (begin < range->begin)
		range->begin = begin;
	if (end > range->end)
		range->end = end;
}

void psn_ask_again(struct psn_stream *stream, uint64_t begin, uint64_t end, bool continues, bool is_first)
{
	extend(&stream->asked_again, begin, end, continues);
	if (is_first)
		extend(&stream->asked_first, begin, end, false);
	else if (begin < stream->asked_first.end && end > stream->asked_first.begin)
		stream->asked_first = (struct psn_range){ 0, 0 };
}

/* All responses requested before are answered before this one can be requested again. */
static inline uint64_t outstanding_responses(const struct psn_stream *stream, uint64_t psn)
{
	uint64_t outstanding = stream->next > psn ? stream->next - psn : 0;

	return outstanding < MAX_RESPONSES ? outstanding : MAX_RESPONSES - 1;
}

/* A response below all others. */
static void lower_responses(struct psn_stream *stream, uint64_t psn, int64_t time_ns)
{
	note_late(stream, &stream->responses, 0, stream->responses.first_ns, time_ns);
	if (psn + 1 < stream->response_low)
		insert_gap(stream, &stream->response_gaps, 0,
			   (struct psn_gap){ .begin = psn + 1, .end = stream->response_low, .time_ns = stream->responses.first_ns,
					     .since_ns = INT64_MIN });
	stream->response_low = psn;
}

/* A response that was not seen before and is not the newest. */
static enum rtap_psn_analysis place_late_response(struct psn_stream *stream, uint64_t psn, const struct psn_identity *identity, bool was_asked)
{
	enum sent sent = when_sent(&stream->responses, identity);
	uint32_t at = find_gap(&stream->response_gaps, psn);

	stream->late_packets = 0;
	if (at < stream->response_gaps.count) {
		const struct psn_gap *gap = &stream->response_gaps.list[at];

		note_late(stream, &stream->responses, gap->arrived, gap->time_ns, identity->time_ns);
		fill_gap(stream, &stream->response_gaps, at, psn, 1);
	} else if (psn < stream->response_low) {
		lower_responses(stream, psn, identity->time_ns);
	} else if (psn >= stream->low && !has_no_entry(&stream->responses, psn)) {
		return RTAP_PSN_RETRANSMISSION;
	}
	return sent == SENT_AFTER || (sent == SENT_UNKNOWN && was_asked) ? RTAP_PSN_RETRANSMISSION : RTAP_PSN_OUT_OF_ORDER;
}

static bool is_within(uint64_t psn, const struct psn_range *range)
{
	return psn >= range->begin && psn < range->end;
}

/* A response that is a copy, late, or requested again. */
static enum rtap_psn_analysis unexpected_response(struct psn_stream *stream, uint64_t psn, bool is_inside, const struct psn_identity *identity,
						  bool *differs)
{
	struct recent_packet *first = psn < stream->response_next ? find_recent(&stream->responses, (uint32_t)psn & PSN_MASK) : NULL;
	bool was_asked = is_within(psn, &stream->asked_again) && !is_within(psn, &stream->asked_first);
	const struct recovery *recovery = &stream->recovery;
	enum rtap_psn_analysis analysis = RTAP_PSN_IN_ORDER;

	if (first)
		return repeated(&stream->responses, first, identity, was_asked, differs);
	if (psn < stream->response_next) {
		analysis = place_late_response(stream, psn, identity, was_asked);
		stream->responses.arrived++;
	} else if (was_asked && ((recovery->answers_again && psn == recovery->answers_end) || (psn == recovery->first && is_inside))) {
		/*
		 * Its first copy was lost before the capture point: it continues a retransmission, or the requester lacked
		 * the rest of the READ.
		 */
		analysis = RTAP_PSN_RETRANSMISSION;
	}
	remember(&stream->responses, stream, outstanding_responses(stream, psn), psn, identity);
	return analysis;
}

void psn_next_response(struct psn_stream *stream, uint64_t psn, const struct psn_identity *identity)
{
	stream->response_next = psn + 1;
	stream->recovery.answers_again = false;
	psn_note_id(&stream->responses, identity->id);
	stream->responses.arrived++;
	remember(&stream->responses, stream, outstanding_responses(stream, psn), psn, identity);
}

enum rtap_psn_analysis psn_response(struct psn_stream *stream, uint64_t psn, bool is_inside, bool is_after_gap, const struct psn_identity *identity,
				    bool *differs)
{
	enum rtap_psn_analysis analysis = unexpected_response(stream, psn, is_inside, identity, differs);

	if (analysis == RTAP_PSN_IN_ORDER && is_after_gap)
		analysis = RTAP_PSN_GAP;
	if (psn >= stream->response_next) {
		stream->response_next = psn + 1;
		psn_note_id(&stream->responses, identity->id);
		stream->responses.arrived++;
	}
	if (analysis == RTAP_PSN_DUPLICATE || analysis == RTAP_PSN_CAPTURED_TWICE)
		return analysis;
	stream->recovery.answers_again = analysis == RTAP_PSN_RETRANSMISSION;
	stream->recovery.answers_end = psn + 1;
	return analysis;
}

void psn_fill(struct psn_stream *stream, uint64_t begin, uint64_t end)
{
	struct psn_gaps *gaps = &stream->gaps;

	/* from the last one, because insertions are after it */
	for (uint32_t i = gaps->count; i-- > 0;) {
		struct psn_gap *gap = &gaps->list[i], whole = *gap;

		if (whole.end <= begin || whole.begin >= end)
			continue;
		if (whole.begin >= begin && whole.end <= end) {
			remove_gap(gaps, i);
		} else if (whole.begin >= begin) {
			gap->begin = end;
		} else {
			gap->end = begin;
			if (whole.end > end)
				insert_gap(stream, gaps, i + 1, part_of(&whole, end));
		}
	}
}

void psn_note_unknown(struct psn_stream *stream, uint64_t begin, uint64_t end)
{
	stream->given_up += end - begin;
	stream->given_up_gaps[stream->given_up_count++ % PSN_GIVEN_UP_GAPS] = (struct psn_range){ begin, end };
}

/*
 * How many of the requests from `begin` up to but excluding `end`, a part of a gap, the receiver may lack: those not acknowledged, of a
 * sender that did not go on without them for long.
 */
static uint64_t count_unacknowledged(const struct psn_stream *stream, const struct psn_gap *gap, uint64_t begin, uint64_t end)
{
	if (stream->last_ns - gap->time_ns >= HOLE_NS || stream->next > end + PSN_WINDOW || stream->acknowledged >= end)
		return 0;
	return end - (stream->acknowledged > begin ? stream->acknowledged : begin);
}

/* Whether requests from `begin` up to but excluding `end`, as far as they are in the gap, can be SENDs or WRITEs. */
static bool may_be_sends(const struct psn_gap *gap, uint64_t begin, uint64_t end)
{
	return (gap->begin > begin ? gap->begin : begin) < gap->answered_by_data.begin || (gap->end < end ? gap->end : end) > gap->answered_by_data.end;
}

void psn_note_answered_by_data(struct psn_stream *stream, uint64_t begin, uint64_t end)
{
	uint32_t at = first_gap_after(&stream->gaps, begin);
	struct psn_gap *gap = stream->gaps.list + at;
	struct psn_range *known;

	if (at == stream->gaps.count || gap->begin >= end)
		return;
	known = &gap->answered_by_data;
	if (begin > known->end || end < known->begin) {
		*known = (struct psn_range){ begin, end };
		return;
	}
	known->begin = begin < known->begin ? begin : known->begin;
	known->end = end > known->end ? end : known->end;
}

/* `stream`: keeps the newest ones; NULL: none. */
static struct psn_given_up remove_gaps(struct psn_gaps *gaps, uint64_t psn, struct psn_stream *stream)
{
	struct psn_given_up given_up = { 0 };
	uint32_t gone = 0;

	for (; gone < gaps->count && gaps->list[gone].begin < psn; gone++) {
		struct psn_gap *gap = &gaps->list[gone];
		uint64_t end = gap->end < psn ? gap->end : psn;

		given_up.packets += end - gap->begin;
		if (stream) {
			given_up.unacknowledged += count_unacknowledged(stream, gap, gap->begin, end);
			if (may_be_sends(gap, gap->begin, end))
				psn_note_unknown(stream, gap->begin, end);
		}
		gap->begin = end;
		if (end < gap->end)
			break;
	}
	gaps->count -= gone;
	memmove(gaps->list, gaps->list + gone, gaps->count * sizeof *gaps->list);
	return given_up;
}

struct psn_given_up psn_end_gaps(struct psn_stream *stream, uint64_t psn)
{
	return stream->gaps.count ? remove_gaps(&stream->gaps, psn, stream) : (struct psn_given_up){ 0 };
}

bool psn_lacks(const struct psn_stream *stream, uint64_t given_up, uint64_t begin, uint64_t end)
{
	uint32_t at = first_gap_after(&stream->gaps, begin);
	uint64_t kept = 0;

	for (unsigned examined = 0; at < stream->gaps.count && stream->gaps.list[at].begin < end; at++, examined++)
		if (examined == MOST_EXAMINED || may_be_sends(&stream->gaps.list[at], begin, end))
			return true;
	if (stream->given_up == given_up)
		return false;
	for (uint32_t i = 0; i < PSN_GIVEN_UP_GAPS; i++) {
		const struct psn_range *gap = &stream->given_up_gaps[i];

		kept += gap->end - gap->begin;
		if (gap->begin < end && gap->end > begin)
			return true;
	}
	return stream->given_up - kept > given_up;
}

void psn_end_response_gaps(struct psn_stream *stream, uint64_t psn)
{
	if (stream->response_gaps.count)
		remove_gaps(&stream->response_gaps, psn, NULL);
}

void psn_fini(struct psn_stream *stream)
{
	free(stream->requests.packets);
	free(stream->responses.packets);
	free(stream->gaps.list);
	free(stream->response_gaps.list);
	stream->requests = stream->responses = (struct recent){ 0 };
	early_response_discard(stream);
	stream->gaps = stream->response_gaps = (struct psn_gaps){ 0 };
	stream->recovery = (struct recovery){ 0 };
	stream->resized = true;
}

void psn_start_at_packet(struct psn_stream *stream, uint32_t psn)
{
	const struct rtap_connection *shown = &stream->connection->shown;
	const struct rtap_end *sender = stream->from_a ? &shown->a : &shown->b;

	if (shown->learned_by_cm && sender->psn_known && ((psn - sender->psn) & PSN_MASK) < PSN_WINDOW) {
		psn_start(stream, sender->psn);
		stream->settled_end = stream->next;
	} else {
		psn_start(stream, psn);
	}
}

static const uint8_t anomaly_of_analysis[RTAP_PSN_COUNT] = {
	[RTAP_PSN_OUT_OF_ORDER] = RTAP_CONNECTION_ANOMALY_OUT_OF_ORDER,
	[RTAP_PSN_RETRANSMISSION] = RTAP_CONNECTION_ANOMALY_RETRANSMISSION,
	[RTAP_PSN_DUPLICATE] = RTAP_CONNECTION_ANOMALY_DUPLICATE,
	[RTAP_PSN_CAPTURED_TWICE] = RTAP_CONNECTION_ANOMALY_CAPTURED_TWICE,
	[RTAP_PSN_UNEXPECTED] = RTAP_CONNECTION_ANOMALY_UNEXPECTED_RESPONSE,
	[RTAP_PSN_RESYNCHRONISED] = RTAP_CONNECTION_ANOMALY_RESYNCHRONISED,
};

void psn_count_anomaly(struct connection *connection, enum rtap_psn_analysis analysis, bool differs)
{
	uint64_t *anomaly_counts = connection->shown.anomaly_counts;

	if (analysis > RTAP_PSN_GAP)
		anomaly_counts[anomaly_of_analysis[analysis]]++;
	anomaly_counts[RTAP_CONNECTION_ANOMALY_DIFFERING_REPEAT] += differs;
}
