/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IPv4 and IPv6. RFC 791, 3.1; RFC 8200, section 3.
 */
#include "config.h"

#include "dissect/ip.h"

static const struct rtap_name version_names[] = { { 4, "IPv4" }, { 6, "IPv6" }, { 0, NULL } };

static const struct rtap_name ecn_names[] = {
	{ 0, "Not-ECT" }, { 1, "ECT(1)" }, { 2, "ECT(0)" }, { 3, "CE" }, { 0, NULL },
};

const struct rtap_name ip_protocol_names[] = {
	{ 17, "UDP" },
	{ 0, NULL },
};

uint8_t ip_protocol(uint8_t number)
{
	switch (number) {
	case 17: return PROTOCOL_UDP;
	default: return PROTOCOL_PAYLOAD;
	}
}

static bool derive_header_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), IPV4_IHL) * 4;
	return true;
}

static const struct rtap_field ipv4_fields[] = {
	{ "ip.version", "Version", IPV4_VERSION, RTAP_DEC, 0, version_names, NULL, NULL },
	{ "ip.hdr_len", "Header Length", IPV4_IHL, RTAP_DEC, 0, NULL, derive_header_length, NULL },
	{ "ip.dsfield", "Differentiated Services", IPV4_TOS, RTAP_HEX, RTAP_PARTS, NULL, NULL, "RFC 2474, section 3" },
	{ "ip.dsfield.dscp", "DSCP", IPV4_DSCP, RTAP_DEC, 0, NULL, NULL, "RFC 2474, section 3" },
	{ "ip.dsfield.ecn", "ECN", IPV4_ECN, RTAP_DEC, 0, ecn_names, NULL, "RFC 3168, section 5" },
	{ "ip.len", "Total Length", IPV4_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ip.id", "Identification", IPV4_ID, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "ip.flags", "Flags", IPV4_FLAGS, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "ip.flags.rb", "Reserved", IPV4_RESERVED, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "ip.flags.df", "Don't Fragment", IPV4_DF, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "ip.flags.mf", "More Fragments", IPV4_MF, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "ip.frag_offset", "Fragment Offset", IPV4_FRAGMENT, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ip.ttl", "Time to Live", IPV4_TTL, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ip.proto", "Protocol", IPV4_PROTOCOL, RTAP_DEC, 0, ip_protocol_names, NULL, NULL },
	{ "ip.checksum", "Header Checksum", IPV4_CHECKSUM, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "ip.src", "Source Address", IPV4_SRC, RTAP_IPV4, 0, NULL, NULL, NULL },
	{ "ip.dst", "Destination Address", IPV4_DST, RTAP_IPV4, 0, NULL, NULL, NULL },
};

static void note_addresses(struct rtap_packet *packet, const uint8_t *source, uint8_t length)
{
	packet->source_address = source;
	packet->destination_address = source + length;
	packet->address_length = length;
}

static enum result parse_ipv4(struct parse *parse)
{
	uint32_t start = parse_offset(parse), total, header_length;
	const uint8_t *header, *options;
	enum result result = parse_layer(parse, PROTOCOL_IPV4, IPV4_MIN_LENGTH, &header);

	if (result != OK)
		return result;
	total = (uint32_t)bits(header, IPV4_LENGTH);
	header_length = (uint32_t)bits(header, IPV4_IHL) * 4;
	note_addresses(parse->packet, header + 12, 4);
	if (header_length < IPV4_MIN_LENGTH || total < header_length) {
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_TOO_SHORT, start);
		return MALFORMED;
	}
	if (!cursor_narrow(&parse->cursor, total - IPV4_MIN_LENGTH))
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_BEYOND_FRAME, start);
	result = parse_more(parse, header_length - IPV4_MIN_LENGTH, &options);
	if (result != OK)
		return result;
	parse->packet->ib.crc_start_layer = (uint8_t)(parse->packet->layer_count - 1);
	parse->next = ip_protocol((uint8_t)bits(header, IPV4_PROTOCOL));
	return OK;
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->protocol == PROTOCOL_IPV4 && layer->length >= IPV4_MIN_LENGTH) {
		line_ipv4(line, header + 12);
		line_text(line, " > ");
		line_ipv4(line, header + 16);
	} else if (layer->protocol == PROTOCOL_IPV6 && layer->length >= IPV6_LENGTH) {
		line_ipv6(line, header + 8);
		line_text(line, " > ");
		line_ipv6(line, header + 24);
	}
}

const struct protocol ipv4_protocol = {
	.table = { "ip", "Internet Protocol Version 4", "RFC 791, 3.1", 0, FIELDS(ipv4_fields) },
	.parse = parse_ipv4,
	.summary = summary,
};

static const struct rtap_field ipv6_fields[] = {
	{ "ipv6.version", "Version", IPV6_VERSION, RTAP_DEC, 0, version_names, NULL, NULL },
	{ "ipv6.tclass", "Traffic Class", IPV6_TCLASS, RTAP_HEX32, RTAP_PARTS, NULL, NULL, NULL },
	{ "ipv6.tclass.dscp", "DSCP", IPV6_DSCP, RTAP_DEC, 0, NULL, NULL, "RFC 2474, section 3" },
	{ "ipv6.tclass.ecn", "ECN", IPV6_ECN, RTAP_DEC, 0, ecn_names, NULL, "RFC 3168, section 5" },
	{ "ipv6.flow", "Flow Label", IPV6_FLOW, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "ipv6.plen", "Payload Length", IPV6_PLEN, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ipv6.nxt", "Next Header", IPV6_NEXT, RTAP_DEC, 0, ip_protocol_names, NULL, NULL },
	{ "ipv6.hlim", "Hop Limit", IPV6_HOPS, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ipv6.src", "Source Address", IPV6_SRC, RTAP_IPV6, 0, NULL, NULL, NULL },
	{ "ipv6.dst", "Destination Address", IPV6_DST, RTAP_IPV6, 0, NULL, NULL, NULL },
};

static enum result parse_ipv6(struct parse *parse)
{
	uint32_t start = parse_offset(parse), length;
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_IPV6, IPV6_LENGTH, &header);

	if (result != OK)
		return result;
	length = (uint32_t)bits(header, IPV6_PLEN);
	note_addresses(parse->packet, header + 8, 16);
	if (!cursor_narrow(&parse->cursor, length))
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_BEYOND_FRAME, start);
	parse->packet->ib.crc_start_layer = (uint8_t)(parse->packet->layer_count - 1);
	parse->next = ip_protocol((uint8_t)bits(header, IPV6_NEXT));
	return OK;
}

const struct protocol ipv6_protocol = {
	.table = { "ipv6", "Internet Protocol Version 6", "RFC 8200, section 3", IPV6_LENGTH, FIELDS(ipv6_fields) },
	.parse = parse_ipv6,
	.summary = summary,
};
