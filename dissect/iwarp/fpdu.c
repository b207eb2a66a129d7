/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layout of FPDUs: markers, gaps, CRC. RFC 5044, section 4.
 */
#include "config.h"

#include "dissect/engine/crc32c.h"
#include "dissect/iwarp/fpdu.h"

/* Cuts a run of `length` bytes at `offset` of the FPDU where a gap begins or ends. Returns whether it is in a gap. */
static bool cut_at_gap(const struct rtap_fpdu *fpdu, uint32_t offset, uint32_t *length)
{
	for (uint8_t i = 0; i < fpdu->gap_count; i++) {
		const struct rtap_fpdu_gap *gap = &fpdu->gaps[i];

		if (offset < gap->offset) {
			if (*length > gap->offset - offset)
				*length = gap->offset - offset;
			return false;
		}
		if (offset < gap->offset + gap->length) {
			if (*length > gap->offset + gap->length - offset)
				*length = gap->offset + gap->length - offset;
			return true;
		}
	}
	return false;
}

bool fpdu_next_parted_extent(const struct rtap_fpdu *fpdu, uint32_t *at, struct rtap_span *extent)
{
	uint32_t content = MPA_LENGTH_LENGTH + *at, offset, length, markers;
	bool missing;

	if (*at >= fpdu->ulpdu_length)
		return false;
	offset = fpdu_offset(content, fpdu->first_marker);
	length = fpdu->ulpdu_length - *at;
	if (fpdu->first_marker < fpdu->bytes.length) {
		markers = fpdu_markers_before(content, fpdu->first_marker);
		content = fpdu->first_marker + markers * (MPA_MARKER_INTERVAL - MPA_MARKER_LENGTH) - content;
		if (length > content)
			length = content;
	}
	missing = cut_at_gap(fpdu, offset, &length);
	*extent = (struct rtap_span){ missing ? NULL : fpdu->bytes.bytes + offset, length };
	*at += length;
	return true;
}

/* Bytes of the head that are present; *together: they are contiguous. */
static uint32_t head_length(const struct rtap_fpdu *fpdu, bool *together)
{
	uint32_t at = 0, length = 0;
	struct rtap_span extent;

	*together = true;
	while (length < RTAP_FPDU_HEAD && fpdu_next_extent(fpdu, &at, &extent) && extent.bytes) {
		*together = length == 0;
		length += extent.length;
	}
	return length < RTAP_FPDU_HEAD ? length : RTAP_FPDU_HEAD;
}

const uint8_t *fpdu_parted_head(const struct rtap_fpdu *fpdu, uint32_t *length)
{
	bool together;

	*length = head_length(fpdu, &together);
	return together ? fpdu->bytes.bytes + fpdu_offset(MPA_LENGTH_LENGTH, fpdu->first_marker) : fpdu->head;
}

void fpdu_fill_parted_head(struct rtap_fpdu *fpdu)
{
	bool together;
	uint32_t left = head_length(fpdu, &together), at = 0;
	struct rtap_span extent;
	uint8_t *next = fpdu->head;

	if (together)
		return;
	while (left && fpdu_next_extent(fpdu, &at, &extent) && extent.bytes) {
		uint32_t part = extent.length < left ? extent.length : left;

		memcpy(next, extent.bytes, part);
		next += part;
		left -= part;
	}
}

static uint32_t crc_offset(const struct rtap_fpdu *fpdu)
{
	return fpdu_offset(fpdu_content_length(fpdu->ulpdu_length) - MPA_CRC_LENGTH, fpdu->first_marker);
}

uint32_t fpdu_crc_field(const struct rtap_fpdu *fpdu)
{
	return load32(fpdu->bytes.bytes + crc_offset(fpdu));
}

/* The CRC covers everything before it including markers, also those before ULPDU_Length and after the pad. RFC 5044, 4.4. */
enum rtap_crc_status fpdu_check_crc(const struct rtap_fpdu *fpdu)
{
	uint32_t crc;

	if (fpdu->gap_count)
		return RTAP_CRC_UNVERIFIABLE;
	crc = crc32c(fpdu->bytes.bytes, crc_offset(fpdu));
	/* least significant byte first */
	return __builtin_bswap32(crc) == fpdu_crc_field(fpdu) ? RTAP_CRC_GOOD : RTAP_CRC_BAD;
}

static bool is_missing(const struct rtap_fpdu *fpdu, uint32_t offset, uint32_t length)
{
	uint32_t whole = length;

	return cut_at_gap(fpdu, offset, &length) || length < whole;
}

bool fpdu_markers_agree(const struct rtap_fpdu *fpdu)
{
	uint32_t start = fpdu_offset(0, fpdu->first_marker);

	for (uint32_t at = fpdu->first_marker; at < fpdu->bytes.length; at += MPA_MARKER_INTERVAL) {
		const uint8_t *marker = fpdu->bytes.bytes + at;
		uint32_t pointer;

		if (is_missing(fpdu, at, MPA_MARKER_LENGTH))
			continue;
		pointer = fpdu->skewed_markers ? (uint32_t)(marker[3] << 8 | marker[2]) : load16(marker + 2);
		/* the two lowest bits are not looked at (RFC 5044, 4.2); a distance that no 16 bits hold is for FPDUs larger than IP allows */
		if ((pointer & ~3u) != (at < start ? 0 : (at - start) & UINT16_MAX))
			return false;
	}
	return true;
}

bool fpdu_front(const struct rtap_fpdu *fpdu, uint32_t at, struct rtap_span *bytes)
{
	struct rtap_span rest;

	if (!fpdu_next_extent(fpdu, &at, bytes) || !bytes->bytes)
		return false;
	if (at < fpdu->ulpdu_length && (!fpdu->gap_count || fpdu->gaps[fpdu->gap_count - 1].reason != RTAP_MISSING_SNAPPED))
		return false;
	while (fpdu_next_extent(fpdu, &at, &rest))
		if (rest.bytes)
			return false;
	return true;
}
