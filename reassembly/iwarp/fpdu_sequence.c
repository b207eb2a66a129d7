/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading consecutive FPDUs from a known start, and what the search shares with that.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "reassembly/iwarp/fpdu_sequence.h"

void fpdu_discard_held(struct fpdu_framer *framer)
{
	free(framer->held);
	free(framer->origins);
	free(framer->candidates);
	framer->held = NULL;
	framer->origins = NULL;
	framer->candidates = NULL;
	framer->candidate_count = 0;
	framer->held_length = framer->held_room = 0;
	framer->origin_count = framer->origin_room = 0;
}

void fpdu_trim(struct fpdu_framer *framer, uint64_t offset)
{
	uint32_t gone = (uint32_t)(offset - fpdu_base(framer)), passed = 0;

	if (!gone)
		return;
	framer->held_length -= gone;
	if (framer->held_length)
		memmove(framer->held, framer->held + gone, framer->held_length);
	while (passed + 1 < framer->origin_count && framer->origins[passed + 1].offset <= offset)
		passed++;
	if (!framer->held_length)
		passed = framer->origin_count;
	framer->origin_count -= passed;
	if (passed && framer->origin_count)
		memmove(framer->origins, framer->origins + passed, framer->origin_count * sizeof *framer->origins);
	/* Frees the memory that only a search needed. */
	if (!framer->held_length && framer->held_room > 2 * MPA_MAX_FPDU)
		fpdu_discard_held(framer);
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

uint64_t fpdu_marker_after(enum fpdu_layout layout, uint64_t marker, uint64_t start, uint32_t ulpdu_length)
{
	uint32_t first = fpdu_relative_marker(layout, marker, start);

	if (first == RTAP_NO_MARKER)
		return marker;
	marker += MPA_MARKER_INTERVAL * (uint64_t)fpdu_markers_before(fpdu_content_length(ulpdu_length) - 1, first);
	return layout == FPDU_SKEWED ? marker + MPA_CRC_LENGTH : marker;
}

enum result fpdu_read_headers(const uint8_t *bytes, uint32_t length, uint32_t first_marker, struct rtap_iwarp_facts *facts, uint32_t *total)
{
	uint8_t head[DDP_UNTAGGED_LENGTH];
	uint32_t ulpdu_length, wanted;

	if (!fpdu_measure(bytes, length, first_marker, total))
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

void fpdu_search_begin(struct fpdu_framer *framer, uint64_t from)
{
	framer->searching = true;
	framer->trusted = false;
	framer->gap_count = 0;
	framer->candidate_count = 0;
	framer->scanned = framer->markers_scanned = from;
}

const struct fpdu_origin *fpdu_origin_of(const struct fpdu_framer *framer, uint64_t offset)
{
	uint32_t low = 0, high = framer->origin_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (framer->origins[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return framer->origin_count ? &framer->origins[low] : &framer->now;
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
	/* If the negotiation was not seen, the first FPDU shows whether CRCs are used. */
	return status == RTAP_CRC_BAD && framer->rules.crc == FPDU_UNKNOWN ? RTAP_CRC_OFF : (uint8_t)status;
}

bool fpdu_read_ahead(const struct fpdu_framer *framer, uint64_t offset, const struct fpdu_piece *piece, uint32_t at,
		       struct rtap_fpdu *fpdu, struct rtap_iwarp_facts *facts)
{
	uint64_t start = offset + at;
	uint32_t first = fpdu_relative_marker(framer->layout, fpdu_marker_from(framer, start), start), total;

	if ((first != RTAP_NO_MARKER && first % 4) || fpdu_read_headers(piece->bytes + at, piece->length - at, first, facts, &total) != OK ||
	    total > piece->length - at)
		return false;
	*fpdu = (struct rtap_fpdu){
		.stream_offset = start, .framing = framer->framing, .first_frame = piece->frame, .last_frame = piece->frame,
		.first_time_ns = piece->time_ns, .last_time_ns = piece->time_ns,
	};
	fpdu_describe(fpdu, framer->layout, piece->bytes + at, total, first);
	fpdu->crc_status = framer->rules.crc == FPDU_ON ? (uint8_t)fpdu_check_crc(fpdu) : RTAP_CRC_OFF;
	fpdu_fill_head(fpdu);
	return fpdu->crc_status != RTAP_CRC_BAD && (framer->layout == FPDU_PLAIN || fpdu_markers_agree(fpdu));
}

/* Whether an FPDU or a sequence of them begins at byte `at`. */
static bool is_other(struct fpdu_framer *framer, const struct fpdu_piece *piece, uint32_t at)
{
	struct rtap_iwarp_facts facts, previous;
	uint32_t count = 0;
	struct rtap_fpdu fpdu;

	while (at + MPA_SMALLEST_FPDU <= piece->length && fpdu_read_ahead(framer, framer->start, piece, at, &fpdu, &facts)) {
		if (count && !iwarp_follows(&previous, &facts))
			return false;
		framer->allowance -= framer->allowance < fpdu.bytes.length ? framer->allowance : fpdu.bytes.length;
		if (fpdu.crc_status == RTAP_CRC_GOOD || ++count == FPDU_MIN_ZERO)
			return true;
		previous = facts;
		at += fpdu.bytes.length;
	}
	return false;
}

bool fpdu_holds_others(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length)
{
	struct fpdu_piece piece = { .bytes = bytes, .length = length };

	if (framer->rules.crc == FPDU_UNKNOWN || framer->layout == FPDU_SKEWED)
		return false;
	/* FPDUs and markers consist of whole words. */
	for (uint32_t at = 4; at + MPA_SMALLEST_FPDU <= length && framer->allowance; at += 4)
		if ((framer->layout != FPDU_PLAIN || fpdu_may_be_headers(bytes + at)) && is_other(framer, &piece, at))
			return true;
	return false;
}

enum verdict { ACCEPT, AGAIN, SEARCH };

static bool is_plausible(const struct rtap_fpdu *fpdu)
{
	struct rtap_iwarp_facts facts;
	uint32_t length;
	const uint8_t *head = fpdu_head(fpdu, &length);

	return (iwarp_read(head, length, fpdu->ulpdu_length, &facts) != MALFORMED && iwarp_is_plausible(&facts, fpdu->ulpdu_length)) ||
	       (length < DDP_UNTAGGED_LENGTH && length < fpdu->ulpdu_length);
}

/* Whether the last FPDU delivered took the marker for its CRC, which is now at framer->start: undetected without CRCs. */
static bool left_crc(const struct fpdu_framer *framer)
{
	return framer->start == framer->refused_marker + MPA_MARKER_LENGTH;
}

/*
 * Whether the skewed layout, tried because a marker of this FPDU or the previous one points elsewhere, finds no marker and
 * no FPDU.
 */
static bool is_skew_refuted(const struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	if (framer->layout != FPDU_SKEWED || framer->markers_proven || (framer->refused_marker < framer->start && !left_crc(framer)))
		return false;
	return fpdu->crc_status == RTAP_CRC_BAD || (fpdu->crc_status != RTAP_CRC_GOOD && !is_plausible(fpdu));
}

/* Markers that point elsewhere: the other layout may be right, unless this one is proven. A good CRC does not decide it. */
static enum verdict judge_markers(struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	bool has_marker = fpdu->first_marker < fpdu->bytes.length;

	if (framer->layout == FPDU_PLAIN || (!has_marker && !is_skew_refuted(framer, fpdu)))
		return ACCEPT;
	if (has_marker && fpdu_markers_agree(fpdu)) {
		if (fpdu->first_marker)
			framer->markers_proven = true;
		return ACCEPT;
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
	/* The marker position was found by searching, and was wrong. */
	if (!framer->rules.from_start)
		framer->phase_known = false;
	else if (fpdu->crc_status == RTAP_CRC_GOOD)
		return ACCEPT;
	return fpdu->crc_status == RTAP_CRC_BAD && framer->trusted ? ACCEPT : SEARCH;
}

static enum verdict judge(struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	enum verdict verdict = judge_markers(framer, fpdu);
	bool plausible;

	if (verdict != ACCEPT || fpdu->crc_status == RTAP_CRC_GOOD)
		return verdict;
	plausible = is_plausible(fpdu);
	/* The length may be what was damaged. */
	if (fpdu->crc_status == RTAP_CRC_BAD)
		return plausible && framer->layout_certain && !fpdu_holds_others(framer, fpdu->bytes.bytes, fpdu->bytes.length) ? ACCEPT : SEARCH;
	return plausible || (framer->trusted && framer->layout_certain) ? ACCEPT : SEARCH;
}

static void fill_origin(const struct fpdu_framer *framer, struct rtap_fpdu *fpdu, bool held)
{
	const struct fpdu_origin *first = &framer->now, *last = &framer->now;

	if (held) {
		first = fpdu_origin_of(framer, framer->start);
		last = fpdu_origin_of(framer, framer->start + fpdu->bytes.length - 1);
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

/* Numbers of 26 bits or more, or a CRC, that agree in so many FPDUs. */
#define MIN_PROOFS 3

void fpdu_doubt(struct fpdu_framer *framer, uint64_t start)
{
	framer->steady = start;
	framer->proofs = 0;
	framer->has_previous = false;
	memset(framer->has_msn, 0, sizeof framer->has_msn);
}

enum link { CONTRADICTS, FITS, PROVES };

/* How an FPDU relates to those before it. */
static enum link link_of(const struct fpdu_framer *framer, const struct rtap_iwarp_facts *facts)
{
	const struct rtap_iwarp_facts *previous = &framer->previous;

	if (framer->has_previous && !iwarp_follows(previous, facts))
		return CONTRADICTS;
	if (framer->has_previous && (!previous->last || (previous->tagged && facts->tagged && previous->stag == facts->stag)))
		return PROVES;
	if (facts->tagged || facts->qn >= FPDU_QUEUES || !framer->has_msn[facts->qn])
		return FITS;
	return facts->msn - framer->msn[facts->qn] - !facts->mo < IWARP_MSN_STEP ? PROVES : CONTRADICTS;
}

/*
 * After a resynchronisation: whether the start of FPDUs is certain from the next one on. FPDUs that are data of another one (a file with captured
 * iWARP) are as consistent as real ones, with their CRCs, but none of theirs ends where the headers of the next real one lead away from them. So
 * lengths must meet for longer than the longest FPDU, and the proofs count only behind that.
 */
static void gain_certainty(struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	struct rtap_iwarp_facts facts;
	uint32_t length;
	const uint8_t *head = fpdu_head(fpdu, &length);
	bool is_whole = !fpdu->gap_count && iwarp_read(head, length, fpdu->ulpdu_length, &facts) == OK;
	enum link link = fpdu->crc_status == RTAP_CRC_BAD ? CONTRADICTS : is_whole ? link_of(framer, &facts) : FITS;

	if (link == CONTRADICTS)
		fpdu_doubt(framer, framer->start);
	else if ((link == PROVES || fpdu->crc_status == RTAP_CRC_GOOD) && framer->start - framer->steady > MPA_MAX_FPDU)
		framer->proofs++;
	framer->has_previous = is_whole;
	if (framer->proofs == MIN_PROOFS)
		framer->framing = RTAP_FPDU_IN_STEP;
	if (!is_whole)
		return;
	framer->previous = facts;
	if (!facts.tagged && facts.qn < FPDU_QUEUES) {
		framer->msn[facts.qn] = facts.msn;
		framer->has_msn[facts.qn] = true;
	}
}

/* Advances past an FPDU that was accepted. */
static void step(struct fpdu_framer *framer, const struct rtap_fpdu *fpdu)
{
	uint64_t start = framer->start;

	if (framer->framing != RTAP_FPDU_IN_STEP)
		gain_certainty(framer, fpdu);
	framer->next_marker = fpdu_marker_after(framer->layout, framer->next_marker, start, fpdu->ulpdu_length);
	if (framer->layout == FPDU_MARKED && !framer->markers_proven && framer->trusted)
		framer->skewed_marker = fpdu_marker_after(FPDU_SKEWED, framer->skewed_marker, start, fpdu->ulpdu_length);
	framer->start += fpdu->bytes.length;
	framer->gap_count = 0;
	if (fpdu->crc_status == RTAP_CRC_BAD)
		framer->trusted = false;
	/* The bytes would include a marker, and their CRCs are good without one. */
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
	if (verdict != ACCEPT)
		return verdict;
	step(framer, &fpdu);
	framer->sink->fpdu(framer->sink, &fpdu);
	return ACCEPT;
}

uint32_t fpdu_deliver(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length, bool held)
{
	uint32_t at = 0, total;
	enum verdict verdict = ACCEPT;

	while (verdict != SEARCH) {
		uint64_t start = framer->start;
		uint32_t marker = fpdu_relative_marker(framer->layout, framer->next_marker, start);
		struct rtap_iwarp_facts facts;

		if (!fpdu_measure(bytes + at, length - at, marker, &total))
			break;
		if (total > length - at) {
			/* An invalid length would be waited for in vain. */
			if (!framer->trusted && fpdu_read_headers(bytes + at, length - at, marker, &facts, &total) == MALFORMED)
				verdict = SEARCH;
			break;
		}
		verdict = take_one(framer, bytes + at, total, held);
		if (verdict == ACCEPT)
			at += total;
		else if (verdict == AGAIN)
			at += (uint32_t)(framer->start - start);
	}
	if (verdict == SEARCH)
		fpdu_search_begin(framer, framer->start);
	return at;
}
