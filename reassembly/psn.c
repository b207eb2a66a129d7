/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "reassembly/early_response.h"
#include "reassembly/memory.h"
#include "reassembly/psn.h"

#define FIRST_ROOM 16
#define MAX_GAPS 4096
/* Copies that come so soon after the first were not sent again for want of an answer. */
#define TWICE_NS 1000000
/* A packet missing for longer was sent again; the networks between do not hold one back for so long. */
#define LATE_NS 3000000

void psn_start(struct psn_stream *stream, uint32_t psn)
{
	stream->started = true;
	/* room below, for packets that come late */
	stream->low = stream->next = stream->acknowledged = (UINT64_C(1) << 32) + psn;
}

static bool grow_recent(struct recent *recent, struct psn_stream *stream)
{
	uint32_t room = recent->room ? recent->room * 2 : FIRST_ROOM;
	struct recent_packet *larger = memory_new(room * sizeof *larger);

	if (!larger)
		return false;
	for (uint32_t i = 0; i < room; i++)
		larger[i].psn = RECENT_NONE;
	for (uint32_t i = 0; i < recent->room; i++)
		if (recent->packets[i].psn != RECENT_NONE)
			larger[recent->packets[i].psn & (room - 1)] = recent->packets[i];
	free(recent->packets);
	recent->packets = larger;
	recent->room = room;
	stream->resized = true;
	return true;
}

static inline struct recent_packet *find_recent(const struct recent *recent, uint32_t psn)
{
	struct recent_packet *packet;

	if (!recent->room)
		return NULL;
	packet = &recent->packets[psn & (recent->room - 1)];
	return (packet->psn & PSN_MASK) == psn && packet->psn != RECENT_NONE ? packet : NULL;
}

static inline void put(struct recent *recent, uint64_t psn, const struct rtap_frame *frame, uint32_t digest)
{
	recent->packets[psn & (recent->room - 1)] = (struct recent_packet){
		.psn = ((uint32_t)psn & PSN_MASK) | (frame->interface & 0x7f) << 24,
		.time_us = (uint32_t)(frame->time_ns / 1000),
		.digest = digest,
	};
}

/* put() when more are outstanding than there is room for; as far as there is memory. */
static __attribute__((noinline)) void put_growing(struct recent *recent, struct psn_stream *stream, uint64_t outstanding, uint64_t psn,
						  const struct rtap_frame *frame, uint32_t digest)
{
	while (outstanding >= recent->room && recent->room < PSN_WINDOW)
		if (!grow_recent(recent, stream))
			break;
	if (recent->room)
		put(recent, psn, frame, digest);
}

/* Keeps as many as are outstanding: those are the ones that can be sent again. */
static inline void remember(struct recent *recent, struct psn_stream *stream, uint64_t psn, const struct rtap_frame *frame, uint32_t digest)
{
	uint64_t outstanding = psn >= stream->acknowledged ? psn - stream->acknowledged : 0;

	if (outstanding < recent->room)
		put(recent, psn, frame, digest);
	else
		put_growing(recent, stream, outstanding, psn, frame, digest);
}

static enum rtap_psn_analysis repeated(const struct psn_stream *stream, const struct recent_packet *first, uint64_t psn,
				       const struct rtap_frame *frame, uint32_t digest, bool *differs)
{
	uint32_t age_us;

	if (!first)
		return RTAP_PSN_RETRANSMISSION;
	*differs = digest != first->digest;
	age_us = (uint32_t)(frame->time_ns / 1000) - first->time_us;
	if ((int32_t)age_us < 0)
		age_us = -age_us;
	if (age_us < TWICE_NS / 1000 && !*differs && first->psn >> 24 != (frame->interface & 0x7f))
		return RTAP_PSN_CAPTURED_TWICE;
	if (age_us < TWICE_NS / 1000 && !(stream->nak && psn >= stream->nak_psn))
		return RTAP_PSN_DUPLICATE;
	return RTAP_PSN_RETRANSMISSION;
}

/* Index of the gap that holds `psn`, or gap_count. */
static uint32_t find_gap(const struct psn_stream *stream, uint64_t psn)
{
	for (uint32_t i = stream->gap_count; i-- > 0;)
		if (psn >= stream->gaps[i].begin)
			return psn < stream->gaps[i].end ? i : stream->gap_count;
	return stream->gap_count;
}

/* `at` is where it belongs. Without memory for it, the packets in it will be taken for retransmissions. */
static void insert_gap(struct psn_stream *stream, uint32_t at, struct psn_gap gap)
{
	if (stream->gap_count == stream->gap_room) {
		uint32_t room = stream->gap_room ? stream->gap_room * 2 : 4;
		struct psn_gap *larger = room <= MAX_GAPS ? memory_resize(stream->gaps, room * sizeof *larger) : NULL;

		if (!larger)
			return;
		stream->gaps = larger;
		stream->gap_room = room;
		stream->resized = true;
	}
	memmove(stream->gaps + at + 1, stream->gaps + at, (stream->gap_count - at) * sizeof gap);
	stream->gaps[at] = gap;
	stream->gap_count++;
}

static void remove_gap(struct psn_stream *stream, uint32_t at)
{
	stream->gap_count--;
	memmove(stream->gaps + at, stream->gaps + at + 1, (stream->gap_count - at) * sizeof *stream->gaps);
}

/* A packet that was missing comes after all. */
static enum rtap_psn_analysis fill_gap(struct psn_stream *stream, uint32_t at, uint64_t psn, uint64_t count, int64_t time_ns)
{
	struct psn_gap gap = stream->gaps[at];
	uint64_t end = psn + count < gap.end ? psn + count : gap.end;

	if (psn == gap.begin && end == gap.end) {
		remove_gap(stream, at);
	} else if (psn == gap.begin) {
		stream->gaps[at].begin = end;
	} else {
		stream->gaps[at].end = psn;
		if (end < gap.end)
			insert_gap(stream, at + 1, (struct psn_gap){ end, gap.end, gap.time_ns });
	}
	if ((stream->nak && psn >= stream->nak_psn) || time_ns - gap.time_ns > LATE_NS)
		return RTAP_PSN_RETRANSMISSION;
	return RTAP_PSN_OUT_OF_ORDER;
}

/* Where a request stands that was not seen before, of those behind the newest. */
static enum rtap_psn_analysis place_late(struct psn_stream *stream, uint64_t psn, uint64_t count, int64_t time_ns)
{
	uint32_t gap;

	if (psn < stream->low) {
		if (psn + count < stream->low)
			insert_gap(stream, 0, (struct psn_gap){ psn + count, stream->low, time_ns });
		stream->low = psn;
		return RTAP_PSN_OUT_OF_ORDER;
	}
	gap = find_gap(stream, psn);
	return gap < stream->gap_count ? fill_gap(stream, gap, psn, count, time_ns) : RTAP_PSN_RETRANSMISSION;
}

void psn_skip_to(struct psn_stream *stream, uint64_t psn, int64_t time_ns)
{
	insert_gap(stream, stream->gap_count, (struct psn_gap){ stream->next, psn, time_ns });
	stream->next = psn;
}

/* The stream goes on behind the `count` PSNs of the newest request. */
static inline void go_on(struct psn_stream *stream, uint64_t psn, uint64_t count)
{
	stream->next = psn + count;
	if (stream->nak && psn >= stream->nak_psn && !stream->gap_count)
		stream->nak = false;
}

/* A request that is not the one expected next. */
static __attribute__((noinline)) enum rtap_psn_analysis unexpected(struct psn_stream *stream, uint64_t psn, uint64_t count,
								   const struct rtap_frame *frame, uint32_t digest, bool *differs)
{
	const struct recent_packet *first = psn < stream->next ? find_recent(&stream->requests, (uint32_t)psn & PSN_MASK) : NULL;
	enum rtap_psn_analysis analysis = RTAP_PSN_GAP;

	if (first)
		return repeated(stream, first, psn, frame, digest, differs);
	if (psn < stream->next) {
		analysis = place_late(stream, psn, count, frame->time_ns);
	} else {
		psn_skip_to(stream, psn, frame->time_ns);
		go_on(stream, psn, count);
	}
	remember(&stream->requests, stream, psn, frame, digest);
	return analysis;
}

enum rtap_psn_analysis psn_request(struct psn_stream *stream, uint64_t psn, uint64_t count, const struct rtap_frame *frame,
				   uint32_t digest, bool *differs)
{
	*differs = false;
	if (psn != stream->next)
		return unexpected(stream, psn, count, frame, digest, differs);
	go_on(stream, psn, count);
	remember(&stream->requests, stream, psn, frame, digest);
	return RTAP_PSN_IN_ORDER;
}

enum rtap_psn_analysis psn_response(struct psn_stream *stream, uint64_t psn, const struct rtap_frame *frame, uint32_t digest,
				    bool *differs)
{
	const struct recent_packet *first = find_recent(&stream->responses, (uint32_t)psn & PSN_MASK);
	enum rtap_psn_analysis analysis;

	*differs = false;
	if (first) {
		analysis = repeated(stream, first, psn, frame, digest, differs);
		if (analysis == RTAP_PSN_DUPLICATE && psn >= stream->asked_again && psn < stream->asked_again_end)
			return RTAP_PSN_RETRANSMISSION;
		return analysis;
	}
	remember(&stream->responses, stream, psn, frame, digest);
	if (psn < stream->response_next)
		return RTAP_PSN_OUT_OF_ORDER;
	stream->response_next = psn + 1;
	return RTAP_PSN_IN_ORDER;
}

void psn_fill(struct psn_stream *stream, uint64_t begin, uint64_t end)
{
	/* from the last one, because what is put in stands behind */
	for (uint32_t i = stream->gap_count; i-- > 0;) {
		struct psn_gap *gap = &stream->gaps[i], whole = *gap;

		if (whole.end <= begin || whole.begin >= end)
			continue;
		if (whole.begin >= begin && whole.end <= end) {
			remove_gap(stream, i);
		} else if (whole.begin >= begin) {
			gap->begin = end;
		} else {
			gap->end = begin;
			if (whole.end > end)
				insert_gap(stream, i + 1, (struct psn_gap){ end, whole.end, whole.time_ns });
		}
	}
}

uint64_t psn_give_up(struct psn_stream *stream, uint64_t psn)
{
	uint64_t lost = 0;

	while (stream->gap_count && stream->gaps[0].begin < psn) {
		uint64_t end = stream->gaps[0].end < psn ? stream->gaps[0].end : psn;

		lost += end - stream->gaps[0].begin;
		if (end == stream->gaps[0].end)
			remove_gap(stream, 0);
		else
			stream->gaps[0].begin = end;
	}
	stream->lost += lost;
	return lost;
}

bool psn_is_missing(const struct psn_stream *stream, uint64_t begin, uint64_t end)
{
	uint32_t low = 0, high = stream->gap_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (stream->gaps[middle].end <= begin)
			low = middle + 1;
		else
			high = middle;
	}
	return low < stream->gap_count && stream->gaps[low].begin < end;
}

void psn_fini(struct psn_stream *stream)
{
	free(stream->requests.packets);
	free(stream->responses.packets);
	free(stream->gaps);
	stream->requests = stream->responses = (struct recent){ 0 };
	early_response_forget(stream);
	stream->gaps = NULL;
	stream->gap_count = stream->gap_room = 0;
	stream->resized = true;
}
