/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FPDUs of MPA: their geometry, and what is in them with markers and gaps or without. RFC 5044, section 4.
 */
#ifndef DISSECT_IWARP_FPDU_H
#define DISSECT_IWARP_FPDU_H

#include <rdmatap/iwarp.h>
#include <rdmatap/message.h>
#include <rdmatap/packet.h>

#include "dissect/engine/cursor.h"

#define MPA_LENGTH_LENGTH 2       /* ULPDU_Length. RFC 5044, 4.1 */
#define MPA_CRC_LENGTH 4
#define MPA_MARKER_LENGTH 4       /* RFC 5044, 4.2 */
#define MPA_MARKER_INTERVAL 512   /* from one marker's first byte to the next one's. RFC 5044, 4.3 */
#define MPA_MAX_FPDU 66100        /* no FPDU with its markers has more bytes */
#define MPA_SMALLEST_FPDU 20      /* a tagged header without payload */

/* "Content" is what MPA sends without the markers: ULPDU_Length, ULPDU, pad, CRC. Everything below is arithmetic; the
 * bytes need not be there. */

static inline uint32_t fpdu_pad_length(uint32_t ulpdu_length)
{
	return (2 - ulpdu_length) & 3;
}

/* Length of an FPDU's content. */
static inline uint32_t fpdu_content_length(uint32_t ulpdu_length)
{
	return MPA_LENGTH_LENGTH + ulpdu_length + fpdu_pad_length(ulpdu_length) + MPA_CRC_LENGTH;
}

/* How many markers stand in front of the content's byte `content`, the first one being at offset `first_marker`. */
static inline uint32_t fpdu_markers_before(uint32_t content, uint32_t first_marker)
{
	return content < first_marker ? 0 : (content - first_marker) / (MPA_MARKER_INTERVAL - MPA_MARKER_LENGTH) + 1;
}

/* Offset in the FPDU's bytes of the content's byte `content`. */
static inline uint32_t fpdu_offset(uint32_t content, uint32_t first_marker)
{
	return content + MPA_MARKER_LENGTH * fpdu_markers_before(content, first_marker);
}

/* Stream bytes of a whole FPDU. */
static inline uint32_t fpdu_total_length(uint32_t ulpdu_length, uint32_t first_marker)
{
	return fpdu_offset(fpdu_content_length(ulpdu_length) - 1, first_marker) + 1;
}

/* Nearly all FPDUs: no marker and no gap. */
static inline bool fpdu_is_plain(const struct rtap_fpdu *fpdu)
{
	return !fpdu->gap_count && fpdu->first_marker >= fpdu->bytes.length;
}

/* fpdu_next_extent(), fpdu_head() and fpdu_fill_head() of FPDUs that are not plain. */
bool fpdu_next_parted_extent(const struct rtap_fpdu *fpdu, uint32_t *at, struct rtap_span *extent);
const uint8_t *fpdu_parted_head(const struct rtap_fpdu *fpdu, uint32_t *length);
void fpdu_fill_parted_head(struct rtap_fpdu *fpdu);

/*
 * The ULPDU's bytes without markers, one run after another: *extent gets the run that begins at byte *at of the ULPDU,
 * and *at moves behind it. A run that was not captured has bytes == NULL. False: the ULPDU has ended. Begin with *at = 0,
 * or with facts.payload_offset.
 */
static inline bool fpdu_next_extent(const struct rtap_fpdu *fpdu, uint32_t *at, struct rtap_span *extent)
{
	if (!fpdu_is_plain(fpdu))
		return fpdu_next_parted_extent(fpdu, at, extent);
	if (*at >= fpdu->ulpdu_length)
		return false;
	*extent = (struct rtap_span){ fpdu->bytes.bytes + MPA_LENGTH_LENGTH + *at, fpdu->ulpdu_length - *at };
	*at = fpdu->ulpdu_length;
	return true;
}

/*
 * The ULPDU's bytes from byte `at` on, which it has, in one run: up to its end, or to where the capture cut it off. False: markers
 * or other gaps part them, or there are none.
 */
bool fpdu_front(const struct rtap_fpdu *fpdu, uint32_t at, struct rtap_span *bytes);

/*
 * The ULPDU's first bytes, as many of RTAP_FPDU_HEAD as it has and were captured (*length), one after another. Borrowed
 * from the FPDU. fpdu_fill_head() has been called if `first_marker` lies within them.
 */
static inline const uint8_t *fpdu_head(const struct rtap_fpdu *fpdu, uint32_t *length)
{
	if (!fpdu_is_plain(fpdu))
		return fpdu_parted_head(fpdu, length);
	*length = fpdu->ulpdu_length < RTAP_FPDU_HEAD ? fpdu->ulpdu_length : RTAP_FPDU_HEAD;
	return fpdu->bytes.bytes + MPA_LENGTH_LENGTH;
}

/* Fills fpdu->head, where markers make that necessary; bytes, ulpdu_length, first_marker and gaps are set. */
static inline void fpdu_fill_head(struct rtap_fpdu *fpdu)
{
	if (!fpdu_is_plain(fpdu))
		fpdu_fill_parted_head(fpdu);
}

/* The CRC field as a number. The FPDU is whole. */
uint32_t fpdu_crc_field(const struct rtap_fpdu *fpdu);

/* Compares the CRC with the bytes. UNVERIFIABLE if some are missing. */
enum rtap_crc_status fpdu_check_crc(const struct rtap_fpdu *fpdu);

/* Whether every marker in the FPDU points back to its ULPDU_Length, by the layout that the FPDU tells. RFC 5044, 4.3. */
bool fpdu_markers_agree(const struct rtap_fpdu *fpdu);

/* The FPDU at `bytes`, of which `length` follow, without markers. False: it is not whole. */
static inline bool fpdu_take_plain(const uint8_t *bytes, uint32_t length, struct rtap_fpdu *fpdu)
{
	uint32_t total;

	if (length < MPA_SMALLEST_FPDU)
		return false;
	total = fpdu_content_length(load16(bytes));
	if (total > length)
		return false;
	fpdu->bytes = (struct rtap_span){ bytes, total };
	fpdu->ulpdu_length = load16(bytes);
	fpdu->first_marker = RTAP_NO_MARKER;
	fpdu->gap_count = 0;
	return true;
}

#endif
