/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The framer's two halves for each other: counting FPDUs off (fpdu.c) and finding them (fpdu_search.c).
 */
#ifndef REASSEMBLY_FPDU_INTERNAL_H
#define REASSEMBLY_FPDU_INTERNAL_H

#include "dissect/fpdu.h"
#include "reassembly/fpdu.h"

/* Bytes of a row of FPDUs without markers that prove that there are none. */
#define FPDU_MARKER_SPAN (MPA_MARKER_INTERVAL + MPA_MARKER_LENGTH)

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

/* From now on FPDUs are searched, from a stream offset on; bytes in front of it are not held any more, or about to be trimmed. */
void fpdu_search_begin(struct fpdu_framer *framer, uint64_t from);

/*
 * Whether within the bytes of the FPDU at framer->start, whose length is in doubt, others stand: one with a good CRC, or a row of them
 * where CRCs are not in use.
 */
bool fpdu_holds_others(struct fpdu_framer *framer, const uint8_t *bytes, uint32_t length);

/* Looks through what is held. On a find FPDUs are told and framer->searching is false. */
void fpdu_search(struct fpdu_framer *framer);

/* No more bytes follow what is held: takes the best there is for a find, if the evidence is enough. */
void fpdu_search_settle(struct fpdu_framer *framer);

/* Makes room in held bytes: gives up what was held longest. */
void fpdu_search_forget(struct fpdu_framer *framer);

#endif
