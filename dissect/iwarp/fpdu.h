/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MPA FPDUs: layout, and access to their content, with or without markers and gaps. RFC 5044, section 4.
 */
#ifndef DISSECT_IWARP_FPDU_H
#define DISSECT_IWARP_FPDU_H

#include <rdmatap/message.h>

#include "dissect/engine/cursor.h"
#include "dissect/engine/packet.h"

#define MPA_LENGTH_LENGTH 2       /* ULPDU_Length. RFC 5044, 4.1 */
#define MPA_CRC_LENGTH 4
#define MPA_MARKER_LENGTH 4       /* RFC 5044, 4.2 */
#define MPA_MARKER_INTERVAL 512   /* from one marker's first byte to the next one's. RFC 5044, 4.3 */
#define MPA_MAX_FPDU 66100        /* no FPDU with its markers has more bytes */
#define MPA_SMALLEST_FPDU 20      /* a tagged header without payload */

/*
 * "Content" is an FPDU without its markers: ULPDU_Length, ULPDU, pad, CRC. The functions below are arithmetic only and do not
 * access the bytes.
 */

static inline uint32_t fpdu_pad_length(uint32_t ulpdu_length)
{
	return (2 - ulpdu_length) & 3;
}

/* Length of an FPDU's content. */
static inline uint32_t fpdu_content_length(uint32_t ulpdu_length)
{
	return MPA_LENGTH_LENGTH + ulpdu_length + fpdu_pad_length(ulpdu_length) + MPA_CRC_LENGTH;
}

/* Number of markers before byte `content` of the content, if the first one is at offset `first_marker`. */
static inline uint32_t fpdu_markers_before(uint32_t content, uint32_t first_marker)
{
	return content < first_marker ? 0 : (content - first_marker) / (MPA_MARKER_INTERVAL - MPA_MARKER_LENGTH) + 1;
}

/* Offset of byte `content` of the content in the FPDU's bytes. */
static inline uint32_t fpdu_offset(uint32_t content, uint32_t first_marker)
{
	return content + MPA_MARKER_LENGTH * fpdu_markers_before(content, first_marker);
}

/* Length of a whole FPDU in the stream. */
static inline uint32_t fpdu_total_length(uint32_t ulpdu_length, uint32_t first_marker)
{
	return fpdu_offset(fpdu_content_length(ulpdu_length) - 1, first_marker) + 1;
}

/* No marker and no gap, as in nearly all FPDUs. */
static inline bool fpdu_is_plain(const struct rtap_fpdu *fpdu)
{
	return !fpdu->gap_count && fpdu->first_marker >= fpdu->bytes.length;
}

/* fpdu_next_extent(), fpdu_head() and fpdu_fill_head() for FPDUs that are not plain. */
bool fpdu_next_parted_extent(const struct rtap_fpdu *fpdu, uint32_t *at, struct rtap_span *extent);
const uint8_t *fpdu_parted_head(const struct rtap_fpdu *fpdu, uint32_t *length);
void fpdu_fill_parted_head(struct rtap_fpdu *fpdu);

/*
 * Iterates over the ULPDU's bytes without markers: sets *extent to the contiguous bytes from byte *at of the ULPDU and moves *at
 * past them. Bytes that were not captured have bytes == NULL. False: end of the ULPDU. Start with *at = 0 or with
 * facts.payload_offset.
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
 * Returns the ULPDU's bytes from byte `at` up to its end or to where the capture truncated it. False: they are not contiguous,
 * because of markers or other gaps, or there are none.
 */
bool fpdu_front(const struct rtap_fpdu *fpdu, uint32_t at, struct rtap_span *bytes);

/*
 * Returns the ULPDU's first bytes without markers: *length is RTAP_FPDU_HEAD, or less if it is shorter or was truncated. Borrowed
 * from the FPDU. Requires fpdu_fill_head() if `first_marker` is within them.
 */
static inline const uint8_t *fpdu_head(const struct rtap_fpdu *fpdu, uint32_t *length)
{
	if (!fpdu_is_plain(fpdu))
		return fpdu_parted_head(fpdu, length);
	*length = fpdu->ulpdu_length < RTAP_FPDU_HEAD ? fpdu->ulpdu_length : RTAP_FPDU_HEAD;
	return fpdu->bytes.bytes + MPA_LENGTH_LENGTH;
}

/* Fills fpdu->head if markers make that necessary; bytes, ulpdu_length, first_marker and gaps must be set. */
static inline void fpdu_fill_head(struct rtap_fpdu *fpdu)
{
	if (!fpdu_is_plain(fpdu))
		fpdu_fill_parted_head(fpdu);
}

/* The CRC field as a number. The FPDU must be complete. */
uint32_t fpdu_crc_field(const struct rtap_fpdu *fpdu);

/* Verifies the CRC. UNVERIFIABLE if bytes are missing. */
enum rtap_crc_status fpdu_check_crc(const struct rtap_fpdu *fpdu);

/* Returns whether each marker in the FPDU points back to its ULPDU_Length, in the FPDU's marker layout. RFC 5044, 4.3. */
bool fpdu_markers_agree(const struct rtap_fpdu *fpdu);

/* Sets *fpdu to the FPDU without markers at `bytes`, of which `length` are available. False: it is incomplete. */
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
