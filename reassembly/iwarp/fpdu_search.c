/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Searching a stream for the start of an FPDU. RFC 5044, 4.3.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/iwarp/fpdu.h"
#include "reassembly/iwarp/fpdu_search.h"

#define MIN_GOOD 2      /* FPDUs with good CRCs that prove iWARP; one is enough to resynchronise */
#define MIN_ZERO_NEAR 2 /* the same without CRCs, directly after a hole of an iWARP stream */
/* Bytes of an FPDU needed to examine its headers, including a marker. */
#define HEADERS_LENGTH (MPA_LENGTH_LENGTH + DDP_UNTAGGED_LENGTH + MPA_MARKER_LENGTH)

static const uint8_t *at(const struct fpdu_framer *framer, uint64_t offset)
{
	return framer->held + (offset - fpdu_base(framer));
}

static void remove_candidate(struct fpdu_framer *framer, uint32_t index)
{
	framer->candidate_count--;
	memmove(&framer->candidates[index], &framer->candidates[index + 1],
		(framer->candidate_count - index) * sizeof framer->candidates[0]);
}

/* Whether other candidates lead to this FPDU or begin with it: it needs no candidate of its own. */
static bool is_covered(const struct fpdu_framer *framer, uint64_t start, enum fpdu_layout layout, uint64_t marker)
{
	for (uint32_t i = 0; i < framer->candidate_count; i++) {
		const struct fpdu_candidate *other = &framer->candidates[i];

		if (other->layout == layout && (layout == FPDU_PLAIN || (other->first_marker - marker) % MPA_MARKER_INTERVAL == 0) &&
		    (other->start == start || other->next == start || (other->sized && other->end == start)))
			return true;
	}
	return false;
}

/*
 * Candidates are in the order of their starts: the earliest is accepted first. `inside`: what the first FPDU must contain, a marker that led to
 * it; or `start`.
 */
static void add_candidate(struct fpdu_framer *framer, uint64_t start, enum fpdu_layout layout, uint64_t marker, uint64_t inside)
{
	uint32_t total, first = fpdu_relative_marker(layout, marker, start), place = framer->candidate_count;
	struct fpdu_candidate candidate = {
		.layout = layout, .start = start, .first_marker = marker, .next = start, .next_marker = marker, .sized = true,
	};

	/* FPDUs consist of whole words, and so do distances to a marker. */
	if (first != RTAP_NO_MARKER && first % 4)
		return;
	if (fpdu_read_headers(at(framer, start), (uint32_t)(framer->offset - start), first, &candidate.facts, &total) != OK ||
	    start + total <= inside || is_covered(framer, start, layout, marker))
		return;
	if (!framer->candidates)
		framer->candidates = memory_new(FPDU_CANDIDATES * sizeof *framer->candidates);
	if (!framer->candidates) {
		framer->out_of_memory = true;
		return;
	}
	candidate.end = start + total;
	while (place && framer->candidates[place - 1].start > start)
		place--;
	memmove(&framer->candidates[place + 1], &framer->candidates[place],
		(framer->candidate_count - place) * sizeof framer->candidates[0]);
	framer->candidates[place] = candidate;
	framer->candidate_count++;
}

/* Examines every position for the start of an FPDU, up to the limit of candidates. */
static void scan_headers(struct fpdu_framer *framer)
{
	bool marked = fpdu_phase_known(framer);

	if (framer->rules.markers == FPDU_ON && !marked) {
		framer->scanned = framer->offset;
		return;
	}
	while (framer->scanned + MPA_SMALLEST_FPDU <= framer->offset && framer->candidate_count < FPDU_CANDIDATES) {
		uint64_t start = framer->scanned, marker = marked ? fpdu_marker_from(framer, start) : 0;

		if (marked && marker - start < HEADERS_LENGTH) {
			if (start + HEADERS_LENGTH > framer->offset)
				return;
			add_candidate(framer, start, FPDU_MARKED, marker, start);
		} else if (fpdu_may_be_headers(at(framer, start))) {
			add_candidate(framer, start, marked ? FPDU_MARKED : FPDU_PLAIN, marker, start);
		}
		framer->scanned++;
	}
}

/*
 * The FPDU that a marker at `offset` points `back` to, if valid. If it is nearer than HEADERS_LENGTH bytes, as many are present from
 * `offset` on.
 */
static void follow_pointer(struct fpdu_framer *framer, uint64_t offset, uint32_t back, enum fpdu_layout layout)
{
	uint64_t start = offset - back, first;

	if (back > offset - fpdu_base(framer) || framer->candidate_count == FPDU_CANDIDATES)
		return;
	first = start + back % MPA_MARKER_INTERVAL;
	/* A marker before ULPDU_Length belongs to the FPDU. */
	if (back % MPA_MARKER_INTERVAL == MPA_MARKER_INTERVAL - MPA_MARKER_LENGTH && start - fpdu_base(framer) >= MPA_MARKER_LENGTH)
		first = start -= MPA_MARKER_LENGTH;
	/* Long runs of zeros look like such markers: most point to no headers. */
	if (first - start >= MPA_MARKER_LENGTH || first == start)
		if (!fpdu_may_be_headers(at(framer, first == start ? start + MPA_MARKER_LENGTH : start)))
			return;
	add_candidate(framer, start, layout, first, offset);
}

/*
 * Tries both layouts unless one is proven: the same bytes are rarely two valid pointers. False: more bytes are needed;
 * nothing was done, so that no work is repeated.
 */
static bool follow_marker(struct fpdu_framer *framer, uint64_t offset)
{
	const uint8_t *marker = at(framer, offset);
	uint32_t back = load16(marker + 2) & ~3u, skewed = (uint32_t)(marker[3] << 8 | marker[2]) & ~3u;

	if ((back < HEADERS_LENGTH || skewed < HEADERS_LENGTH) && offset + HEADERS_LENGTH > framer->offset)
		return false;
	if (framer->layout != FPDU_SKEWED)
		follow_pointer(framer, offset, back, FPDU_MARKED);
	if (skewed || framer->layout == FPDU_SKEWED)
		follow_pointer(framer, offset, skewed, FPDU_SKEWED);
	return true;
}

static void scan_markers(struct fpdu_framer *framer)
{
	if (framer->rules.markers == FPDU_OFF || fpdu_phase_known(framer)) {
		framer->markers_scanned = framer->offset;
		return;
	}
	while (framer->markers_scanned + MPA_MARKER_LENGTH <= framer->offset && framer->candidate_count < FPDU_CANDIDATES) {
		const uint8_t *marker = at(framer, framer->markers_scanned);

		if (!marker[0] && !marker[1] && !follow_marker(framer, framer->markers_scanned))
			return;
		framer->markers_scanned++;
	}
}

/* Judges the candidate's FPDU, which is completely held. */
static bool check_fpdu(struct fpdu_framer *framer, struct fpdu_candidate *candidate)
{
	uint32_t total = (uint32_t)(candidate->end - candidate->next), seen = candidate->good + candidate->zero;
	struct rtap_fpdu fpdu;

	fpdu_describe(&fpdu, candidate->layout, at(framer, candidate->next), total,
		      fpdu_relative_marker(candidate->layout, candidate->next_marker, candidate->next));
	if (candidate->layout != FPDU_PLAIN && !fpdu_markers_agree(&fpdu))
		return false;
	if (framer->rules.crc != FPDU_OFF && framer->allowance >= total) {
		framer->allowance -= total;
		candidate->good += fpdu_check_crc(&fpdu) == RTAP_CRC_GOOD;
	}
	candidate->zero += framer->rules.crc == FPDU_OFF || (framer->rules.crc == FPDU_UNKNOWN && !fpdu_crc_field(&fpdu));
	if ((candidate->good && candidate->zero) || candidate->good + candidate->zero == seen)
		return false;
	candidate->next_marker = fpdu_marker_after(candidate->layout, candidate->next_marker, candidate->next, fpdu.ulpdu_length);
	candidate->next = candidate->end;
	candidate->sized = false;
	return true;
}

/*
 * Whether the sequence is long enough for one marker, or two: a CRC of 0 looks like a marker between two FPDUs. The skewed
 * layout does not count CRCs in its interval.
 */
static bool shows_layout(const struct fpdu_framer *framer, const struct fpdu_candidate *candidate)
{
	uint64_t crcs = MPA_CRC_LENGTH * ((uint64_t)candidate->good + candidate->zero);

	return framer->rules.markers != FPDU_UNKNOWN || candidate->next - candidate->start >= FPDU_MARKER_SPAN + crcs;
}

/* Whether a word that was not examined yet, as bytes after it are needed for that, may be another marker of the candidate's FPDU. */
static bool has_word_ahead(const struct fpdu_framer *framer, const struct fpdu_candidate *candidate)
{
	uint64_t origin = candidate->start + (candidate->first_marker == candidate->start ? MPA_MARKER_LENGTH : 0);
	uint64_t offset = framer->offset - framer->markers_scanned < HEADERS_LENGTH ? framer->markers_scanned : framer->offset - HEADERS_LENGTH;

	for (; offset + MPA_MARKER_LENGTH <= candidate->next; offset++) {
		const uint8_t *word = at(framer, offset);
		uint64_t back = offset - origin;

		if (!word[0] && !word[1] && (offset - candidate->first_marker) % MPA_MARKER_INTERVAL &&
		    ((load16(word + 2) & ~3u) == back || ((uint32_t)(word[3] << 8 | word[2]) & ~3u) == back))
			return true;
	}
	return false;
}

/* Whether two sequences have their markers in different places, or only one of them has any. */
static bool differs(const struct fpdu_candidate *one, const struct fpdu_candidate *other)
{
	return one->layout != other->layout || (one->layout != FPDU_PLAIN && (one->first_marker - other->first_marker) % MPA_MARKER_INTERVAL);
}

/*
 * Whether another sequence begins with the same FPDU but has its markers elsewhere: a header word can point back by chance,
 * as MSN 12 does. A CRC covers the markers and is good for both. The next marker decides. Without markers, and without a good CRC, the
 * candidate is refuted by one with a good CRC.
 */
static bool has_rival(const struct fpdu_framer *framer, const struct fpdu_candidate *candidate)
{
	bool is_plain = candidate->layout == FPDU_PLAIN;

	for (uint32_t i = 0; i < framer->candidate_count; i++) {
		const struct fpdu_candidate *other = &framer->candidates[i];

		if (other->start == candidate->start && other->layout != FPDU_PLAIN && differs(candidate, other) &&
		    (!is_plain || (other->good && !candidate->good)))
			return true;
	}
	return !is_plain && has_word_ahead(framer, candidate);
}

static bool is_enough(const struct fpdu_framer *framer, const struct fpdu_candidate *candidate)
{
	uint32_t zero = framer->rules.is_iwarp && candidate->start == framer->hole_end ? MIN_ZERO_NEAR : FPDU_MIN_ZERO;

	if (has_rival(framer, candidate))
		return false;
	if (candidate->good >= (framer->rules.is_iwarp ? 1 : MIN_GOOD))
		return true;
	return candidate->zero >= zero && shows_layout(framer, candidate);
}

/* Whether the candidate's sequence can begin at `start`: no marker precedes its first one. */
static bool may_begin_at(const struct fpdu_candidate *candidate, uint64_t start)
{
	return candidate->first_marker - start < MPA_MARKER_INTERVAL && (candidate->first_marker - start) % 4 == 0;
}

/* A sequence without markers ended where one with markers begins: joins them, as its first FPDUs contain no markers. */
static void join(struct fpdu_framer *framer, const struct fpdu_candidate *ended)
{
	for (uint32_t i = 0; i < framer->candidate_count; i++) {
		struct fpdu_candidate *other = &framer->candidates[i];

		if (other->layout != FPDU_MARKED || other->start != ended->next || !may_begin_at(other, ended->start))
			continue;
		other->start = ended->start;
		other->good += ended->good;
		other->zero += ended->zero;
	}
}

/*
 * The start of an FPDU before the accepted one that leads to it and was not examined yet; else the start of the accepted
 * one.
 */
static uint64_t one_before(struct fpdu_framer *framer, const struct fpdu_candidate *found)
{
	uint64_t base = fpdu_base(framer), from = found->start - base > MPA_MAX_FPDU ? found->start - MPA_MAX_FPDU : base;

	if (framer->allowance < found->start - from)
		return found->start;
	framer->allowance -= found->start - from;
	for (uint64_t start = from; start + MPA_SMALLEST_FPDU <= found->start; start++) {
		uint32_t length = (uint32_t)(found->start - start), total;
		struct rtap_iwarp_facts facts;
		struct rtap_fpdu fpdu;

		if (!may_begin_at(found, start) || !fpdu_may_be_headers(at(framer, start)) ||
		    fpdu_read_headers(at(framer, start), length, RTAP_NO_MARKER, &facts, &total) != OK || total != length)
			continue;
		fpdu_describe(&fpdu, FPDU_PLAIN, at(framer, start), total, RTAP_NO_MARKER);
		if (found->good ? fpdu_check_crc(&fpdu) == RTAP_CRC_GOOD : !fpdu_crc_field(&fpdu))
			return start;
	}
	return found->start;
}

enum outcome { WAITS, DEAD, FOUND };

/* Follows a candidate as far as bytes are present. Each FPDU must have the next numbers, and a CRC like the others. */
static enum outcome follow(struct fpdu_framer *framer, struct fpdu_candidate *candidate)
{
	for (;;) {
		uint32_t total;
		struct rtap_iwarp_facts facts;
		enum result result;

		if (!candidate->sized) {
			result = fpdu_read_headers(at(framer, candidate->next), (uint32_t)(framer->offset - candidate->next),
					   fpdu_relative_marker(candidate->layout, candidate->next_marker, candidate->next), &facts, &total);
			if (result == TRUNCATED)
				return WAITS;
			if (result != OK || !iwarp_follows(&candidate->facts, &facts))
				return DEAD;
			candidate->facts = facts;
			candidate->end = candidate->next + total;
			candidate->sized = true;
		}
		if (candidate->end > framer->offset)
			return WAITS;
		if (!check_fpdu(framer, candidate))
			return DEAD;
		if (is_enough(framer, candidate))
			return FOUND;
	}
}

/* Reads FPDUs from the accepted candidate on. Removes all candidates. */
static void align(struct fpdu_framer *framer, const struct fpdu_candidate *found)
{
	struct fpdu_candidate candidate = *found;
	uint64_t before;
	uint32_t delivered;

	free(framer->candidates);
	framer->candidates = NULL;
	framer->candidate_count = 0;
	/* Markers lead to the FPDU that contains one: FPDUs between it and the previous marker have none. */
	while (candidate.layout != FPDU_PLAIN && (before = one_before(framer, &candidate)) < candidate.start) {
		candidate.start = before;
		/* The interval does not count the CRC that is now in between. */
		if (candidate.layout == FPDU_SKEWED)
			candidate.first_marker -= MPA_CRC_LENGTH;
	}
	if (candidate.start > framer->start && framer->sink->lost)
		framer->sink->lost(framer->sink, framer->start, candidate.start - framer->start);
	framer->start = candidate.start;
	framer->searching = false;
	framer->framing = candidate.good || framer->rules.crc == FPDU_ON ? RTAP_FPDU_RECOVERED : RTAP_FPDU_RECOVERED_NO_CRC;
	framer->layout = candidate.layout;
	framer->next_marker = framer->skewed_marker = candidate.first_marker;
	framer->layout_certain = candidate.layout != FPDU_PLAIN || shows_layout(framer, &candidate);
	framer->rules.is_iwarp = framer->phase_known = true;
	framer->found = candidate.start;
	fpdu_doubt(framer, candidate.start);
	if (framer->rules.crc == FPDU_UNKNOWN && candidate.good + candidate.zero)
		framer->rules.crc = candidate.good ? FPDU_ON : FPDU_OFF;
	fpdu_trim(framer, candidate.start);
	delivered = fpdu_deliver(framer, framer->held, framer->held_length, true);
	fpdu_trim(framer, fpdu_base(framer) + delivered);
	/* A result that the reading of FPDUs rejects must not be repeated. */
	if (framer->searching && !delivered) {
		fpdu_trim(framer, candidate.start + 1);
		fpdu_search_begin(framer, candidate.start + 1);
	}
}

static void add_again(struct fpdu_framer *framer, const struct fpdu_candidate *ended, uint64_t start)
{
	uint64_t marker = ended->layout == FPDU_PLAIN ? 0 : fpdu_marker_from(framer, start);

	/* What a marker led to, a marker leads to again. Positions not scanned yet need nothing. */
	if (start >= framer->scanned || framer->candidate_count == FPDU_CANDIDATES || (ended->layout != FPDU_PLAIN && !fpdu_phase_known(framer)))
		return;
	/* Many sequences may lead to one position: does not continue from it for each of them. */
	if (framer->allowance < HEADERS_LENGTH)
		return;
	framer->allowance -= HEADERS_LENGTH;
	add_candidate(framer, start, ended->layout, marker, start);
}

/* Removes a candidate. What it covered gets its own: the FPDU that did not follow, or what an FPDU with a bad CRC led to. */
static void give_up(struct fpdu_framer *framer, uint32_t index)
{
	struct fpdu_candidate ended = framer->candidates[index];

	if (ended.layout == FPDU_PLAIN && ended.next > ended.start)
		join(framer, &ended);
	remove_candidate(framer, index);
	if (ended.sized)
		add_again(framer, &ended, ended.end);
	else if (ended.next > ended.start)
		add_again(framer, &ended, ended.next);
}

/* Follows all candidates; the first in the stream wins. True: bytes or candidates changed. */
static bool follow_all(struct fpdu_framer *framer)
{
	bool changed = false;
	uint32_t i = 0;

	while (i < framer->candidate_count) {
		switch (follow(framer, &framer->candidates[i])) {
		case FOUND:
			align(framer, &framer->candidates[i]);
			return true;
		case DEAD:
			give_up(framer, i);
			changed = true;
			i = 0;
			break;
		case WAITS:
			i++;
			break;
		}
	}
	return changed;
}

/* No FPDU can begin before this offset any more. */
static uint64_t keep_from(const struct fpdu_framer *framer)
{
	uint64_t from = framer->scanned < framer->markers_scanned ? framer->scanned : framer->markers_scanned;

	for (uint32_t i = 0; i < framer->candidate_count; i++)
		if (framer->candidates[i].start < from)
			from = framer->candidates[i].start;
	return from;
}

void fpdu_search(struct fpdu_framer *framer)
{
	bool changed;

	do {
		/* Markers first: they point to what a candidate without markers would be rejected for. */
		scan_markers(framer);
		scan_headers(framer);
		changed = follow_all(framer);
	} while (changed && framer->searching);
	if (framer->searching)
		fpdu_trim(framer, keep_from(framer));
}

/*
 * In an iWARP stream, headers directly after a hole are accepted without further evidence if nothing else is found:
 * truncated pieces have no more. Elsewhere the evidence must be complete.
 */
static bool is_acceptable(const struct fpdu_framer *framer, const struct fpdu_candidate *candidate)
{
	uint32_t seen = candidate->good + candidate->zero;

	if (has_rival(framer, candidate) || (candidate->layout != FPDU_PLAIN && !candidate->good && !shows_layout(framer, candidate)))
		return false;
	if (framer->rules.is_iwarp)
		return candidate->start == framer->hole_end || seen >= MIN_ZERO_NEAR;
	return candidate->good >= MIN_GOOD || candidate->zero >= FPDU_MIN_ZERO;
}

void fpdu_search_settle(struct fpdu_framer *framer)
{
	fpdu_search(framer);
	for (uint32_t i = 0; framer->searching && i < framer->candidate_count; i++)
		if (is_acceptable(framer, &framer->candidates[i]))
			align(framer, &framer->candidates[i]);
}

void fpdu_search_discard(struct fpdu_framer *framer)
{
	while (framer->searching && framer->held_length == FPDU_MAX_HELD && framer->candidate_count) {
		remove_candidate(framer, 0);
		fpdu_search(framer);
	}
}
