/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting FPDUs off from where one begins. For fpdu_search.c, which finds such places, and fpdu.c, which takes the bytes.
 */
#ifndef REASSEMBLY_IWARP_FPDU_COUNT_H
#define REASSEMBLY_IWARP_FPDU_COUNT_H

#include "dissect/iwarp/fpdu.h"
#include "reassembly/iwarp/fpdu.h"

/* Bytes of a row of FPDUs without markers that prove that there are none. */
#define FPDU_MARKER_SPAN (MPA_MARKER_INTERVAL + MPA_MARKER_LENGTH)

#define FPDU_MIN_ZERO 4 /* FPDUs in a row that prove a stream to be iWARP without CRCs */

/* Stream offset of the first held byte. */
static inline uint64_t fpdu_base(const struct fpdu_framer *framer)
{
	return framer->offset - framer->held_length;
}

/* Where an FPDU's first marker is, counted from the FPDU's start, if the layout has markers. */
static inline uint32_t fpdu_relative_marker(enum fpdu_layout layout, uint64_t marker, uint64_t start)
{
	return layout == FPDU_PLAIN || marker - start > UINT16_MAX ? RTAP_NO_MARKER : (uint32_t)(marker - start);
}

/* The length of the FPDU that begins at `bytes`. False: its ULPDU_Length is not there. */
static inline bool fpdu_measure(const uint8_t *bytes, uint32_t length, uint32_t first_marker, uint32_t *total)
{
	uint32_t at = fpdu_offset(0, first_marker);

	if (length < at + MPA_LENGTH_LENGTH)
		return false;
	*total = fpdu_total_length(load16(bytes + at), first_marker);
	return true;
}

/* Versions 1, reserved bits 0, an opcode that exists: most bytes are none of these. */
static inline bool fpdu_may_be_headers(const uint8_t *fpdu)
{
	return (fpdu[2] & 0x3f) == 0x01 && (fpdu[3] & 0xf0) == 0x40 && (fpdu[3] & 0xf) <= RTAP_RDMAP_ATOMIC_RESPONSE;
}

/* Whether it is known where markers stand. Behind a hole only the standard's layout goes on at its interval. */
static inline bool fpdu_phase_known(const struct fpdu_framer *framer)
{
	return framer->layout == FPDU_MARKED && framer->phase_known;
}

/* The marker at or behind an offset. */
static inline uint64_t fpdu_marker_from(const struct fpdu_framer *framer, uint64_t offset)
{
	uint64_t marker = framer->next_marker;

	if (offset <= marker)
		return marker;
	return marker + (offset - marker + MPA_MARKER_INTERVAL - 1) / MPA_MARKER_INTERVAL * MPA_MARKER_INTERVAL;
}

/* Describes the whole FPDU at `bytes`; CRC status, framing and origin are left to the caller. */
void fpdu_describe(struct rtap_fpdu *fpdu, enum fpdu_layout layout, const uint8_t *bytes, uint32_t total, uint32_t first_marker);

/* Where the marker behind an FPDU stands that begins at `start`. */
uint64_t fpdu_marker_behind(enum fpdu_layout layout, uint64_t marker, uint64_t start, uint32_t ulpdu_length);

/*
 * Reads the headers of the FPDU at `bytes`, of which `length` are there, as far as needed to judge them. OK: *facts hold them
 * and they are plausible. TRUNCATED: more bytes are needed. MALFORMED: no sender sends this.
 */
enum result fpdu_look(const uint8_t *bytes, uint32_t length, uint32_t first_marker, struct rtap_iwarp_facts *facts, uint32_t *total);

/*
 * Tells the whole FPDUs at `bytes`, which begin at framer->start, and returns how many bytes these were. Ends in a search if they lead
 * nowhere.
 */
uint32_t fpdu_count_off(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length, bool held);

/* Forgets held bytes in front of a stream offset. */
void fpdu_trim(struct fpdu_framer *framer, uint64_t offset);

/* Forgets all held bytes and what is known of them. */
void fpdu_forget_held(struct fpdu_framer *framer);

/* From now on FPDUs are searched, from a stream offset on; bytes in front of it are not held any more, or about to be trimmed. */
void fpdu_search_begin(struct fpdu_framer *framer, uint64_t from);

/*
 * Whether within the bytes of the FPDU at framer->start, whose length is in doubt, others stand: one with a good CRC, or a row of them
 * where CRCs are not in use.
 */
bool fpdu_holds_others(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length);

/* The piece that brought the byte at a stream offset. */
const struct fpdu_mark *fpdu_origin(const struct fpdu_framer *framer, uint64_t offset);

/* The FPDU at byte `at` of a piece that begins at `offset`, ahead of what is taken. False: it is none, or goes on after the piece. */
bool fpdu_read_ahead(const struct fpdu_framer *framer, uint64_t offset, const struct fpdu_piece *piece, uint32_t at,
		     struct rtap_fpdu *fpdu, struct rtap_iwarp_facts *facts);

#endif
