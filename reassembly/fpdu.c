/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting FPDUs off while it is known where they begin.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/fpdu.h"
#include "reassembly/fpdu_internal.h"
#include "reassembly/memory.h"

/* A stream's CRC work may be this many times its length: candidates that resemble FPDUs are not to cost more. */
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
	free(framer->held);
	free(framer->marks);
	free(framer->candidates);
	framer->held = NULL;
	framer->marks = NULL;
	framer->candidates = NULL;
	framer->candidate_count = 0;
	framer->held_length = framer->held_room = 0;
	framer->mark_count = framer->mark_room = 0;
}

uint8_t *fpdu_give(struct fpdu_framer *framer, const struct rtap_fpdu *fpdu, size_t *size)
{
	uint8_t *held = framer->held;

	if (!framer->gives || fpdu->bytes.bytes != held || fpdu->bytes.length != framer->held_length)
		return NULL;
	*size = framer->held_room;
	framer->held = NULL;
	framer->held_room = 0;
	return held;
}

/* Notes where the bytes come from that are about to be held. Beyond the bound they count as of the piece before. */
static bool mark(struct fpdu_framer *framer)
{
	struct fpdu_mark *marks;
	uint32_t room;

	if (framer->mark_count && framer->marks[framer->mark_count - 1].frame == framer->now.frame)
		return true;
	if (framer->mark_count == FPDU_MAX_MARKS)
		return true;
	if (framer->mark_count == framer->mark_room) {
		room = framer->mark_room ? 2 * framer->mark_room : 8;
		marks = memory_resize(framer->marks, room * sizeof *marks);
		if (!marks)
			return false;
		framer->marks = marks;
		framer->mark_room = room;
	}
	framer->marks[framer->mark_count] = framer->now;
	framer->marks[framer->mark_count++].offset = framer->offset;
	return true;
}

/* Appends bytes of the stream to those held, or zeros for those that are missing. Without memory they and all held are lost. */
static bool hold(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length)
{
	uint32_t room = framer->held_room ? framer->held_room : FIRST_HELD;
	uint8_t *held = framer->held;

	while (room < framer->held_length + length)
		room *= 2;
	if (room != framer->held_room)
		held = memory_resize(framer->held, room);
	if (!held || !mark(framer)) {
		if (held)
			framer->held = held;
		framer->out_of_memory = true;
		framer->offset += length;
		framer->held_length = 0;
		framer->mark_count = 0;
		framer->hole_end = framer->offset;
		fpdu_search_begin(framer, framer->offset);
		return false;
	}
	framer->held = held;
	framer->held_room = room;
	if (bytes)
		memcpy(held + framer->held_length, bytes, length);
	else
		memset(held + framer->held_length, 0, length);
	framer->held_length += length;
	framer->offset += length;
	return true;
}

void fpdu_trim(struct fpdu_framer *framer, uint64_t offset)
{
	uint32_t gone = (uint32_t)(offset - fpdu_base(framer)), marks = 0;

	if (!gone)
		return;
	framer->held_length -= gone;
	if (framer->held_length)
		memmove(framer->held, framer->held + gone, framer->held_length);
	while (marks + 1 < framer->mark_count && framer->marks[marks + 1].offset <= offset)
		marks++;
	if (!framer->held_length)
		marks = framer->mark_count;
	framer->mark_count -= marks;
	if (marks && framer->mark_count)
		memmove(framer->marks, framer->marks + marks, framer->mark_count * sizeof *framer->marks);
	/* what a search needed is not kept for good */
	if (!framer->held_length && framer->held_room > 2 * MPA_MAX_FPDU)
		fpdu_fini(framer);
}

/* The length of the FPDU that begins at `bytes`. False: its ULPDU_Length is not there. */
static bool measure(const uint8_t *bytes, uint32_t length, uint32_t first_marker, uint32_t *total)
{
	uint32_t at = fpdu_offset(0, first_marker);

	if (length < at + MPA_LENGTH_LENGTH)
		return false;
	*total = fpdu_total_length(load16(bytes + at), first_marker);
	return true;
}

void fpdu_describe(struct rtap_fpdu *fpdu, enum fpdu_layout layout, const uint8_t *bytes, uint32_t total, uint32_t first_marker)
{
	fpdu->bytes = (struct rtap_span){ bytes, total };
	fpdu->upper = NULL;
	fpdu->first_marker = first_marker;
	fpdu->ulpdu_length = load16(bytes + fpdu_offset(0, first_marker));
	fpdu->skewed_markers = layout == FPDU_SKEWED;
	fpdu->split = false;
	fpdu->gap_count = 0;
}

uint64_t fpdu_marker_behind(enum fpdu_layout layout, uint64_t marker, uint64_t start, uint32_t ulpdu_length)
{
	uint32_t first = fpdu_relative_marker(layout, marker, start);

	if (first == RTAP_NO_MARKER)
		return marker;
	marker += MPA_MARKER_INTERVAL * (uint64_t)fpdu_markers_before(fpdu_content_length(ulpdu_length) - 1, first);
	return layout == FPDU_SKEWED ? marker + MPA_CRC_LENGTH : marker;
}

enum result fpdu_look(const uint8_t *bytes, uint32_t length, uint32_t first_marker, struct rtap_iwarp_facts *facts, uint32_t *total)
{
	uint8_t head[DDP_UNTAGGED_LENGTH];
	uint32_t ulpdu_length, wanted;

	if (!measure(bytes, length, first_marker, total))
		return TRUNCATED;
	ulpdu_length = load16(bytes + fpdu_offset(0, first_marker));
	if (ulpdu_length < DDP_TAGGED_LENGTH)
		return MALFORMED;
	wanted = ulpdu_length < sizeof head ? ulpdu_length : (uint32_t)sizeof head;
	for (uint32_t i = 0; i < wanted; i++) {
		uint32_t at = fpdu_offset(MPA_LENGTH_LENGTH + i, first_marker);

		if (at >= length)
			return TRUNCATED;
		head[i] = bytes[at];
	}
	if (iwarp_read(head, wanted, ulpdu_length, facts) == MALFORMED || !iwarp_is_plausible(facts, ulpdu_length))
		return MALFORMED;
	return OK;
}

/* Which frame brought the byte at a stream offset. */
static const struct fpdu_mark *origin(const struct fpdu_framer *framer, uint64_t offset)
{
	uint32_t low = 0, high = framer->mark_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (framer->marks[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return framer->mark_count ? &framer->marks[low] : &framer->now;
}

uint32_t fpdu_frames(const struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	uint64_t end = fpdu->stream_offset + fpdu->bytes.length;
	uint32_t frames = 0;

	if (!fpdu->split)
		return 1;
	for (uint32_t i = 0; i < framer->mark_count; i++)
		frames += framer->marks[i].offset < end &&
			  (i + 1 == framer->mark_count || framer->marks[i + 1].offset > fpdu->stream_offset);
	return frames ? frames : 1;
}

uint64_t fpdu_cause(const struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	return fpdu->split ? origin(framer, fpdu->stream_offset + fpdu->bytes.length - 1)->cause : framer->now.cause;
}

static uint8_t crc_status(const struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	enum rtap_crc_status status;

	if (framer->rules.crc == FPDU_OFF)
		return RTAP_CRC_OFF;
	if (fpdu->bytes.bytes == framer->checked.bytes && fpdu->bytes.length == framer->checked.length &&
	    fpdu->first_marker >= fpdu->bytes.length)
		return RTAP_CRC_GOOD;
	status = fpdu_check_crc(fpdu);
	/* what was not seen to be agreed upon shows itself: by the first one */
	return status == RTAP_CRC_BAD && framer->rules.crc == FPDU_UNKNOWN ? RTAP_CRC_OFF : (uint8_t)status;
}

enum verdict { TELL, AGAIN, SEARCH };

static bool is_plausible(const struct rtap_fpdu *fpdu)
{
	struct rtap_iwarp_facts facts;
	uint32_t length;
	const uint8_t *head = fpdu_head(fpdu, &length);

	return (iwarp_read(head, length, fpdu->ulpdu_length, &facts) != MALFORMED && iwarp_is_plausible(&facts, fpdu->ulpdu_length)) ||
	       (length < DDP_UNTAGGED_LENGTH && length < fpdu->ulpdu_length);
}

/* Whether the FPDU told last had that marker for its CRC, which now stands at framer->start: CRCs not being in use, nothing missed it. */
static bool left_crc(const struct fpdu_framer *framer)
{
	return framer->start == framer->refused_marker + MPA_MARKER_LENGTH;
}

/* Whether the skewed layout, tried since a marker of this FPDU or the one before points elsewhere, sees none and makes no FPDU of it. */
static bool is_tried_in_vain(const struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	if (framer->layout != FPDU_SKEWED || framer->markers_proven || (framer->refused_marker < framer->start && !left_crc(framer)))
		return false;
	return fpdu->crc_status == RTAP_CRC_BAD || (fpdu->crc_status != RTAP_CRC_GOOD && !is_plausible(fpdu));
}

/* Markers that point elsewhere: the other layout may be the one, unless this one has proved itself. A right CRC says nothing of it. */
static enum verdict judge_markers(struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	bool has_marker = fpdu->first_marker < fpdu->bytes.length;

	if (framer->layout == FPDU_PLAIN || (!has_marker && !is_tried_in_vain(framer, fpdu)))
		return TELL;
	if (has_marker && fpdu_markers_agree(fpdu)) {
		if (fpdu->first_marker)
			framer->markers_proven = true;
		return TELL;
	}
	if (framer->trusted && !framer->markers_proven && framer->layout == FPDU_MARKED && !framer->skew_refused) {
		framer->layout = FPDU_SKEWED;
		framer->refused_marker = framer->next_marker;
		framer->next_marker = framer->skewed_marker;
		return AGAIN;
	}
	if (framer->layout == FPDU_SKEWED && !framer->markers_proven) {
		framer->layout = FPDU_MARKED;
		framer->next_marker = framer->refused_marker;
		framer->skew_refused = true;
		if (left_crc(framer)) {
			framer->start += MPA_CRC_LENGTH;
			framer->next_marker += MPA_MARKER_INTERVAL;
		}
		return AGAIN;
	}
	/* where markers stand was found, and was not so */
	if (!framer->rules.from_start)
		framer->phase_known = false;
	else if (fpdu->crc_status == RTAP_CRC_GOOD)
		return TELL;
	return fpdu->crc_status == RTAP_CRC_BAD && framer->trusted ? TELL : SEARCH;
}

static enum verdict judge(struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	enum verdict verdict = judge_markers(framer, fpdu);
	bool plausible;

	if (verdict != TELL || fpdu->crc_status == RTAP_CRC_GOOD)
		return verdict;
	plausible = is_plausible(fpdu);
	/* the length may be what was damaged */
	if (fpdu->crc_status == RTAP_CRC_BAD)
		return plausible && framer->layout_certain && !fpdu_holds_others(framer, fpdu->bytes.bytes, fpdu->bytes.length) ? TELL : SEARCH;
	return plausible || (framer->trusted && framer->layout_certain) ? TELL : SEARCH;
}

static void fill_origin(const struct fpdu_framer *framer, struct rtap_fpdu *fpdu, bool held)
{
	const struct fpdu_mark *first = &framer->now, *last = &framer->now;

	if (held) {
		first = origin(framer, framer->start);
		last = origin(framer, framer->start + fpdu->bytes.length - 1);
		memcpy(fpdu->gaps, framer->gaps, sizeof fpdu->gaps);
		fpdu->gap_count = framer->gap_count;
	}
	fpdu->split = held;
	fpdu->stream_offset = framer->start;
	fpdu->framing = framer->framing;
	fpdu->first_frame = first->frame;
	fpdu->first_time_ns = first->time_ns;
	fpdu->last_frame = last->frame;
	fpdu->last_time_ns = last->time_ns;
}

/* Goes behind an FPDU that was judged to be one. */
static void step(struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	uint64_t start = framer->start;

	framer->next_marker = fpdu_marker_behind(framer->layout, framer->next_marker, start, fpdu->ulpdu_length);
	if (framer->layout == FPDU_MARKED && !framer->markers_proven && framer->trusted)
		framer->skewed_marker = fpdu_marker_behind(FPDU_SKEWED, framer->skewed_marker, start, fpdu->ulpdu_length);
	framer->start += fpdu->bytes.length;
	framer->gap_count = 0;
	if (fpdu->crc_status == RTAP_CRC_BAD)
		framer->trusted = false;
	/* bytes among which a marker would have been, and their CRCs were right without */
	if (fpdu->crc_status == RTAP_CRC_GOOD && framer->start - framer->found >= FPDU_MARKER_SPAN)
		framer->layout_certain = true;
	if (framer->rules.crc == FPDU_UNKNOWN && fpdu->crc_status != RTAP_CRC_UNVERIFIABLE)
		framer->rules.crc = fpdu->crc_status == RTAP_CRC_GOOD ? FPDU_ON : FPDU_OFF;
}

static enum verdict take_one(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t total, bool held)
{
	struct rtap_fpdu fpdu;
	enum verdict verdict;

	fpdu_describe(&fpdu, framer->layout, bytes, total, fpdu_relative_marker(framer->layout, framer->next_marker, framer->start));
	fill_origin(framer, &fpdu, held);
	fpdu.crc_status = crc_status(framer, &fpdu);
	fpdu_fill_head(&fpdu);
	verdict = judge(framer, &fpdu);
	if (verdict != TELL)
		return verdict;
	step(framer, &fpdu);
	framer->sink->fpdu(framer->sink, &fpdu);
	return TELL;
}

uint32_t fpdu_count_off(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length, bool held)
{
	uint32_t at = 0, total;
	enum verdict verdict = TELL;

	while (verdict != SEARCH) {
		uint64_t start = framer->start;
		uint32_t marker = fpdu_relative_marker(framer->layout, framer->next_marker, start);
		struct rtap_iwarp_facts facts;

		if (!measure(bytes + at, length - at, marker, &total))
			break;
		if (total > length - at) {
			/* a length that is none would be waited for in vain */
			if (!framer->trusted && fpdu_look(bytes + at, length - at, marker, &facts, &total) == MALFORMED)
				verdict = SEARCH;
			break;
		}
		verdict = take_one(framer, bytes + at, total, held);
		if (verdict == TELL)
			at += total;
		else if (verdict == AGAIN)
			at += (uint32_t)(framer->start - start);
	}
	if (verdict == SEARCH)
		fpdu_search_begin(framer, framer->start);
	return at;
}

/* Makes room at once for an FPDU of which the first bytes are there. Without memory for all of it, it may be had for what comes. */
static void expect(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length)
{
	uint32_t marker = fpdu_relative_marker(framer->layout, framer->next_marker, framer->start), total;
	uint8_t *held;

	if (!measure(bytes, length, marker, &total) || total <= framer->held_room)
		return;
	held = memory_resize(framer->held, total);
	if (!held)
		return;
	framer->held = held;
	framer->held_room = total;
}

/* Bytes that the FPDU under way still needs: up to its ULPDU_Length if that is not there, else up to its end. */
static uint32_t needed(const struct fpdu_framer *framer, bool *measured)
{
	uint32_t marker = fpdu_relative_marker(framer->layout, framer->next_marker, framer->start), total;

	*measured = measure(framer->held, framer->held_length, marker, &total);
	if (!*measured)
		total = fpdu_offset(0, marker) + MPA_LENGTH_LENGTH;
	return total > framer->held_length ? total - framer->held_length : 0;
}

/* Tells what became whole among held bytes. An FPDU with gaps that proves to be none takes its bytes with it. */
static void count_off_held(struct fpdu_framer *framer)
{
	bool gaps = framer->gap_count > 0;
	uint32_t told;

	framer->gives = true;
	told = fpdu_count_off(framer, framer->held, framer->held_length, true);
	framer->gives = false;
	fpdu_trim(framer, fpdu_base(framer) + told);
	if (framer->searching && gaps && framer->held_length) {
		fpdu_trim(framer, framer->offset);
		framer->hole_end = framer->offset;
		fpdu_search_begin(framer, framer->offset);
	}
}

static uint32_t take_in_step(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length)
{
	bool measured;
	uint32_t part;

	if (!framer->held_length) {
		part = fpdu_count_off(framer, bytes, length, false);
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
		count_off_held(framer);
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
		fpdu_search_forget(framer);
	return part;
}

void fpdu_take(struct fpdu_framer *framer, const struct fpdu_piece *piece)
{
	const uint8_t *bytes = piece->bytes;
	uint32_t left = piece->length;

	framer->now = (struct fpdu_mark){ framer->offset, piece->frame, piece->time_ns, piece->cause };
	framer->checked = (struct rtap_span){ piece->checked ? bytes : NULL, left };
	framer->allowance += ALLOWANCE * (uint64_t)left;
	while (left) {
		uint32_t part = framer->searching ? take_searching(framer, bytes, left) : take_in_step(framer, bytes, left);

		bytes += part;
		left -= part;
	}
	/* its memory may be others' from now on */
	framer->checked.bytes = NULL;
}

/* Notes that the next `length` bytes of the FPDU under way are missing. When there are too many gaps the last one grows. */
static void add_gap(struct fpdu_framer *framer, uint32_t length, uint8_t reason)
{
	struct rtap_fpdu_gap *last = &framer->gaps[framer->gap_count - (framer->gap_count > 0)];
	uint32_t offset = framer->held_length;

	if (framer->gap_count && (framer->gap_count == RTAP_FPDU_GAPS || last->offset + last->length == offset)) {
		last->length = offset + length - last->offset;
		return;
	}
	framer->gaps[framer->gap_count++] = (struct rtap_fpdu_gap){ offset, length, reason };
}

/* The part of a hole that lies in the FPDU under way. 0: there is none whose length is known. */
static uint32_t skip_in_step(struct fpdu_framer *framer, uint64_t length, uint8_t reason)
{
	bool measured = false;
	uint32_t part = framer->held_length ? needed(framer, &measured) : 0;

	if (!measured)
		return 0;
	if (part > length)
		part = (uint32_t)length;
	add_gap(framer, part, reason);
	if (hold(framer, NULL, part))
		count_off_held(framer);
	return part;
}

/* No more bytes follow what is held: a length that was damaged is not to cost the FPDUs behind it. */
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
		part = framer->searching ? 0 : skip_in_step(framer, length, reason);
		if (part) {
			length -= part;
			continue;
		}
		fpdu_trim(framer, framer->offset);
		framer->offset += length;
		framer->hole_end = framer->offset;
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
	framer->mark_count = 0;
	framer->offset = framer->start = framer->hole_end = end;
	fpdu_search_begin(framer, end);
}
