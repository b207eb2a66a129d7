/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The invariant and the variant CRC, recomputed. IBTA vol. 1, 7.8; RoCE v1: A16.4.1; RoCE v2: A17.3.3.
 * The invariant CRC covers what no switch or router may change; the fields that they may change count as ones.
 */
#include "config.h"

#include "dissect/engine/crc32.h"
#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ib_crc.h"
#include "dissect/net/ip.h"

#define UDP_LENGTH 8

/* The covered bytes in order: the masked headers are first copied together, because one long run is faster than many short ones. */
struct run {
	uint32_t crc;           /* of the bytes before */
	uint32_t length;
	uint8_t bytes[128];
};

static void settle(struct run *run)
{
	run->crc = crc32_of(run->crc, run->bytes, run->length);
	run->length = 0;
}

/* Returns where the header is, to be masked. Less than the room there is for all of them. */
static inline uint8_t *add_header(struct run *run, const uint8_t *header, uint32_t length)
{
	uint8_t *place;

	if (length > sizeof run->bytes - run->length)
		settle(run);
	place = run->bytes + run->length;
	memcpy(place, header, length);
	run->length += length;
	return place;
}

/* Any number of bytes, as they are. */
static void add_bytes(struct run *run, const uint8_t *bytes, uint32_t length)
{
	settle(run);
	run->crc = crc32_of(run->crc, bytes, length);
}

/* First the LRH: replaced by ones if there is a GRH, because all of it is variant then, and for RoCE, which has none. */
static void add_lrh(struct run *run, const struct rtap_packet *packet, const uint8_t *lrh)
{
	static const uint8_t ones[LRH_LENGTH] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	if (lrh && !packet->ib.has_grh)
		add_header(run, lrh, LRH_LENGTH)[0] |= 0xf0; /* virtual lane */
	else
		add_header(run, ones, sizeof ones);
}

static void add_ipv4(struct run *run, const uint8_t *header, uint32_t length)
{
	uint8_t *masked = add_header(run, header, IPV4_MIN_LENGTH);

	masked[1] = 0xff;               /* type of service */
	masked[8] = 0xff;               /* time to live */
	masked[10] = masked[11] = 0xff; /* header checksum */
	if (length > IPV4_MIN_LENGTH)
		add_bytes(run, header + IPV4_MIN_LENGTH, length - IPV4_MIN_LENGTH);
}

/* IPv6 or GRH */
static void add_ipv6(struct run *run, const uint8_t *header)
{
	uint8_t *masked = add_header(run, header, IPV6_LENGTH);

	masked[0] |= 0x0f; /* traffic class and flow label */
	masked[1] = masked[2] = masked[3] = 0xff;
	masked[7] = 0xff;  /* hop limit */
}

static void add_udp(struct run *run, const uint8_t *header)
{
	uint8_t *masked = add_header(run, header, UDP_LENGTH);

	masked[6] = masked[7] = 0xff; /* checksum */
}

static void add_bth(struct run *run, const uint8_t *header)
{
	add_header(run, header, BTH_LENGTH)[4] = 0xff; /* FECN, BECN, reserved */
}

/*
 * The sender of a fragmented datagram computed the CRC before the fragmentation: use this fragment's header with the length of the
 * whole datagram and without fragment fields. Whether IPv4's Don't Fragment bit was set is not known any more.
 */
static void add_unfragmented(struct run *run, const struct rtap_packet *packet, const struct rtap_layer *network, bool forbidden)
{
	const struct rtap_fragment_facts *fragment = &packet->fragment;
	uint32_t wire = packet->sources[fragment->datagram_source].wire;
	uint8_t header[IPV6_LENGTH];

	if (network->protocol == PROTOCOL_IPV4) {
		memcpy(header, layer_bytes(packet, network), IPV4_MIN_LENGTH);
		wire += IPV4_MIN_LENGTH;
		header[2] = (uint8_t)(wire >> 8);
		header[3] = (uint8_t)wire;
		header[6] = forbidden ? 0x40 : 0;
		header[7] = 0;
		add_ipv4(run, header, IPV4_MIN_LENGTH);
		return;
	}
	memcpy(header, layer_bytes(packet, network), IPV6_LENGTH);
	header[4] = (uint8_t)(wire >> 8);
	header[5] = (uint8_t)wire;
	header[6] = fragment->protocol;
	add_ipv6(run, header);
}

/* The network header and everything between it and the BTH: IPv6 extension headers are covered unchanged. */
static void add_roce_v2(struct run *run, const struct rtap_packet *packet, const struct rtap_layer *network, bool forbidden)
{
	const uint8_t *header = layer_bytes(packet, network), *udp;
	const uint8_t *after = packet->sources[packet->ib.source].bytes;

	add_lrh(run, packet, NULL);
	if (network->source != packet->ib.source) {
		add_unfragmented(run, packet, network, forbidden);
	} else {
		if (network->protocol == PROTOCOL_IPV4)
			add_ipv4(run, header, network->length);
		else
			add_ipv6(run, header);
		after = header + network->length;
	}
	udp = packet->sources[packet->ib.source].bytes + packet->ib.bth_offset - UDP_LENGTH;
	if (udp != after)
		add_bytes(run, after, (uint32_t)(udp - after));
	add_udp(run, udp);
}

static void add_headers(struct run *run, const struct rtap_packet *packet, const struct rtap_layer *start, bool forbidden)
{
	const uint8_t *header = layer_bytes(packet, start);
	const uint8_t *lrh = start->protocol == PROTOCOL_LRH ? header : NULL;

	if (start->protocol == PROTOCOL_IPV4 || start->protocol == PROTOCOL_IPV6) {
		add_roce_v2(run, packet, start, forbidden);
		return;
	}
	add_lrh(run, packet, lrh);
	if (packet->ib.has_grh)
		add_ipv6(run, lrh ? lrh + LRH_LENGTH : header);
}

/*
 * Returns whether the header before fragmentation can be restored from that of the fragment: options need not be in every fragment,
 * and extension headers would have to be changed inside.
 */
static bool unfragmented_is_known(const struct rtap_packet *packet, const struct rtap_layer *start)
{
	const struct rtap_fragment_facts *fragment = &packet->fragment;
	const struct rtap_layer *piece = &packet->layers[fragment->layer];
	uint32_t plain = start->protocol == PROTOCOL_IPV4 ? IPV4_MIN_LENGTH : IPV6_LENGTH;

	if (!fragment->whole || fragment->datagram_source != packet->ib.source || packet->ib.bth_offset < UDP_LENGTH)
		return false;
	if (start->protocol == PROTOCOL_IPV6 ? piece->offset - start->offset != plain : piece != start)
		return false;
	return (start->protocol == PROTOCOL_IPV4 || start->protocol == PROTOCOL_IPV6) && piece->source == start->source &&
	       start->length == plain && fragment->header_length == plain;
}

/* Bytes that must lie between the start of the CRC's headers and the BTH for the rules to apply. */
static bool headers_fit(const struct rtap_packet *packet, const struct rtap_layer *start)
{
	uint32_t gap = packet->ib.bth_offset - start->offset;

	if (start->source != packet->ib.source)
		return unfragmented_is_known(packet, start);
	if (start->offset > packet->ib.bth_offset)
		return false;
	switch (start->protocol) {
	case PROTOCOL_IPV4:
	case PROTOCOL_IPV6:
		return start->length >= (start->protocol == PROTOCOL_IPV4 ? IPV4_MIN_LENGTH : IPV6_LENGTH) &&
		       gap >= start->length + UDP_LENGTH;
	case PROTOCOL_LRH:
		return gap == LRH_LENGTH + (packet->ib.has_grh ? GRH_LENGTH : 0u);
	case PROTOCOL_GRH:
		return gap == GRH_LENGTH;
	default:
		return false;
	}
}

/* Returns whether the stored CRC, which is little-endian, equals the computed one. */
static bool icrc_is_good(const struct rtap_packet *packet, const struct rtap_layer *start, bool forbidden)
{
	const struct rtap_ib_facts *ib = &packet->ib;
	const uint8_t *base = packet->sources[ib->source].bytes, *stored = base + ib->icrc_offset;
	struct run run;

	run.crc = run.length = 0;
	add_headers(&run, packet, start, forbidden);
	add_bth(&run, base + ib->bth_offset);
	add_bytes(&run, base + ib->bth_offset + BTH_LENGTH, ib->icrc_offset - ib->bth_offset - BTH_LENGTH);
	crc32_release();
	return run.crc == ((uint32_t)stored[3] << 24 | (uint32_t)stored[2] << 16 | (uint32_t)stored[1] << 8 | stored[0]);
}

enum rtap_crc_status ib_check_icrc(const struct rtap_packet *packet)
{
	const struct rtap_ib_facts *ib = &packet->ib;
	const struct rtap_layer *start = &packet->layers[ib->crc_start_layer];
	uint32_t captured = packet->sources[ib->source].captured;

	if (ib->icrc_status != RTAP_CRC_UNCHECKED)
		return (enum rtap_crc_status)ib->icrc_status;
	if (!ib->icrc_on_wire || captured < ICRC_LENGTH || ib->icrc_offset > captured - ICRC_LENGTH || !headers_fit(packet, start))
		return RTAP_CRC_UNVERIFIABLE;
	if (icrc_is_good(packet, start, false))
		return RTAP_CRC_GOOD;
	return start->source != ib->source && icrc_is_good(packet, start, true) ? RTAP_CRC_GOOD : RTAP_CRC_BAD;
}

/* x^16 + x^12 + x^3 + x + 1, least significant bit first. IBTA vol. 1, 7.8.2. Of each four bits. */
static const uint16_t vcrc_of_bits[16] = {
	0x0000, 0x1a01, 0x3402, 0x2e03, 0x6804, 0x7205, 0x5c06, 0x4607, 0xd008, 0xca09, 0xe40a, 0xfe0b, 0xb80c, 0xa20d, 0x8c0e, 0x960f,
};

enum rtap_crc_status ib_check_vcrc(const struct rtap_packet *packet)
{
	const uint8_t *lrh = packet->sources[0].bytes + packet->ib.lrh_offset;
	uint32_t captured = packet->sources[0].captured - packet->ib.lrh_offset;
	uint32_t length, crc = 0xffff;

	if (!packet->ib.has_lrh || captured < LRH_LENGTH)
		return RTAP_CRC_UNVERIFIABLE;
	length = (uint32_t)bits(lrh, LRH_PKT_LEN) * 4;
	if (length + VCRC_LENGTH > captured)
		return RTAP_CRC_UNVERIFIABLE;
	for (uint32_t i = 0; i < length; i++) {
		crc ^= lrh[i];
		crc = crc >> 4 ^ vcrc_of_bits[crc & 15];
		crc = crc >> 4 ^ vcrc_of_bits[crc & 15];
	}
	crc ^= 0xffff;
	return crc == (uint32_t)(lrh[length + 1] << 8 | lrh[length]) ? RTAP_CRC_GOOD : RTAP_CRC_BAD;
}

static bool status_text(enum rtap_crc_status status, struct rtap_value *value)
{
	static const char *const texts[] = {
		[RTAP_CRC_UNCHECKED] = "unverifiable", [RTAP_CRC_GOOD] = "good",
		[RTAP_CRC_BAD] = "bad", [RTAP_CRC_UNVERIFIABLE] = "unverifiable", [RTAP_CRC_OFF] = "bad",
	};

	value->data = (struct rtap_span){ (const uint8_t *)texts[status], (uint32_t)strlen(texts[status]) };
	return true;
}

static bool derive_icrc_status(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	/* with nested transports, only the innermost CRC can be computed */
	bool is_whole = layer->length == ICRC_LENGTH && layer->offset == packet->ib.icrc_offset;

	return status_text(is_whole ? ib_check_icrc(packet) : RTAP_CRC_UNVERIFIABLE, value);
}

static bool derive_vcrc_status(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	return status_text(ib_check_vcrc(packet), value);
}

static const struct rtap_field icrc_fields[] = {
	{ "infiniband.invariant.crc", "Invariant CRC", 0, 32, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.invariant.crc.status", "Status", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_ON_DEMAND | RTAP_COMPARED, NULL,
	  derive_icrc_status, NULL },
};

static const struct rtap_field vcrc_fields[] = {
	{ "infiniband.variant.crc", "Variant CRC", 0, 16, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.variant.crc.status", "Status", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_ON_DEMAND | RTAP_COMPARED, NULL,
	  derive_vcrc_status, NULL },
};

const struct protocol icrc_protocol = {
	.table = { "infiniband.invariant", "Invariant CRC", "IBTA vol. 1, 7.8.1", ICRC_LENGTH, FIELDS(icrc_fields) },
};

const struct protocol vcrc_protocol = {
	.table = { "infiniband.variant", "Variant CRC", "IBTA vol. 1, 7.8.2", VCRC_LENGTH, FIELDS(vcrc_fields) },
};
