/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading consecutive FPDUs from a known start. For fpdu_search.c, which finds such starts, and fpdu.c, which buffers the
 * bytes.
 */
#ifndef REASSEMBLY_IWARP_FPDU_SEQUENCE_H
#define REASSEMBLY_IWARP_FPDU_SEQUENCE_H

#include "dissect/iwarp/fpdu.h"
#include "reassembly/iwarp/fpdu.h"

/* If consecutive FPDUs without markers span this many bytes, there are no markers. */
#define FPDU_MARKER_SPAN (MPA_MARKER_INTERVAL + MPA_MARKER_LENGTH)

#define FPDU_MIN_ZERO 4 /* consecutive FPDUs that prove iWARP without CRCs */

/* Stream offset of the first held byte. */
static inline uint64_t fpdu_base(const struct fpdu_framer *framer)
{
	return framer->offset - framer->held_length;
}

/* Distance from an FPDU's start to its first marker, if the layout has markers. */
static inline uint32_t fpdu_relative_marker(enum fpdu_layout layout, uint64_t marker, uint64_t start)
{
	return layout == FPDU_PLAIN || marker - start > UINT16_MAX ? RTAP_NO_MARKER : (uint32_t)(marker - start);
}

/* Gets the length of the FPDU at `bytes`. False: its ULPDU_Length is not present. */
static inline bool fpdu_measure(const uint8_t *bytes, uint32_t length, uint32_t first_marker, uint32_t *total)
{
	uint32_t at = fpdu_offset(0, first_marker);

	if (length < at + MPA_LENGTH_LENGTH)
		return false;
	*total = fpdu_total_length(load16(bytes + at), first_marker);
	return true;
}

/* Whether versions are 1, reserved bits 0 and the opcode valid. Most other bytes fail this test. */
static inline bool fpdu_may_be_headers(const uint8_t *fpdu)
{
	return (fpdu[2] & 0x3f) == 0x01 && (fpdu[3] & 0xf0) == 0x40 && (fpdu[3] & 0xf) <= RTAP_RDMAP_ATOMIC_RESPONSE;
}

/* Whether the marker position is known. After a hole only the standard layout continues its interval. */
static inline bool fpdu_phase_known(const struct fpdu_framer *framer)
{
	return framer->layout == FPDU_MARKED && framer->phase_known;
}

/* The first marker at or after an offset. */
static inline uint64_t fpdu_marker_from(const struct fpdu_framer *framer, uint64_t offset)
{
	uint64_t marker = framer->next_marker;

	if (offset <= marker)
		return marker;
	return marker + (offset - marker + MPA_MARKER_INTERVAL - 1) / MPA_MARKER_INTERVAL * MPA_MARKER_INTERVAL;
}

/* Describes the whole FPDU at `bytes`, except CRC status, framing and origin. */
void fpdu_describe(struct rtap_fpdu *fpdu, enum fpdu_layout layout, const uint8_t *bytes, uint32_t total, uint32_t first_marker);

/* The first marker after an FPDU that begins at `start`. */
uint64_t fpdu_marker_after(enum fpdu_layout layout, uint64_t marker, uint64_t start, uint32_t ulpdu_length);

/*
 * Reads the headers of the FPDU at `bytes`, of which `length` are present, as far as needed to judge them. OK: *facts is
 * filled and plausible. TRUNCATED: more bytes are needed. MALFORMED: not valid headers.
 */
enum result fpdu_read_headers(const uint8_t *bytes, uint32_t length, uint32_t first_marker, struct rtap_iwarp_facts *facts, uint32_t *total);

/*
 * Delivers the whole FPDUs at `bytes`, which begin at framer->start. Returns the number of bytes consumed. Starts a search
 * if the bytes are not FPDUs.
 */
uint32_t fpdu_deliver(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length, bool held);

/* Drops held bytes before a stream offset. */
void fpdu_trim(struct fpdu_framer *framer, uint64_t offset);

/* Drops all held bytes and their state. */
void fpdu_discard_held(struct fpdu_framer *framer);

/* The start of FPDUs from an offset on is to be proven. */
void fpdu_doubt(struct fpdu_framer *framer, uint64_t start);

/* Starts a search at a stream offset. Bytes before it are not held, or are about to be trimmed. */
void fpdu_search_begin(struct fpdu_framer *framer, uint64_t from);

/*
 * Whether the bytes of the FPDU at framer->start, whose length is doubtful, contain other FPDUs: one with a good CRC, or a
 * sequence if CRCs are not in use.
 */
bool fpdu_holds_others(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length);

/* The piece that the byte at a stream offset came in. */
const struct fpdu_origin *fpdu_origin_of(const struct fpdu_framer *framer, uint64_t offset);

/*
 * Reads the FPDU at byte `at` of a piece that begins at `offset`, ahead of the framer's position. False: not an FPDU, or it
 * continues after the piece.
 */
bool fpdu_read_ahead(const struct fpdu_framer *framer, uint64_t offset, const struct fpdu_piece *piece, uint32_t at,
		     struct rtap_fpdu *fpdu, struct rtap_iwarp_facts *facts);

#endif
