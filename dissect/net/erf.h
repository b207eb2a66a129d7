/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_NET_ERF_H
#define DISSECT_NET_ERF_H

#include "dissect/engine/packet.h"

/* Lengths of the frame in an ERF record, which take precedence over those of the capture file's record. */
struct erf_record {
	uint32_t wire_length;
	uint32_t captured_length;
};

/* False if the packet is not a complete ERF record. */
bool erf_record_of(const struct rtap_packet *packet, struct erf_record *record);

/* The length of the packet on the wire, as the field frame.len has it: that of the ERF record if there is one. */
static inline uint32_t erf_wire_length(const struct rtap_packet *packet)
{
	struct erf_record record;

	return packet->frame->link_type == RTAP_LINK_ERF && erf_record_of(packet, &record) ? record.wire_length : packet->frame->wire_length;
}

#endif
