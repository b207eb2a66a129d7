/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>
#include <zlib.h>

#include "capture/umad/mad_frame.h"

#define ERF_LENGTH 16
#define LRH_LENGTH 8
#define GRH_LENGTH 40
#define BTH_LENGTH 12
#define DETH_LENGTH 8
#define ICRC_LENGTH 4
#define VCRC_LENGTH 2

/* Endace EDM11-01 */
#define ERF_INFINIBAND 21
#define ERF_VARYING_LENGTH 0x04

/* IBTA vol. 1, 7.7: LNH; 8.3.3: next header; 9.2.1: UD SEND Only */
#define LNH_BTH 2
#define LNH_GRH 3
#define GRH_NEXT_IBA 0x1b
#define UD_SEND_ONLY 0x64
#define MANAGEMENT_LANE 15 /* of QP 0: IBTA vol. 1, 13.5.1 */

/* IBTA vol. 1, 13.4.3 */
#define MAD_CLASS 1
#define MAD_HEADER 24
#define BASE_VERSION_JUMBO 0x80

/* IBTA vol. 1, 13.6.2.1 */
#define RMPP_VERSION 24
#define RMPP_TYPE 25
#define RMPP_FLAGS 26      /* with the response time above them */
#define RMPP_SEGMENT 28
#define RMPP_PAYLOAD 32
#define RMPP_HEADER_END 36
#define RMPP_TYPE_DATA 1
#define RMPP_ACTIVE 0x01
#define RMPP_FIRST 0x02
#define RMPP_LAST 0x04

#define CLASS_SA 0x03
#define CLASS_DEVICE 0x06
#define CLASS_DEVICE_ADMINISTRATION 0x10
#define CLASS_BIS 0x12
#define CLASS_VENDOR_2 0x30
#define CLASS_VENDOR_2_END 0x4f

static void put16(uint8_t *to, uint32_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

static void put32(uint8_t *to, uint32_t value)
{
	put16(to, value >> 16);
	put16(to + 2, value);
}

static uint32_t get16(const uint8_t *from)
{
	return (uint32_t)from[0] << 8 | from[1];
}

static uint32_t get32(const uint8_t *from)
{
	return get16(from) << 16 | get16(from + 2);
}

bool mad_has_rmpp(uint8_t management_class)
{
	switch (management_class) {
	case CLASS_SA:
	case CLASS_DEVICE:
	case CLASS_DEVICE_ADMINISTRATION:
	case CLASS_BIS:
		return true;
	default:
		return management_class >= CLASS_VENDOR_2 && management_class <= CLASS_VENDOR_2_END;
	}
}

/* Bytes of a MAD's header that its class repeats in each segment of an RMPP message. IBTA vol. 1, 13.6 and the class's chapter. */
static uint32_t segment_header(uint8_t management_class)
{
	switch (management_class) {
	case CLASS_SA:
		return 56;
	case CLASS_DEVICE:
	case CLASS_DEVICE_ADMINISTRATION:
	case CLASS_BIS:
		return 64;
	default:
		return management_class >= CLASS_VENDOR_2 && management_class <= CLASS_VENDOR_2_END ? 40 : MAD_HEADER;
	}
}

static bool is_jumbo(const uint8_t *message, uint32_t length)
{
	return length && message[0] == BASE_VERSION_JUMBO;
}

uint32_t mad_segment_count(const uint8_t *message, uint32_t length)
{
	uint32_t header;

	if (length <= MAD_LENGTH || is_jumbo(message, length))
		return 1;
	header = segment_header(message[MAD_CLASS]);
	return (length - header + MAD_LENGTH - header - 1) / (MAD_LENGTH - header);
}

/* Restores the segment's header. Its payload length counts everything after the RMPP header, including the class header. */
static void write_rmpp(uint8_t *mad, uint32_t length, uint32_t index, uint32_t count)
{
	uint32_t header = segment_header(mad[MAD_CLASS]), room = MAD_LENGTH - header;
	uint32_t class_header = header - RMPP_HEADER_END, data = length - header, payload = 0;
	uint8_t flags = RMPP_ACTIVE;

	if (index + 1 == count) {
		flags |= RMPP_LAST;
		payload = data - index * room + class_header;
	}
	if (!index) {
		flags |= RMPP_FIRST;
		payload = data + count * class_header;
	}
	mad[RMPP_TYPE] = RMPP_TYPE_DATA;
	mad[RMPP_FLAGS] = (uint8_t)((mad[RMPP_FLAGS] & 0xf8) | flags);
	mad[RMPP_FLAGS + 1] = 0;
	put32(mad + RMPP_SEGMENT, index + 1);
	put32(mad + RMPP_PAYLOAD, payload);
}

uint32_t mad_segment(const uint8_t *message, uint32_t length, uint32_t index, uint8_t mad[MAD_JUMBO_LENGTH])
{
	uint32_t count = mad_segment_count(message, length), header, room, begin;

	if (is_jumbo(message, length)) {
		uint32_t whole = length < MAD_JUMBO_LENGTH ? length : MAD_JUMBO_LENGTH;

		memset(mad, 0, MAD_JUMBO_LENGTH);
		memcpy(mad, message, whole);
		whole = (whole + 3) & ~3u;
		return whole < MAD_LENGTH ? MAD_LENGTH : whole;
	}
	memset(mad, 0, MAD_LENGTH);
	if (count == 1) {
		memcpy(mad, message, length < MAD_LENGTH ? length : MAD_LENGTH);
		return MAD_LENGTH;
	}
	header = segment_header(message[MAD_CLASS]);
	room = MAD_LENGTH - header;
	begin = header + index * room;
	memcpy(mad, message, header);
	memcpy(mad + header, message + begin, length - begin < room ? length - begin : room);
	if (mad_has_rmpp(message[MAD_CLASS]))
		write_rmpp(mad, length, index, count);
	return MAD_LENGTH;
}

static void write_erf(uint8_t *to, uint32_t length, int64_t time_ns)
{
	uint64_t seconds = (uint64_t)time_ns / 1000000000, nanoseconds = (uint64_t)time_ns % 1000000000;
	uint64_t stamp = seconds << 32 | ((nanoseconds << 32) + 500000000) / 1000000000;

	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(stamp >> 8 * i);
	to[8] = ERF_INFINIBAND;
	to[9] = ERF_VARYING_LENGTH;
	put16(to + 10, ERF_LENGTH + length);
	put16(to + 12, 0);
	put16(to + 14, length);
}

/* IBTA vol. 1, 7.7 */
static void write_lrh(uint8_t *to, const struct mad_envelope *envelope, uint32_t words)
{
	to[0] = envelope->destination_qpn ? 0 : MANAGEMENT_LANE << 4;
	to[1] = (uint8_t)(envelope->service_level << 4 | (envelope->global ? LNH_GRH : LNH_BTH));
	put16(to + 2, envelope->destination_lid);
	put16(to + 4, words & 0x7ff);
	put16(to + 6, envelope->source_lid);
}

/* IBTA vol. 1, 8.3 */
static void write_grh(uint8_t *to, const struct mad_envelope *envelope, uint32_t payload)
{
	put32(to, 6u << 28 | (uint32_t)envelope->traffic_class << 20 | (envelope->flow_label & 0xfffff));
	put16(to + 4, payload);
	to[6] = GRH_NEXT_IBA;
	to[7] = envelope->hop_limit;
	memcpy(to + 8, envelope->source_gid, 16);
	memcpy(to + 24, envelope->destination_gid, 16);
}

/* IBTA vol. 1, 9.2 and 9.3.2 */
static void write_transport(uint8_t *to, const struct mad_envelope *envelope, uint32_t psn)
{
	to[0] = UD_SEND_ONLY;
	to[1] = 0;
	put16(to + 2, envelope->p_key);
	put32(to + 4, envelope->destination_qpn & 0xffffff);
	put32(to + 8, psn & 0xffffff);
	put32(to + BTH_LENGTH, envelope->q_key);
	put32(to + BTH_LENGTH + 4, envelope->source_qpn & 0xffffff);
}

/* IBTA vol. 1, 7.8.1: variant fields are replaced by ones. */
static uint32_t invariant_crc(const uint8_t *packet, uint32_t length, bool global)
{
	uint8_t head[LRH_LENGTH + GRH_LENGTH + BTH_LENGTH];
	uint32_t transport = LRH_LENGTH + (global ? GRH_LENGTH : 0);

	memcpy(head, packet, transport + BTH_LENGTH);
	head[0] |= 0xf0;
	if (global) {
		memset(head, 0xff, LRH_LENGTH);
		head[LRH_LENGTH] |= 0x0f;
		memset(head + LRH_LENGTH + 1, 0xff, 3);
		head[LRH_LENGTH + 7] = 0xff;
	}
	head[transport + 4] = 0xff;
	return (uint32_t)crc32(crc32(0, head, transport + BTH_LENGTH), packet + transport + BTH_LENGTH, length - transport - BTH_LENGTH);
}

/* IBTA vol. 1, 7.8.2: x^16 + x^12 + x^3 + x + 1, least significant bit first. */
static uint32_t variant_crc(const uint8_t *packet, uint32_t length)
{
	uint32_t crc = 0xffff;

	for (uint32_t i = 0; i < length; i++) {
		crc ^= packet[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xd008 : 0);
	}
	return crc ^ 0xffff;
}

uint32_t mad_frame_make(uint8_t *frame, const struct mad_envelope *envelope, const uint8_t *mad, uint32_t mad_length,
			uint32_t psn,
			 int64_t time_ns)
{
	uint8_t *packet = frame + ERF_LENGTH;
	uint32_t transport = LRH_LENGTH + (envelope->global ? GRH_LENGTH : 0);
	uint32_t payload = transport + BTH_LENGTH + DETH_LENGTH, length = payload + mad_length, crc;

	write_lrh(packet, envelope, (length + ICRC_LENGTH) / 4);
	if (envelope->global)
		write_grh(packet + LRH_LENGTH, envelope, length + ICRC_LENGTH - transport);
	write_transport(packet + transport, envelope, psn);
	memcpy(packet + payload, mad, mad_length);
	/* both CRCs have their least significant byte first */
	crc = invariant_crc(packet, length, envelope->global);
	for (unsigned i = 0; i < ICRC_LENGTH; i++)
		packet[length++] = (uint8_t)(crc >> 8 * i);
	crc = variant_crc(packet, length);
	for (unsigned i = 0; i < VCRC_LENGTH; i++)
		packet[length++] = (uint8_t)(crc >> 8 * i);
	write_erf(frame, length, time_ns);
	return ERF_LENGTH + length;
}

static void read_grh(const uint8_t *grh, struct mad_envelope *envelope)
{
	envelope->traffic_class = (uint8_t)(get16(grh) >> 4);
	envelope->flow_label = get32(grh) & 0xfffff;
	envelope->hop_limit = grh[7];
	memcpy(envelope->source_gid, grh + 8, 16);
	memcpy(envelope->destination_gid, grh + 24, 16);
}

const char *mad_frame_read(const uint8_t *frame, uint32_t length, struct mad_envelope *envelope, const uint8_t **mad,
			    uint32_t *mad_length)
{
	const uint8_t *packet = frame + ERF_LENGTH, *transport;
	uint32_t packet_length, headers;

	memset(envelope, 0, sizeof *envelope);
	if (length < ERF_LENGTH + LRH_LENGTH || frame[8] != ERF_INFINIBAND)
		return "it is no InfiniBand packet in an ERF record without extension headers";
	packet_length = (get16(packet + 4) & 0x7ff) * 4;
	envelope->global = (packet[1] & 3) == LNH_GRH;
	headers = LRH_LENGTH + (envelope->global ? GRH_LENGTH : 0) + BTH_LENGTH + DETH_LENGTH;
	if (!(packet[1] & 2) || packet_length > length - ERF_LENGTH || packet_length < headers + MAD_LENGTH + ICRC_LENGTH)
		return "it does not hold a whole management datagram";
	transport = packet + headers - DETH_LENGTH - BTH_LENGTH;
	envelope->destination_qpn = get32(transport + 4) & 0xffffff;
	if (transport[0] != UD_SEND_ONLY || envelope->destination_qpn > 1)
		return "it is not a datagram to queue pair 0 or 1";
	if (envelope->global)
		read_grh(packet + LRH_LENGTH, envelope);
	envelope->service_level = packet[1] >> 4;
	envelope->destination_lid = (uint16_t)get16(packet + 2);
	envelope->source_lid = (uint16_t)get16(packet + 6);
	envelope->p_key = (uint16_t)get16(transport + 2);
	envelope->q_key = get32(transport + BTH_LENGTH);
	envelope->source_qpn = get32(transport + BTH_LENGTH + 4) & 0xffffff;
	*mad = packet + headers;
	*mad_length = packet_length - headers - ICRC_LENGTH;
	return NULL;
}
