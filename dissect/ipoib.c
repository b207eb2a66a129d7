/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IP over InfiniBand: an Ethertype before the packet (RFC 4391, section 6), in an InfiniBand message; and as a link type,
 * where a GRH or, in place of it, the destination's address goes before that.
 */
#include "config.h"

#include "dissect/ethertype.h"
#include "dissect/ip.h"
#include "dissect/upper.h"

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
	if (rtap_packet_has(packet, PROTOCOL_BTH))
		line_text(line, ": IPoIB ");
	if (layer->length == IPOIB_LENGTH)
		ethertype_summary(packet, layer, (uint16_t)bits(layer_bytes(packet, layer), IPOIB_TYPE), line);
}

const struct protocol ipoib_protocol = {
	.table = { "ipoib", "IP over InfiniBand", "RFC 4391, section 6", IPOIB_LENGTH, FIELDS(ipoib_fields) },
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
