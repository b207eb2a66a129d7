/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tests: management datagrams as frames of link type RTAP_LINK_RAW.
 */
#ifndef TESTS_MAD_KIT_H
#define TESTS_MAD_KIT_H

#include "tests/roce_kit.h"

#include "dissect/management/mad.h"

#define MAD_FRAME_AT 48u /* of a MAD in a frame of roce_frame(): IPv4, UDP, BTH, DETH */

/* A MAD; the caller provides the data after the header, at most 232 bytes. */
struct mad {
	uint8_t management_class, method;
	uint16_t status, attribute;
	uint32_t modifier;
	uint64_t transaction_id;
	uint8_t rmpp_type, rmpp_flags; /* for subnet administration and vendors */
	uint32_t rmpp_segment, rmpp_length;
	uint16_t attribute_offset;     /* subnet administration; words of eight bytes */
	const uint8_t *data;           /* after the class's header */
	uint32_t data_length;
};

/* Where the class's data begin in a MAD. */
static inline uint32_t mad_data_at(const struct mad *mad)
{
	switch (mad->management_class) {
	case MAD_CLASS_ADMINISTRATION:
		return 56;
	case MAD_CLASS_COMMUNICATION:
		return MAD_HEADER_LENGTH;
	case MAD_CLASS_CONGESTION:
		return mad->attribute == 0x13 ? 32 : 64;
	default:
		return mad->management_class >= MAD_CLASS_VENDOR_OUI_FIRST && mad->management_class <= MAD_CLASS_VENDOR_OUI_LAST ? 40 : 64;
	}
}

static inline void mad_put(uint8_t *bytes, const struct mad *mad)
{
	uint32_t at = mad_data_at(mad);
	uint32_t room = MAD_LENGTH - at;

	memset(bytes, 0, MAD_LENGTH);
	bytes[0] = 1;
	bytes[1] = mad->management_class;
	bytes[2] = 1;
	bytes[3] = mad->method;
	roce_put(bytes + 4, mad->status, 2);
	roce_put(bytes + 8, mad->transaction_id, 8);
	roce_put(bytes + 16, mad->attribute, 2);
	roce_put(bytes + 20, mad->modifier, 4);
	if (mad->rmpp_type) {
		bytes[24] = 1;
		bytes[25] = mad->rmpp_type;
		bytes[26] = mad->rmpp_flags;
		roce_put(bytes + 28, mad->rmpp_segment, 4);
		roce_put(bytes + 32, mad->rmpp_length, 4);
	}
	if (mad->management_class == MAD_CLASS_ADMINISTRATION)
		roce_put(bytes + 44, mad->attribute_offset, 2);
	if (mad->data_length)
		memcpy(bytes + at, mad->data, mad->data_length < room ? mad->data_length : room);
}

/* Makes the frame of a MAD; returns its length. */
static inline uint32_t mad_frame(uint8_t *frame, uint32_t source, uint32_t destination, const struct mad *mad)
{
	uint8_t bytes[MAD_LENGTH];
	struct roce roce = { .source = source, .destination = destination, .opcode = 0x64, .dest_qp = 1, .src_qp = 1, .payload = bytes,
			     .payload_length = sizeof bytes };

	mad_put(bytes, mad);
	return roce_frame(frame, &roce);
}

#endif
