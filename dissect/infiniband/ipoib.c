/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IP over InfiniBand: an Ethertype before the packet (RFC 4391, section 6), in an InfiniBand message; and as a link type,
 * where a GRH or, in place of it, the destination's address goes before that. Ethernet over InfiniBand: a vendor-specific header
 * before the Ethernet frame.
 */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/net/ip.h"
#include "dissect/infiniband/ipoib.h"
#include "dissect/engine/parse.h"
#include "dissect/infiniband/upper.h"

#define IPOIB_LENGTH 4
#define IPOIB_TYPE 0, 16
#define IPOIB_RESERVED 16, 16

static const struct rtap_field ipoib_fields[] = {
	{ "ipoib.type", "Type", IPOIB_TYPE, RTAP_HEX, 0, ethertype_names, NULL, NULL },
	{ "ipoib.reserved", "Reserved", IPOIB_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
};

static enum result parse_ipoib(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_IPOIB, IPOIB_LENGTH, &header);

	if (result == OK)
		parse->next = ethertype_protocol((uint16_t)bits(header, IPOIB_TYPE));
	return result;
}

static void summary_ipoib(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (packet_has(packet, PROTOCOL_BTH))
		line_text(line, ": IPoIB ");
	if (layer->length == IPOIB_LENGTH)
		ethertype_summary(packet, layer, (uint16_t)bits(layer_bytes(packet, layer), IPOIB_TYPE), line);
}

const struct protocol ipoib_protocol = {
	.table = { "ipoib", "IP over InfiniBand", "RFC 4391, section 6", IPOIB_LENGTH, FIELDS(ipoib_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_ipoib,
	.summary = summary_ipoib,
};

#define LINK_LENGTH 40
#define LINK_VERSION 0, 4
#define LINK_TCLASS 4, 8
#define LINK_FLOW 12, 20
#define LINK_SOURCE_QPN 40, 24
#define LINK_SOURCE_GID 64, 128
#define LINK_QPN 168, 24
#define LINK_GID 192, 128

/* Received packets have the GRH, sent ones zero bytes and the destination's hardware address. */
static bool has_grh(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return bits(layer_bytes(packet, layer), LINK_VERSION) != 0;
}

static bool derive_version(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), LINK_VERSION);
	return has_grh(packet, layer);
}

static bool derive_tclass(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), LINK_TCLASS);
	return has_grh(packet, layer);
}

static bool derive_flow(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), LINK_FLOW);
	return has_grh(packet, layer);
}

static bool derive_source_qpn(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), LINK_SOURCE_QPN);
	return has_grh(packet, layer);
}

static bool derive_source_gid(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + 8, 16 };
	return has_grh(packet, layer);
}

static bool derive_qpn(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), LINK_QPN);
	return !has_grh(packet, layer);
}

static const struct rtap_field ipoib_link_fields[] = {
	{ "ipoib.grh.ipver", "IP Version", LINK_VERSION, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_version, NULL },
	{ "ipoib.grh.tclass", "Traffic Class", LINK_TCLASS, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_tclass, NULL },
	{ "ipoib.grh.flowlabel", "Flow Label", LINK_FLOW, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_flow, NULL },
	{ "ipoib.grh.reserved", "Reserved", 32, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "ipoib.grh.sqpn", "Source Queue Pair", LINK_SOURCE_QPN, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_source_qpn, NULL },
	{ "ipoib.grh.sgid", "Source GID", LINK_SOURCE_GID, RTAP_IPV6, RTAP_SOMETIMES, NULL, derive_source_gid, NULL },
	{ "ipoib.daddr.qpn", "Destination Queue Pair", LINK_QPN, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_qpn, NULL },
	{ "ipoib.dgid", "Destination GID", LINK_GID, RTAP_IPV6, 0, NULL, NULL, NULL },
};

static enum result parse_link(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_IPOIB_LINK, LINK_LENGTH, &header);

	if (result == OK)
		parse->next = PROTOCOL_IPOIB;
	return result;
}

const struct protocol ipoib_link_protocol = {
	.table = { "ipoib.link", "IP over InfiniBand Link", "tcpdump.org, LINKTYPE_IPOIB", LINK_LENGTH, FIELDS(ipoib_link_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_link,
};

#define HW_TYPE_INFINIBAND 32
#define ARP_LENGTH 56 /* InfiniBand and IPv4 addresses */

static bool is_ipv4(const uint8_t *packet, uint32_t captured, uint32_t wire)
{
	return captured >= IPV4_MIN_LENGTH && bits(packet, IPV4_VERSION) == 4 && bits(packet, IPV4_IHL) >= 5 &&
	       bits(packet, IPV4_IHL) * 4 <= wire && bits(packet, IPV4_LENGTH) == wire;
}

static bool is_ipv6(const uint8_t *packet, uint32_t captured, uint32_t wire)
{
	return captured >= IPV6_LENGTH && bits(packet, IPV6_VERSION) == 6 && bits(packet, IPV6_PLEN) + IPV6_LENGTH == wire;
}

/* Hardware and protocol type and sizes as RFC 4391, 9.1.1 has them. */
static bool is_arp(const uint8_t *packet, uint32_t captured, uint32_t wire)
{
	return captured >= 8 && wire == ARP_LENGTH && load16(packet) == HW_TYPE_INFINIBAND && load16(packet + 2) == 0x0800 &&
	       packet[4] == 20 && packet[5] == 4;
}

bool ipoib_recognise(const struct cursor *payload)
{
	const uint8_t *packet;
	uint32_t captured, wire;

	if (payload->captured < IPOIB_LENGTH || bits(payload->next, IPOIB_RESERVED))
		return false;
	packet = payload->next + IPOIB_LENGTH;
	captured = payload->captured - IPOIB_LENGTH;
	wire = payload->wire - IPOIB_LENGTH;
	switch (bits(payload->next, IPOIB_TYPE)) {
	case 0x0800: return is_ipv4(packet, captured, wire);
	case 0x0806: return is_arp(packet, captured, wire);
	case 0x86dd: return is_ipv6(packet, captured, wire);
	default: return false;
	}
}

/* Ethernet over InfiniBand, of Mellanox's gateways. The first two bits are always set. */
#define EOIB_LENGTH 4
#define EOIB_SIGNATURE 0, 2
#define EOIB_VERSION 2, 2
#define EOIB_TCP_CHECKSUM 4, 2
#define EOIB_IP_CHECKSUM 6, 2
#define EOIB_RESERVED 8, 1
#define EOIB_FCS 9, 1
#define EOIB_MORE 10, 1
#define EOIB_OFFSET 11, 5
#define EOIB_SEGMENT_ID 16, 16

#define EOIB_SIGNED 3
#define ETHERNET_LENGTH 14
#define ETHERTYPE_AT 12

static const struct rtap_field eoib_fields[] = {
	{ "infiniband.eoib.signature", "Signature", EOIB_SIGNATURE, RTAP_HEX16, 0, NULL, NULL, NULL },
	{ "infiniband.eoib.version", "Version", EOIB_VERSION, RTAP_HEX16, 0, NULL, NULL, NULL },
	{ "infiniband.eoib.tcp_chk", "TCP Checksum", EOIB_TCP_CHECKSUM, RTAP_HEX16, 0, NULL, NULL, NULL },
	{ "infiniband.eoib.ip_chk", "IP Checksum", EOIB_IP_CHECKSUM, RTAP_HEX16, 0, NULL, NULL, NULL },
	{ "infiniband.eoib.reserved", "Reserved", EOIB_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.eoib.fcs", "FCS Field Present", EOIB_FCS, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "infiniband.eoib.ms", "More Segments to Follow", EOIB_MORE, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "infiniband.eoib.ip_seg_offset", "Segment Offset", EOIB_OFFSET, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.eoib.ip_seg_id", "Segment ID", EOIB_SEGMENT_ID, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
};

static enum result parse_eoib(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_EOIB, EOIB_LENGTH, &header);

	/* only the first segment has an Ethernet header */
	if (result == OK)
		parse->next = bits(header, EOIB_OFFSET) ? PROTOCOL_PAYLOAD : PROTOCOL_ETHERNET;
	return result;
}

static void summary_eoib(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	(void)packet;
	(void)layer;
	line_text(line, ": EoIB ");
}

const struct protocol eoib_protocol = {
	.table = { "infiniband.eoib", "Ethernet over InfiniBand", "Mellanox, EoIB header", EOIB_LENGTH, FIELDS(eoib_fields) },
	.parse = parse_eoib,
	.summary = summary_eoib,
};

bool eoib_recognise(const struct cursor *payload)
{
	const uint8_t *header = payload->next;
	uint32_t before = EOIB_LENGTH + ETHERNET_LENGTH, fcs, wire;

	if (payload->captured < before || bits(header, EOIB_SIGNATURE) != EOIB_SIGNED || bits(header, EOIB_VERSION) ||
	    bits(header, EOIB_RESERVED) || bits(header, EOIB_OFFSET) || bits(header, EOIB_MORE))
		return false;
	fcs = bits(header, EOIB_FCS) ? 4 : 0;
	if (payload->wire < before + fcs)
		return false;
	wire = payload->wire - before - fcs;
	switch (load16(header + EOIB_LENGTH + ETHERTYPE_AT)) {
	case 0x0800: return is_ipv4(header + before, payload->captured - before, wire);
	case 0x86dd: return is_ipv6(header + before, payload->captured - before, wire);
	default: return false;
	}
}
