/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of iWARP against a model of two peers, TCP, the network and the capture point (fpdu_model.h): what is reported of a message is true of
 * one message of the model, with just the bytes that were captured, and with the reasons why others are missing; what follows the setup without a
 * byte missing is reported completely, and if the capture has every segment in order, with the right frames, their number and acknowledgements.
 * Input: a header of NETWORK_HEADER bytes, then records of NETWORK_RECORD bytes: a message to post, time, and faults of the frames to come.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/tracker.h>
#include <zlib.h>

#include "dissect/engine/packet.h"

#include "fpdu_model.h"
#include "harness.h"
#include "message_checks.h"

#define FOUND 6               /* whole FPDUs that are enough to find all */
#define MARKER_INTERVAL 512   /* RFC 5044, 4.3 */
#define MARKER_LENGTH 4
/* Bytes that the receiver has, and that the capture has later than this after their acknowledgement, may be given up. */
#define LATE_FRAMES 48
#define LATE_NS INT64_C(90000000)

/* What the capture has of a direction. */
struct sight {
	uint32_t frames[FPDU_STREAM]; /* number of the first frame with this byte; 0: none */
	bool snapped[FPDU_STREAM];    /* a frame had it that was captured up to before it */
	uint32_t acks[FPDU_STREAM];   /* number of the first frame that acknowledges it; 0: none */
	bool is_late[FPDU_STREAM];
	bool claimed[FPDU_SEGMENTS];  /* a reported message has data of it */
	bool shared[FPDU_SEGMENTS];   /* the same, or of another WRITE to the same memory */
	bool has_repeats;             /* a frame has bytes that earlier frames have, or that come before theirs */
	uint32_t first;               /* stream offset of the first frame */
	uint32_t highest;             /* stream offset after the frames so far */
	uint32_t acknowledged;
	uint32_t in_step;             /* stream offset: all bytes before it were captured in time */
};

struct run {
	struct message_run base;
	uint64_t connections;
	bool is_unclear[2];      /* captured from the middle, with gaps: see has_unclear_markers() */
	struct sight sights[2];
	bool is_reported[FPDU_MESSAGES], is_complete[FPDU_MESSAGES];
	struct { unsigned side; uint32_t begin, end; int64_t time_ns; bool is_cut; } given[NETWORK_FRAMES + FPDU_HANDSHAKE + FPDU_ENDINGS + 1]; /* by frame number; what they have of the stream */
};

static struct fpdu_model model;

/* ---- frames ---- */

static void give_handshake(struct message_run *run)
{
	uint8_t bytes[FPDU_HEADERS];
	struct rtap_packet packet;

	for (unsigned i = 0; i < FPDU_HANDSHAKE && !model.net.skipped; i++) {
		fpdu_put_handshake(&model, i, bytes);
		message_run_give(run, bytes, FPDU_HEADERS, FPDU_HEADERS, NETWORK_START_NS, &packet);
	}
}

static void give_ending(struct message_run *run)
{
	uint8_t bytes[FPDU_HEADERS];
	struct rtap_packet packet;

	for (unsigned i = 0; fpdu_put_ending(&model, i, bytes); i++)
		message_run_give(run, bytes, FPDU_HEADERS, FPDU_HEADERS, model.net.now_ns + 1000000 * i, &packet);
}

static void note(struct run *run, const struct fpdu_frame *frame, uint32_t captured)
{
	struct sight *sight = &run->sights[frame->side], *other = &run->sights[!frame->side];
	uint64_t number = run->base.frames + 1;

	if (!sight->highest)
		sight->first = frame->begin;
	sight->has_repeats |= frame->begin < sight->highest && frame->begin < frame->end;
	if (frame->end > sight->highest)
		sight->highest = frame->end;
	run->given[number].side = frame->side;
	run->given[number].begin = frame->begin;
	run->given[number].end = frame->begin + captured;
	run->given[number].time_ns = frame->fate.captured_ns;
	run->given[number].is_cut = frame->begin + captured < frame->end;
	for (uint32_t at = frame->begin; at < frame->begin + captured; at++) {
		uint32_t ack = sight->acks[at];

		if (sight->frames[at])
			continue;
		sight->frames[at] = (uint32_t)number;
		sight->is_late[at] |= ack && (number - ack > LATE_FRAMES || frame->fate.captured_ns - run->given[ack].time_ns > LATE_NS);
	}
	/* what the first copy of a segment lacks in the capture is not waited for */
	for (uint32_t at = frame->begin + captured; at < frame->end; at++)
		if (!sight->frames[at])
			sight->is_late[at] = sight->snapped[at] = true;
	while (sight->in_step < FPDU_STREAM && sight->frames[sight->in_step] && !sight->is_late[sight->in_step])
		sight->in_step++;
	for (; other->acknowledged < frame->acknowledged; other->acknowledged++)
		other->acks[other->acknowledged] = (uint32_t)number;
}

static void give_frame(struct message_run *run, unsigned number)
{
	static uint8_t bytes[FPDU_MOST_HEADERS + FPDU_STREAM];
	const struct fpdu_frame *frame = &model.frames[number];
	uint32_t headers = fpdu_put_frame(&model, frame, bytes), length = headers + frame->end - frame->begin;
	uint32_t captured = network_captured_length(&model.net, &frame->fate, headers, length);
	struct rtap_packet packet;

	note((struct run *)run, frame, captured - headers);
	message_run_give(run, bytes, captured, length, frame->fate.captured_ns, &packet);
}

/* ---- what is reported ---- */

static bool is_within(uint64_t value, uint64_t begin, uint64_t length)
{
	return value >= begin && value - begin <= length && (value - begin < length || !length);
}

/* Whether the frame has a byte of the message's data. */
static bool is_part(const struct run *run, uint64_t frame, const struct fpdu_message *message)
{
	return frame <= run->base.frames + 1 && message->begin != FPDU_NOWHERE && run->given[frame].side == fpdu_data_side(message) &&
	       run->given[frame].begin < message->end && run->given[frame].end > message->begin;
}

static const struct fpdu_message *next_write(const struct fpdu_message *message)
{
	const struct fpdu_message *next = message;

	do
		next++;
	while (next < model.messages + model.message_count && (next->side != message->side || next->verb != FPDU_WRITE));
	return next < model.messages + model.message_count ? next : NULL;
}

/* A WRITE that is joined with later ones can begin and end with frames of these; an empty one is not. */
static bool has_part(const struct run *run, const struct rtap_message *shown, const struct fpdu_message *message)
{
	const struct fpdu_message *part = message;

	do
		if (is_part(run, shown->first_frame, part) || is_part(run, shown->last_frame, part))
			return true;
	while (message->verb == FPDU_WRITE && message->length && (part = next_write(part)) && part->is_contiguous &&
	       part->offset < shown->virtual_address + shown->length);
	return false;
}

static bool is_it(const struct run *run, const struct rtap_message *shown, unsigned side, const struct fpdu_message *message)
{
	if (message->side != side)
		return false;
	switch (shown->kind) {
	case RTAP_KIND_SEND:
		return message->verb < FPDU_WRITE && shown->has_msn && message->msn == shown->psn;
	case RTAP_KIND_TERMINATE:
		return message->verb == FPDU_TERMINATE;
	case RTAP_KIND_ATOMIC:
		return message->verb > FPDU_READ && fpdu_is_request(message) && message->msn == shown->psn;
	case RTAP_KIND_WRITE:
		return message->verb == FPDU_WRITE && shown->r_key == message->stag &&
		       is_within(shown->virtual_address, message->offset, message->length) && has_part(run, shown, message);
	default:
		if (message->verb != FPDU_READ || shown->request_seen)
			return message->verb == FPDU_READ && shown->has_msn && message->msn == shown->psn;
		/* a response without its request */
		return shown->r_key == message->sink_stag && is_within(shown->virtual_address, message->sink_offset, message->length) &&
		       has_part(run, shown, message);
	}
}

/* Where in the stream each byte of the segment's payload is; `places` has room for it. Returns whether all of the FPDU is captured. */
static bool find_places(const struct run *run, unsigned side, const struct fpdu_segment *segment, uint32_t *places)
{
	const struct sight *sight = &run->sights[side];
	uint32_t content = 0;
	bool is_whole = true;

	for (uint32_t at = segment->begin; at < segment->end; at++) {
		is_whole &= sight->frames[at] != 0;
		if (model.options >> side & FPDU_MARKERS && (at - FPDU_SETUP) % MARKER_INTERVAL < MARKER_LENGTH)
			continue;
		if (content >= segment->header && content - segment->header < segment->length)
			places[content - segment->header] = at;
		content++;
	}
	return is_whole;
}

static void list_missing(const struct rtap_message *shown, bool *missing)
{
	memset(missing, 0, shown->length);
	for (uint32_t i = 0; i < shown->missing_count; i++) {
		const struct rtap_missing *gap = &shown->missing[i];

		REQUIRE(gap->offset <= shown->length && gap->length <= shown->length - gap->offset);
		memset(missing + gap->offset, 1, gap->length);
	}
}

/* Position of the reported message's data in that of the model's. */
static uint64_t base_of(const struct rtap_message *shown, const struct fpdu_message *message)
{
	if (message->verb == FPDU_WRITE)
		return shown->virtual_address - message->offset;
	return message->verb == FPDU_READ && !shown->request_seen ? shown->virtual_address - message->sink_offset : 0;
}

/* Why a byte of the reported message is missing; RTAP_MISSING_COUNT: it is not. */
static uint8_t reason_of(const struct rtap_message *shown, uint64_t at)
{
	for (uint32_t i = 0; i < shown->missing_count; i++)
		if (at >= shown->missing[i].offset && at - shown->missing[i].offset < shown->missing[i].length)
			return shown->missing[i].reason;
	return RTAP_MISSING_COUNT;
}

/* Whether the capture has the length and the headers of the segment's FPDU; without them, the bytes after them have no place. */
static bool has_headers(const struct sight *sight, const struct fpdu_segment *segment, const uint32_t *places)
{
	for (uint32_t at = segment->begin; segment->length && at < places[0]; at++)
		if (!sight->frames[at])
			return false;
	return true;
}

/* Whether the capture has the bytes of the message that are not reported as missing, no others with their headers, and cut frames with those snapped. */
static bool is_captured(const struct run *run, const struct rtap_message *shown, const struct fpdu_message *message)
{
	static bool missing[FPDU_STREAM];
	static uint32_t places[1u << 16];
	uint64_t base = base_of(shown, message);
	unsigned side = fpdu_data_side(message);
	const struct sight *sight = &run->sights[side];

	list_missing(shown, missing);
	for (unsigned i = 0; i < model.peers[side].segment_count; i++) {
		const struct fpdu_segment *segment = &model.peers[side].segments[i];

		if (segment->message != message || segment->is_request)
			continue;
		find_places(run, side, segment, places);
		for (uint32_t j = 0; j < segment->length; j++) {
			uint64_t at = segment->at + j;
			bool has_byte = sight->frames[places[j]] && has_headers(sight, segment, places);

			if (at < base || at - base >= shown->length)
				continue;
			if (missing[at - base] && reason_of(shown, at - base) == RTAP_MISSING_SNAPPED)
				has_byte = !sight->snapped[places[j]];
			if (has_byte == missing[at - base])
				return false;
		}
	}
	return true;
}

/* Whether the data, if the harness has all of it, is the message's. */
static bool has_data(const struct rtap_message *shown, const struct fpdu_message *message)
{
	static uint8_t bytes[FPDU_STREAM];

	if (!shown->complete || shown->length != message->length)
		return !shown->complete;
	fpdu_fill(message, 0, message->length, bytes);
	if (model.options & MESSAGE_SUMS && (!shown->has_crc || shown->crc32 != crc32_z(0, bytes, shown->length)))
		return false;
	return !(model.options & MESSAGE_BYTES) || shown->bytes_evicted ||
	       (shown->bytes.length == shown->length && (!shown->length || !memcmp(shown->bytes.bytes, bytes, shown->length)));
}

/* The first and the last one of the captured frames with the first or the last byte of an FPDU of the message. */
static void find_frames(const struct run *run, unsigned side, const struct fpdu_message *message, uint32_t *first, uint32_t *last)
{
	for (unsigned i = 0; i < model.peers[side].segment_count; i++) {
		const struct fpdu_segment *segment = &model.peers[side].segments[i];
		uint32_t frames[] = { run->sights[side].frames[segment->begin], run->sights[side].frames[segment->end - 1] };

		for (unsigned j = 0; segment->message == message && j < 2; j++) {
			if (!frames[j])
				continue;
			if (!*first || frames[j] < *first)
				*first = frames[j];
			if (frames[j] > *last)
				*last = frames[j];
		}
	}
}

/* Which of the first and the last frame are the message's: a number. */
static unsigned count_its_frames(const struct run *run, const struct rtap_message *shown, const struct fpdu_message *message)
{
	uint32_t first = 0, last = 0;

	find_frames(run, 0, message, &first, &last);
	find_frames(run, 1, message, &first, &last);
	return (unsigned)(shown->first_frame == first) + (unsigned)(shown->last_frame == last);
}

/*
 * The message of the model. Of several that it may be, such as WRITEs of the same memory that share a frame, one with its data, if possible one that
 * was not reported, and best one with its frames.
 */
static struct fpdu_message *find_message(const struct run *run, const struct rtap_message *shown, unsigned side)
{
	struct fpdu_message *found = NULL;
	unsigned best = 0;

	for (unsigned i = 0; i < model.message_count; i++) {
		struct fpdu_message *message = &model.messages[i];
		unsigned fit = 0;

		if (is_it(run, shown, side, message))
			fit = 1u + (has_data(shown, message) && is_captured(run, shown, message) ? 6u : 0u) + (run->is_reported[i] ? 0u : 3u) +
			      count_its_frames(run, shown, message);
		if (fit > best) {
			found = message;
			best = fit;
		}
	}
	return found;
}

/* Whether an FPDU of that side, no response, was not captured: missing bytes of the size of responses may be taken for these. */
static bool lacks_others(const struct run *run, unsigned side)
{
	const struct sight *sight = &run->sights[side];

	for (unsigned i = 0; i < model.peers[side].segment_count && model.peers[side].segments[i].end <= sight->highest; i++) {
		const struct fpdu_segment *segment = &model.peers[side].segments[i];

		if ((segment->is_request || !fpdu_is_request(segment->message)) && !sight->frames[segment->begin + 3])
			return true;
	}
	return false;
}

/* Whether an FPDU with a marker was captured whole. */
static bool shows_markers(const struct run *run, unsigned side)
{
	for (unsigned i = 0; i < model.peers[side].segment_count; i++) {
		const struct fpdu_segment *segment = &model.peers[side].segments[i];
		bool has_marker = false, is_whole = true;

		for (uint32_t at = segment->begin; at < segment->end && is_whole; at++) {
			has_marker |= (at - FPDU_SETUP) % MARKER_INTERVAL == 0;
			is_whole = run->sights[side].frames[at];
		}
		if (has_marker && is_whole)
			return true;
	}
	return false;
}

/* Captured from the middle, FPDUs with gaps or without their ends do not show whether they have markers: these may be taken for payload. */
static bool has_unclear_markers(const struct run *run, unsigned side)
{
	return run->is_unclear[side] || (model.net.skipped && model.options >> side & FPDU_MARKERS && !shows_markers(run, side));
}

/* The setup has been captured: whether FPDUs have markers and CRCs is known. */
static bool is_set_up(const struct run *run)
{
	return run->sights[0].in_step >= FPDU_SETUP && run->sights[1].in_step >= FPDU_SETUP;
}

static bool is_in_step(const struct run *run, const struct fpdu_message *message)
{
	return is_set_up(run) && message->begin != FPDU_NOWHERE && message->end <= run->sights[fpdu_data_side(message)].in_step &&
	       (!fpdu_is_request(message) || message->request_end <= run->sights[message->side].in_step);
}

/* Whether another WRITE of its side writes to its memory: where bytes are missing, its data may be taken for the message's. */
static bool shares_memory(const struct fpdu_message *message)
{
	for (unsigned i = 0; message->verb == FPDU_WRITE && i < model.message_count; i++) {
		const struct fpdu_message *other = &model.messages[i];

		if (other != message && other->verb == FPDU_WRITE && other->side == message->side && other->stag == message->stag &&
		    other->offset <= message->offset + message->length && message->offset <= other->offset + other->length)
			return true;
	}
	return false;
}

/*
 * Of WRITEs to the same memory nothing but the order of their FPDUs shows which one an FPDU belongs to (RFC 5041, 4.2: a tagged segment has no
 * message number): where bytes of the stream are missing, that is not known. Those before are reported as they are, once.
 */
static bool is_ambiguous(const struct run *run, const struct rtap_message *shown, const struct fpdu_message *message)
{
	return shares_memory(message) && !run->base.is_exact &&
	       (!is_in_step(run, message) || !shown->complete || run->is_complete[message->index]);
}

/* What is reported of such a WRITE are captured FPDUs of any of them. */
static void check_among(struct run *run, const struct rtap_message *shown, unsigned side, const bool *missing)
{
	static uint32_t places[1u << 16];
	static bool is_there[FPDU_STREAM];
	struct sight *sight = &run->sights[side];

	memset(is_there, 0, shown->length);
	for (unsigned i = 0; i < model.peers[side].segment_count; i++) {
		const struct fpdu_segment *segment = &model.peers[side].segments[i];
		uint64_t from = segment->message->offset + segment->at - shown->virtual_address;

		if (segment->message->verb != FPDU_WRITE || segment->message->stag != shown->r_key)
			continue;
		find_places(run, side, segment, places);
		for (uint32_t j = 0; j < segment->length; j++) {
			if (from + j < shown->length && !missing[from + j] && sight->frames[places[j]])
				is_there[from + j] = sight->shared[i] = true;
		}
	}
	for (uint64_t at = 0; at < shown->length; at++) {
		REQUIRE(missing[at] || is_there[at]);
		REQUIRE(reason_of(shown, at) != RTAP_MISSING_EVICTED || run->base.is_tight);
	}
}

/* Runs of bytes of the FPDU that were not captured up to that frame, or were truncated. */
static unsigned count_gaps(const struct sight *sight, const struct fpdu_segment *segment, uint64_t last_frame)
{
	unsigned count = 0, before = 0;

	for (uint32_t at = segment->begin; at < segment->end; at++) {
		unsigned gap = sight->frames[at] && sight->frames[at] <= last_frame ? 0 : 1u + sight->snapped[at];

		count += gap && gap != before;
		before = gap;
	}
	return count;
}

/* `at`: of the byte in the reported message; `place`: in its stream. */
static void check_reason(const struct run *run, const struct rtap_message *shown, unsigned side, const struct fpdu_segment *segment, uint64_t at,
			 uint32_t place)
{
	const struct sight *sight = &run->sights[side];
	uint8_t reason = reason_of(shown, at);

	REQUIRE(reason != RTAP_MISSING_EVICTED || run->base.is_tight);
	/* what a truncated frame has after a gap need not be kept until the gap is filled */
	REQUIRE(reason != RTAP_MISSING_SNAPPED || sight->snapped[place] || run->given[sight->frames[place]].is_cut ||
		count_gaps(sight, segment, shown->last_frame) > RTAP_FPDU_GAPS);
}

/* What is missing is what was not captured. `base`: of the reported message in that of the model. */
static void check_segment(struct run *run, const struct rtap_message *shown, unsigned side, unsigned number, uint64_t base, const bool *missing)
{
	static uint32_t places[1u << 16];
	const struct fpdu_segment *segment = &model.peers[side].segments[number];
	struct sight *sight = &run->sights[side];
	bool is_whole = find_places(run, side, segment, places), has_any = false, lacks_any = false;

	for (uint32_t i = 0; i < segment->length; i++) {
		uint64_t at = segment->at + i;

		if (at < base || at - base >= shown->length)
			continue;
		REQUIRE(sight->frames[places[i]] || missing[at - base] || (shown->missing_count && shares_memory(segment->message)));
		check_reason(run, shown, side, segment, at - base, places[i]);
		has_any |= !missing[at - base];
		lacks_any |= missing[at - base];
	}
	REQUIRE(!has_any || !sight->claimed[number] || run->base.is_tight);
	sight->claimed[number] |= has_any;
	/* which READ a response belongs to can be unknown if bytes are missing */
	if (is_whole && segment->end <= sight->in_step && !run->base.is_tight && !fpdu_is_request(segment->message))
		REQUIRE(!lacks_any);
}

static void check_segments(struct run *run, const struct rtap_message *shown, const struct fpdu_message *message, uint64_t base, const bool *missing)
{
	unsigned side = fpdu_data_side(message);

	for (unsigned i = 0; i < model.peers[side].segment_count; i++) {
		const struct fpdu_segment *segment = &model.peers[side].segments[i];

		if (segment->message == message && !segment->is_request)
			check_segment(run, shown, side, i, base, missing);
	}
}

/*
 * It goes on after the message of the model. Where a WRITE ends, only its last FPDU shows: if that was not captured, what follows in the same
 * memory may be a part of it.
 */
static void check_joined(const struct run *run, const struct rtap_message *shown, const struct fpdu_message *message)
{
	const struct fpdu_message *next = next_write(message);
	bool is_whole = true;

	REQUIRE(message->verb == FPDU_WRITE && !shown->complete);
	REQUIRE((next && next->is_contiguous) || shares_memory(message));
	for (uint32_t at = message->begin; at < message->end; at++)
		is_whole &= run->sights[message->side].frames[at] && !run->sights[message->side].is_late[at];
	REQUIRE(!is_whole || run->base.is_tight);
}

static void check_complete(const struct rtap_message *shown, const struct fpdu_message *message, uint64_t base)
{
	REQUIRE(!base && shown->length_known && shown->length == message->length && !shown->missing_count);
	REQUIRE(shown->has_invalidate == (message->invalidated != 0));
	REQUIRE(has_data(shown, message));
}

static void check_values(const struct rtap_message *shown, const struct fpdu_message *message)
{
	static const struct { uint8_t kind, verb; } expected[] = {
		{ RTAP_KIND_SEND, RTAP_VERB_SEND }, { RTAP_KIND_SEND, RTAP_VERB_SEND }, { RTAP_KIND_SEND, RTAP_VERB_SEND }, { RTAP_KIND_SEND, RTAP_VERB_SEND },
		{ RTAP_KIND_WRITE, RTAP_VERB_WRITE }, { RTAP_KIND_READ, RTAP_VERB_READ }, { RTAP_KIND_ATOMIC, RTAP_VERB_COMPARE_SWAP },
		{ RTAP_KIND_ATOMIC, RTAP_VERB_FETCH_ADD }, { RTAP_KIND_TERMINATE, RTAP_VERB_SEND },
	};

	REQUIRE(shown->kind == expected[message->verb].kind && shown->verb == expected[message->verb].verb);
	REQUIRE(!shown->has_invalidate || shown->invalidated_r_key == message->invalidated);
	REQUIRE(!shown->has_immediate && shown->has_msn == (message->verb < FPDU_WRITE || message->verb == FPDU_TERMINATE || shown->request_seen));
	REQUIRE(!shown->request_seen || fpdu_is_request(message));
	REQUIRE(shown->has_key == (message->verb == FPDU_WRITE || shown->request_seen));
	if (shown->request_seen)
		REQUIRE(shown->r_key == message->stag && shown->virtual_address == message->offset && shown->length == message->length);
	if (shown->kind != RTAP_KIND_ATOMIC)
		return;
	REQUIRE(shown->request_seen && shown->swap_or_add == message->index * 3u);
	REQUIRE(message->verb != FPDU_COMPARE_SWAP || shown->compare == message->index * 5u);
}

/* Frames with bytes of the message's FPDUs that none before had. */
static uint64_t count_frames(const struct run *run, const struct fpdu_message *message)
{
	static bool counted[NETWORK_FRAMES + FPDU_HANDSHAKE + 1];
	uint64_t count = 0;

	memset(counted, 0, sizeof counted);
	for (unsigned side = 0; side < 2; side++)
		for (unsigned i = 0; i < model.peers[side].segment_count; i++) {
			const struct fpdu_segment *segment = &model.peers[side].segments[i];

			for (uint32_t at = segment->begin; segment->message == message && at < segment->end; at++) {
				count += !counted[run->sights[side].frames[at]];
				counted[run->sights[side].frames[at]] = true;
			}
		}
	return count;
}

static void check_exact(const struct run *run, const struct rtap_message *shown, const struct fpdu_message *message)
{
	unsigned side = fpdu_data_side(message);
	uint32_t first = 0, last = 0, answered;

	REQUIRE(!run->is_reported[message->index]);
	if (!shown->complete)
		return;
	find_frames(run, 0, message, &first, &last);
	find_frames(run, 1, message, &first, &last);
	answered = fpdu_is_request(message) ? run->sights[side].frames[message->end - 1] : run->sights[side].acks[message->end - 1];
	if (shown->first_frame != first || shown->last_frame != last || shown->answered_in != answered)
		fprintf(stderr, "message %u: frames %llu to %llu, answered in %llu; not %u to %u, %u\n", message->index,
			(unsigned long long)shown->first_frame, (unsigned long long)shown->last_frame, (unsigned long long)shown->answered_in, first, last, answered);
	REQUIRE(shown->first_frame == first && shown->last_frame == last);
	REQUIRE(shown->answered_in == answered);
	REQUIRE(!answered || shown->outcome == RTAP_OUTCOME_GOOD);
	/* a retransmission can have several parts around what others have */
	REQUIRE(shown->frames >= count_frames(run, message) && (run->sights[side].has_repeats || shown->frames == count_frames(run, message)));
}

static unsigned side_of(const struct rtap_end *end)
{
	REQUIRE(end->address_length == 4 && end->address[0] == 10 && (end->address[3] == 1 || end->address[3] == 2));
	REQUIRE(end->port_known && end->port == fpdu_port(&model, end->address[3] - 1));
	return end->address[3] - 1;
}

static void take_message(void *owner, const struct rtap_message *shown)
{
	static bool missing[FPDU_STREAM];
	struct run *run = owner;
	const struct rtap_connection *connection = shown->connection;
	const struct fpdu_message *message;
	uint64_t base;
	unsigned side;

	REQUIRE(connection);
	side = side_of(shown->from_a ? &connection->a : &connection->b);
	if (has_unclear_markers(run, 0) || has_unclear_markers(run, 1))
		return;
	message = find_message(run, shown, side);
	if (!message)
		fprintf(stderr, "verb %u, MSN %u, address %llx, frames %llu to %llu\n", shown->verb, shown->psn, (unsigned long long)shown->virtual_address,
			(unsigned long long)shown->first_frame, (unsigned long long)shown->last_frame);
	REQUIRE(message);
	check_values(shown, message);
	/* whose data it is can be unknown */
	if (message->verb == FPDU_READ && model.shares_sinks && (!shown->request_seen || lacks_others(run, fpdu_data_side(message)))) {
		run->is_complete[message->index] |= shown->complete;
		return;
	}
	base = base_of(shown, message);
	list_missing(shown, missing);
	if (is_ambiguous(run, shown, message)) {
		check_among(run, shown, side, missing);
	} else {
		if (shown->length > message->length - base)
			check_joined(run, shown, message);
		else
			REQUIRE(!shown->length_known || shown->length == message->length - base);
		check_segments(run, shown, message, base, missing);
	}
	REQUIRE(!shown->complete || !fpdu_is_request(message) || shown->request_seen);
	if (shown->complete)
		check_complete(shown, message, base);
	if (run->base.is_exact)
		check_exact(run, shown, message);
	run->is_reported[message->index] = true;
	run->is_complete[message->index] |= shown->complete;
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	struct run *run = owner;
	static const uint8_t none[] = {
		RTAP_CONNECTION_ANOMALY_NOT_CAPTURED, RTAP_CONNECTION_ANOMALY_CUT, RTAP_CONNECTION_ANOMALY_UNFRAMED, RTAP_CONNECTION_ANOMALY_BAD_FPDU_CRC,
		RTAP_CONNECTION_ANOMALY_UNEXPECTED_RESPONSE, RTAP_CONNECTION_ANOMALY_LENGTH_MISMATCH,
	};

	run->connections++;
	REQUIRE(connection->transport == RTAP_TRANSPORT_IWARP);
	REQUIRE(!connection->anomaly_counts[RTAP_CONNECTION_ANOMALY_BAD_FPDU_CRC]);
	for (unsigned i = 0; run->base.is_exact && i < sizeof none; i++)
		REQUIRE(!connection->anomaly_counts[none[i]]);
}

/* ---- the whole ---- */

/* From where the capture begins, it has all that the side sent, and in order. */
static bool is_gapless(unsigned side)
{
	uint32_t end = FPDU_NOWHERE;

	for (unsigned i = model.net.skipped; i < model.net.frame_count; i++) {
		const struct fpdu_frame *frame = &model.frames[i];

		if (frame->side != side)
			continue;
		if (!frame->fate.is_captured || frame->fate.is_late || frame->fate.fault == NETWORK_CUT || frame->begin > end)
			return false;
		if (end == FPDU_NOWHERE || frame->end > end)
			end = frame->end;
	}
	return !model.net.snap;
}

/* The capture has bytes that the side sent again and that come before its first frame's: those in between can be missing. */
static bool goes_back(unsigned side)
{
	uint32_t first = FPDU_NOWHERE;

	for (unsigned i = model.net.skipped; i < model.net.frame_count; i++) {
		const struct fpdu_frame *frame = &model.frames[i];

		if (frame->side != side || !frame->fate.is_captured)
			continue;
		if (first == FPDU_NOWHERE)
			first = frame->begin;
		if (frame->begin < first)
			return true;
	}
	return false;
}

static void check_all(const struct run *run)
{
	for (unsigned i = 0; i < model.message_count; i++) {
		bool is_due = is_in_step(run, &model.messages[i]);

		if (is_due && !run->is_complete[i])
			fprintf(stderr, "message %u should be complete\n", i);
		REQUIRE(!is_due || run->is_complete[i]);
	}
	for (unsigned side = 0; side < 2; side++)
		for (unsigned i = 0; i < model.peers[side].segment_count; i++) {
			const struct fpdu_segment *segment = &model.peers[side].segments[i];

			if (!is_set_up(run) || segment->is_request || !segment->length || segment->end > run->sights[side].in_step || fpdu_is_request(segment->message))
				continue;
			REQUIRE(run->sights[side].claimed[i] || run->sights[side].shared[i]);
		}
}

/* In the middle of a stream with CRCs and without markers, the first whole FPDUs show where FPDUs begin: each of them is part of a message. */
static void check_found(const struct run *run, unsigned side)
{
	const struct sight *sight = &run->sights[side];
	unsigned count = 0, claimed = 0;

	for (unsigned i = 0; i < model.peers[side].segment_count; i++) {
		const struct fpdu_segment *segment = &model.peers[side].segments[i];

		if (segment->begin < sight->first || !sight->frames[segment->begin] || !sight->frames[segment->end - 1] || segment->is_request || !segment->length ||
		    fpdu_is_request(segment->message))
			continue;
		count++;
		claimed += sight->claimed[i] || sight->shared[i];
	}
	REQUIRE(count < FOUND || claimed == count);
}

size_t input_part(const uint8_t *data, size_t size, size_t at)
{
	(void)data;
	(void)size;
	return at ? NETWORK_RECORD : NETWORK_HEADER;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct run run;
	struct rtap_tracker_options options = { .size = sizeof options, .message = take_message, .connection = take_connection, .owner = &run };

	if (size < NETWORK_HEADER || size > NETWORK_HEADER + NETWORK_RECORD * 256)
		return 0;
	fpdu_run(&model, data, size);
	memset(&run, 0, sizeof run);
	run.base.is_exact = network_is_captured(&model.net, false);
	for (unsigned side = 0; side < 2; side++)
		run.is_unclear[side] = model.net.skipped && model.options >> side & FPDU_MARKERS && (!is_gapless(side) || goes_back(side));
	message_run(&run.base, data, &options, &model.net, give_handshake, give_frame, give_ending);
	if (!run.base.is_tight)
		check_all(&run);
	for (unsigned side = 0; side < 2; side++)
		if (model.net.skipped && model.options & FPDU_CRCS && !(model.options & 3 * FPDU_MARKERS) && is_gapless(side) && !run.base.is_tight)
			check_found(&run, side);
	REQUIRE(!run.base.is_exact || run.connections == 1);
	fpdu_end(&model);
	return 0;
}
