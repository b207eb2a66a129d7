/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Buffers the bytes of a direction. FPDUs are read one after another while their start is known, otherwise searched.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "dissect/iwarp/fpdu.h"
#include "reassembly/iwarp/fpdu_search.h"

/* CRC work per stream is limited to this many times its length, so that candidates that resemble FPDUs do not cost more. */
#define ALLOWANCE 16
#define FIRST_HELD 4096

void fpdu_init(struct fpdu_framer *framer, struct fpdu_sink *sink, const struct fpdu_rules *rules, uint64_t offset)
{
	*framer = (struct fpdu_framer){
		.sink = sink, .rules = *rules, .offset = offset, .start = offset, .hole_end = offset,
		.layout = rules->markers == FPDU_ON ? FPDU_MARKED : FPDU_PLAIN,
		.layout_certain = rules->markers != FPDU_UNKNOWN,
		.allowance = 4 * MPA_MAX_FPDU,
		.next_marker = offset, .skewed_marker = offset, .found = offset,
	};
	if (rules->from_start) {
		framer->trusted = framer->phase_known = framer->rules.is_iwarp = true;
		framer->framing = RTAP_FPDU_IN_STEP;
	} else {
		fpdu_search_begin(framer, offset);
	}
}

void fpdu_fini(struct fpdu_framer *framer)
{
	fpdu_discard_held(framer);
}

uint8_t *fpdu_hand_over(struct fpdu_framer *framer, const struct rtap_fpdu *fpdu, size_t *size)
{
	uint8_t *held = framer->held;

	if (!framer->hands_over || fpdu->bytes.bytes != held || fpdu->bytes.length != framer->held_length)
		return NULL;
	*size = framer->held_room;
	framer->held = NULL;
	framer->held_room = 0;
	return held;
}

/* Records the origin of the bytes about to be held. Beyond the limit they count as of the previous piece. */
static bool mark(struct fpdu_framer *framer)
{
	struct fpdu_origin *origins;

	if (framer->origin_count && framer->origins[framer->origin_count - 1].frame == framer->now.frame)
		return true;
	if (framer->origin_count == FPDU_MAX_ORIGINS)
		return true;
	if (framer->origin_count == framer->origin_room) {
		origins = array_reserve(framer->origins, &framer->origin_room, framer->origin_count + 1, 8, FPDU_MAX_ORIGINS, sizeof *origins);
		if (!origins)
			return false;
		framer->origins = origins;
	}
	framer->origins[framer->origin_count] = framer->now;
	framer->origins[framer->origin_count++].offset = framer->offset;
	return true;
}

/* Appends bytes of the stream, or zeros for missing ones, to the held bytes. Without memory all are lost. */
static bool hold(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length)
{
	uint8_t *held = array_reserve(framer->held, &framer->held_room, framer->held_length + length, FIRST_HELD, UINT32_MAX, 1);

	if (!held || !mark(framer)) {
		if (held)
			framer->held = held;
		framer->out_of_memory = true;
		framer->offset += length;
		framer->held_length = 0;
		framer->origin_count = 0;
		framer->hole_end = framer->offset;
		fpdu_search_begin(framer, framer->offset);
		return false;
	}
	framer->held = held;
	if (bytes)
		memcpy(held + framer->held_length, bytes, length);
	else
		memset(held + framer->held_length, 0, length);
	framer->held_length += length;
	framer->offset += length;
	return true;
}

uint32_t fpdu_frames(const struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	uint64_t end = fpdu->stream_offset + fpdu->bytes.length;
	uint32_t frames = 0;

	if (!fpdu->split)
		return 1;
	for (uint32_t i = 0; i < framer->origin_count; i++)
		frames += framer->origins[i].offset < end &&
			  (i + 1 == framer->origin_count || framer->origins[i + 1].offset > fpdu->stream_offset);
	return frames ? frames : 1;
}

uint64_t fpdu_cause(const struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	return fpdu->split ? fpdu_origin_of(framer, fpdu->stream_offset + fpdu->bytes.length - 1)->cause : framer->now.cause;
}

/*
 * Reserves memory at once for an FPDU whose first bytes are present. Without memory for all of it, a later attempt may
 * succeed.
 */
static void expect(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length)
{
	uint32_t marker = fpdu_relative_marker(framer->layout, framer->next_marker, framer->start), total;
	uint8_t *held;

	if (!fpdu_measure(bytes, length, marker, &total) || total <= framer->held_room)
		return;
	held = memory_resize(framer->held, total);
	if (!held)
		return;
	framer->held = held;
	framer->held_room = total;
}

/* Bytes that the current FPDU still needs: up to its ULPDU_Length if that is missing, else up to its end. */
static uint32_t needed(const struct fpdu_framer *framer, bool *measured)
{
	uint32_t marker = fpdu_relative_marker(framer->layout, framer->next_marker, framer->start), total;

	*measured = fpdu_measure(framer->held, framer->held_length, marker, &total);
	if (!*measured)
		total = fpdu_offset(0, marker) + MPA_LENGTH_LENGTH;
	return total > framer->held_length ? total - framer->held_length : 0;
}

/* Delivers complete FPDUs in held bytes. An FPDU with gaps that proves invalid is dropped with its bytes. */
static void deliver_held(struct fpdu_framer *framer)
{
	bool gaps = framer->gap_count > 0;
	uint32_t delivered;

	framer->hands_over = true;
	delivered = fpdu_deliver(framer, framer->held, framer->held_length, true);
	framer->hands_over = false;
	fpdu_trim(framer, fpdu_base(framer) + delivered);
	if (framer->searching && gaps && framer->held_length) {
		fpdu_trim(framer, framer->offset);
		framer->hole_end = framer->offset;
		fpdu_search_begin(framer, framer->offset);
	}
}

static uint32_t take_aligned(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length)
{
	bool measured;
	uint32_t part;

	if (!framer->held_length) {
		part = fpdu_deliver(framer, bytes, length, false);
		framer->offset += part;
		if (framer->searching || part == length)
			return part;
		expect(framer, bytes + part, length - part);
		(void)hold(framer, bytes + part, length - part);
		return length;
	}
	part = needed(framer, &measured);
	if (part > length)
		part = length;
	if (hold(framer, bytes, part))
		deliver_held(framer);
	return part;
}

static uint32_t take_searching(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length)
{
	uint32_t part = FPDU_MAX_HELD - framer->held_length;

	if (part > length)
		part = length;
	if (hold(framer, bytes, part))
		fpdu_search(framer);
	if (framer->searching && framer->held_length == FPDU_MAX_HELD)
		fpdu_search_discard(framer);
	return part;
}

void fpdu_take(struct fpdu_framer *framer, const struct fpdu_piece *piece)
{
	const uint8_t *bytes = piece->bytes;
	uint32_t left = piece->length;

	framer->now = (struct fpdu_origin){ framer->offset, piece->frame, piece->time_ns, piece->cause };
	framer->checked = (struct rtap_span){ piece->checked ? bytes : NULL, left };
	framer->allowance += ALLOWANCE * (uint64_t)left;
	while (left) {
		uint32_t part = framer->searching ? take_searching(framer, bytes, left) : take_aligned(framer, bytes, left);

		bytes += part;
		left -= part;
	}
	/* Its memory may be transferred from here on. */
	framer->checked.bytes = NULL;
}

/* Records that the next `length` bytes of the current FPDU are missing. With too many gaps, extends the last one. */
static void add_gap(struct fpdu_framer *framer, uint32_t length, uint8_t reason)
{
	struct rtap_fpdu_gap *last = &framer->gaps[framer->gap_count - (framer->gap_count > 0)];
	uint32_t offset = framer->held_length;

	if (framer->gap_count && (framer->gap_count == RTAP_FPDU_GAPS || (last->offset + last->length == offset && last->reason == reason))) {
		last->length = offset + length - last->offset;
		return;
	}
	framer->gaps[framer->gap_count++] = (struct rtap_fpdu_gap){ offset, length, reason };
}

/* The part of a hole that is in the current FPDU. 0: none with a known length. */
static uint32_t skip_aligned(struct fpdu_framer *framer, uint64_t length, uint8_t reason)
{
	bool measured = false;
	uint32_t part = framer->held_length ? needed(framer, &measured) : 0;

	if (!measured)
		return 0;
	if (part > length)
		part = (uint32_t)length;
	add_gap(framer, part, reason);
	if (hold(framer, NULL, part))
		deliver_held(framer);
	return part;
}

/* No more bytes follow: a damaged length must not hide the FPDUs after it. */
static void doubt_held(struct fpdu_framer *framer)
{
	if (framer->searching || framer->gap_count || !framer->held_length || !fpdu_holds_others(framer, framer->held, framer->held_length))
		return;
	fpdu_search_begin(framer, framer->start + MPA_SMALLEST_FPDU);
	fpdu_search_settle(framer);
}

void fpdu_skip(struct fpdu_framer *framer, uint64_t length, uint8_t reason)
{
	doubt_held(framer);
	while (length) {
		uint32_t part;

		if (framer->searching)
			fpdu_search_settle(framer);
		part = framer->searching ? 0 : skip_aligned(framer, length, reason);
		if (part) {
			length -= part;
			continue;
		}
		fpdu_trim(framer, framer->offset);
		framer->offset += length;
		if (framer->sink->lost)
			framer->sink->lost(framer->sink, framer->start, framer->offset - framer->start);
		framer->start = framer->hole_end = framer->offset;
		fpdu_search_begin(framer, framer->offset);
		return;
	}
}

void fpdu_finish(struct fpdu_framer *framer, uint8_t reason)
{
	uint64_t end = framer->offset;
	bool measured = false;
	uint32_t missing;

	doubt_held(framer);
	if (framer->searching)
		fpdu_search_settle(framer);
	missing = !framer->searching && framer->held_length ? needed(framer, &measured) : 0;
	if (measured && missing)
		fpdu_skip(framer, missing, reason);
	if (framer->start < end && framer->sink->lost)
		framer->sink->lost(framer->sink, framer->start, end - framer->start);
	framer->held_length = 0;
	framer->origin_count = 0;
	framer->offset = framer->start = framer->hole_end = end;
	fpdu_search_begin(framer, end);
}

bool fpdu_look_ahead(const struct fpdu_framer *framer, uint64_t offset, const struct fpdu_piece *piece,
		     void (*ahead)(struct fpdu_sink *sink, const struct rtap_fpdu *fpdu))
{
	struct rtap_iwarp_facts facts = { 0 }, previous = { 0 };
	bool is_plain = framer->layout == FPDU_PLAIN && (framer->layout_certain || framer->start - framer->found >= FPDU_MARKER_SPAN);
	struct rtap_fpdu fpdu;

	if (framer->searching || framer->rules.crc == FPDU_UNKNOWN || (!is_plain && !fpdu_phase_known(framer)))
		return false;
	for (uint32_t at = 0; at < piece->length; at += fpdu.bytes.length, previous = facts)
		if (!fpdu_read_ahead(framer, offset, piece, at, &fpdu, &facts) || (at && !iwarp_follows(&previous, &facts)))
			return false;
	for (uint32_t at = 0; at < piece->length && fpdu_read_ahead(framer, offset, piece, at, &fpdu, &facts); at += fpdu.bytes.length)
		ahead(framer->sink, &fpdu);
	return true;
}
