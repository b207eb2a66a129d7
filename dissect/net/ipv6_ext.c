/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Headers between IPv6 and the transport: options, routing, fragment (RFC 8200, section 4; segment routing: RFC 8754), and
 * the authentication header (RFC 4302), which IPv4 uses too.
 */
#include "config.h"

#include "dissect/net/ip.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/visit.h"

/* In units of eight bytes, not counting the first eight. */
#define EXT_LEAST 8
#define EXT_NEXT 0, 8
#define EXT_LENGTH 8, 8

/* Takes a header with a length field and a next header field. */
static enum result parse_extension(struct parse *parse, uint16_t protocol)
{
	const uint8_t *header, *more;
	enum result result = parse_layer(parse, protocol, EXT_LEAST, &header);

	if (result == OK)
		result = parse_more(parse, (uint32_t)bits(header, EXT_LENGTH) * 8, &more);
	if (result == OK)
		parse->next = ip_protocol((uint8_t)bits(header, EXT_NEXT));
	return result;
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length >= EXT_LEAST)
		ip_summary_next(packet, layer, (uint8_t)bits(layer_bytes(packet, layer), EXT_NEXT), line);
}

static bool derive_bytes(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	if (layer->length < 2)
		return false;
	value->number = bits(layer_bytes(packet, layer), EXT_LENGTH) * 8 + EXT_LEAST;
	return true;
}

/* IANA, IPv6 destination options and hop-by-hop options */
static const struct rtap_name option_names[] = {
	{ 0x00, "Pad1" },
	{ 0x01, "PadN" },
	{ 0x04, "Tunnel encapsulation limit" },
	{ 0x05, "Router alert" },
	{ 0x0f, "Performance and diagnostic metrics" },
	{ 0x30, "Minimum path MTU" },
	{ 0xc2, "Jumbo payload" },
	{ 0xc9, "Home address" },
	{ 0, NULL },
};

enum { ROW_OPTION_TYPE, ROW_OPTION_LENGTH };

#define OPTION_FIELDS(prefix) \
	[ROW_OPTION_TYPE] = { "ipv6.opt.type", "Option", 0, 8, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS, option_names, NULL, "RFC 8200, 4.2" }, \
	[ROW_OPTION_LENGTH] = { "ipv6.opt.length", "Option Length", 0, 8, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, "RFC 8200, 4.2" }, \
	{ prefix ".nxt", "Next Header", EXT_NEXT, RTAP_DEC, 0, ip_protocol_names, NULL, NULL }, \
	{ prefix ".len", "Length", EXT_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL }, \
	{ prefix ".len_oct", "Length in Bytes", 0, 16, RTAP_DEC, RTAP_UNPLACED, NULL, derive_bytes, NULL }

static const struct rtap_field hop_options_fields[] = { OPTION_FIELDS("ipv6.hopopts") };
static const struct rtap_field destination_options_fields[] = { OPTION_FIELDS("ipv6.dstopts") };

/* Type, length, data; type 0 is one byte of padding. RFC 8200, 4.2. */
static void visit_options(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *header = layer_bytes(packet, layer);
	uint32_t offset = 2, length;

	for (; offset < layer->length; offset += length) {
		struct rtap_value value = { .number = header[offset] };

		visit_field(visitor, layer, layer->protocol, ROW_OPTION_TYPE, &value, layer->offset + offset, 1);
		length = 1;
		if (!header[offset])
			continue;
		if (layer->length - offset < 2)
			return;
		value.number = header[offset + 1];
		visit_field(visitor, layer, layer->protocol, ROW_OPTION_LENGTH, &value, layer->offset + offset + 1, 1);
		length = 2u + header[offset + 1];
	}
}

static enum result parse_hop_options(struct parse *parse)
{
	return parse_extension(parse, PROTOCOL_HOP_OPTIONS);
}

static enum result parse_destination_options(struct parse *parse)
{
	return parse_extension(parse, PROTOCOL_DESTINATION_OPTIONS);
}

const struct protocol hop_options_protocol = {
	.table = { "ipv6.hopopts", "Hop-by-Hop Options", "RFC 8200, 4.3", 0, FIELDS(hop_options_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_hop_options,
	.visit = visit_options,
	.summary = summary,
};

const struct protocol destination_options_protocol = {
	.table = { "ipv6.dstopts", "Destination Options", "RFC 8200, 4.6", 0, FIELDS(destination_options_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_destination_options,
	.visit = visit_options,
	.summary = summary,
};

#define ROUTING_TYPE 16, 8
#define ROUTING_LEFT 24, 8
#define SEGMENTS_LAST 32, 8
#define SEGMENTS_FLAGS 40, 8
#define SEGMENTS_TAG 48, 16

#define TYPE_SEGMENTS 4

/* IANA, IPv6 routing types */
static const struct rtap_name routing_names[] = {
	{ 0, "Source route" }, { 2, "Mobility" }, { 3, "RPL source route" }, { TYPE_SEGMENTS, "Segment routing" }, { 0, NULL },
};

static bool has_segments(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return layer->length >= EXT_LEAST && bits(layer_bytes(packet, layer), ROUTING_TYPE) == TYPE_SEGMENTS;
}

static bool derive_last(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), SEGMENTS_LAST);
	return has_segments(packet, layer);
}

static bool derive_flags(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), SEGMENTS_FLAGS);
	return has_segments(packet, layer);
}

static bool derive_tag(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + 6, 2 };
	return has_segments(packet, layer);
}

#define ROW_SEGMENT 0

static const struct rtap_field routing_fields[] = {
	[ROW_SEGMENT] = { "ipv6.routing.srh.addr", "Segment", 0, 128, RTAP_IPV6, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, "RFC 8754, section 2" },
	{ "ipv6.routing.nxt", "Next Header", EXT_NEXT, RTAP_DEC, 0, ip_protocol_names, NULL, NULL },
	{ "ipv6.routing.len", "Length", EXT_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ipv6.routing.len_oct", "Length in Bytes", 0, 16, RTAP_DEC, RTAP_UNPLACED, NULL, derive_bytes, NULL },
	{ "ipv6.routing.type", "Type", ROUTING_TYPE, RTAP_DEC, 0, routing_names, NULL, NULL },
	{ "ipv6.routing.segleft", "Segments Left", ROUTING_LEFT, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ipv6.routing.srh.last_entry", "Last Entry", SEGMENTS_LAST, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_last, "RFC 8754, section 2" },
	{ "ipv6.routing.srh.flags", "Flags", SEGMENTS_FLAGS, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_flags, "RFC 8754, section 2" },
	{ "ipv6.routing.srh.tag", "Tag", SEGMENTS_TAG, RTAP_BYTES, RTAP_SOMETIMES, NULL, derive_tag, "RFC 8754, section 2" },
};

static enum result parse_routing(struct parse *parse)
{
	return parse_extension(parse, PROTOCOL_ROUTING);
}

static void visit_routing(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *header = layer_bytes(packet, layer);
	uint32_t segments;

	if (!has_segments(packet, layer))
		return;
	segments = (uint32_t)bits(header, SEGMENTS_LAST) + 1;
	for (uint32_t offset = EXT_LEAST; segments-- && layer->length >= offset + 16; offset += 16) {
		struct rtap_value value = { .data = { header + offset, 16 } };

		visit_field(visitor, layer, PROTOCOL_ROUTING, ROW_SEGMENT, &value, layer->offset + offset, 16);
	}
}

const struct protocol routing_protocol = {
	.table = { "ipv6.routing", "Routing Header", "RFC 8200, 4.4", 0, FIELDS(routing_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_routing,
	.visit = visit_routing,
	.summary = summary,
};

#define FRAGMENT_LENGTH 8
#define FRAGMENT_NEXT 0, 8
#define FRAGMENT_RESERVED 8, 8
#define FRAGMENT_OFFSET 16, 13
#define FRAGMENT_RESERVED_2 29, 2
#define FRAGMENT_MORE 31, 1
#define FRAGMENT_ID 32, 32

static const struct rtap_field fragment_fields[] = {
	{ "ipv6.fraghdr.nxt", "Next Header", FRAGMENT_NEXT, RTAP_DEC, 0, ip_protocol_names, NULL, NULL },
	{ "ipv6.fraghdr.reserved_octet", "Reserved", FRAGMENT_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "ipv6.fraghdr.offset", "Offset", FRAGMENT_OFFSET, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ipv6.fraghdr.reserved_bits", "Reserved", FRAGMENT_RESERVED_2, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ipv6.fraghdr.more", "More Fragments", FRAGMENT_MORE, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "ipv6.fraghdr.ident", "Identification", FRAGMENT_ID, RTAP_HEX, 0, NULL, NULL, NULL },
};

/* A fragment that is the whole packet is none. RFC 6946. */
static bool is_fragment(const uint8_t *header)
{
	return bits(header, FRAGMENT_OFFSET) || bits(header, FRAGMENT_MORE);
}

static enum result parse_fragment(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_FRAGMENT, FRAGMENT_LENGTH, &header);

	if (result != OK)
		return result;
	if (is_fragment(header))
		ip_begin_fragment(parse, PROTOCOL_FRAGMENT, &(struct rtap_fragment_facts){
			.more = bits(header, FRAGMENT_MORE),
			.protocol = (uint8_t)bits(header, FRAGMENT_NEXT),
			.identification = (uint32_t)bits(header, FRAGMENT_ID),
			.datagram_offset = (uint32_t)bits(header, FRAGMENT_OFFSET) * 8,
		});
	else
		parse->next = ip_protocol((uint8_t)bits(header, FRAGMENT_NEXT));
	return OK;
}

static void summary_fragment(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length >= FRAGMENT_LENGTH && is_fragment(header))
		ip_summary_fragment(packet, layer, bits(header, FRAGMENT_ID), bits(header, FRAGMENT_OFFSET) * 8, line);
	else
		summary(packet, layer, line);
}

const struct protocol fragment_protocol = {
	.table = { "ipv6.fraghdr", "Fragment Header", "RFC 8200, 4.5", FRAGMENT_LENGTH, FIELDS(fragment_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_fragment,
	.summary = summary_fragment,
};

/* The length counts units of four bytes, without the first eight bytes. RFC 4302, section 2. */
#define AH_LENGTH 12
#define AH_NEXT 0, 8
#define AH_UNITS 8, 8
#define AH_RESERVED 16, 16
#define AH_SPI 32, 32
#define AH_SEQUENCE 64, 32

static bool derive_icv(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	if (layer->length <= AH_LENGTH)
		return false;
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + AH_LENGTH, layer->length - AH_LENGTH };
	return true;
}

static const struct rtap_field authentication_fields[] = {
	{ "ah.next_header", "Next Header", AH_NEXT, RTAP_DEC, 0, ip_protocol_names, NULL, NULL },
	{ "ah.length", "Length", AH_UNITS, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ah.reserved", "Reserved", AH_RESERVED, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "ah.spi", "Security Parameters Index", AH_SPI, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "ah.sequence", "Sequence Number", AH_SEQUENCE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ah.icv", "Integrity Check Value", 0, 0, RTAP_BYTES, RTAP_UNPLACED, NULL, derive_icv, NULL },
};

static enum result parse_authentication(struct parse *parse)
{
	uint32_t start = parse_offset(parse), length;
	const uint8_t *header, *icv;
	enum result result = parse_layer(parse, PROTOCOL_AUTHENTICATION, AH_LENGTH, &header);

	if (result != OK)
		return result;
	length = (uint32_t)bits(header, AH_UNITS) * 4 + 8;
	if (length < AH_LENGTH) {
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_TOO_SHORT, start);
		return MALFORMED;
	}
	result = parse_more(parse, length - AH_LENGTH, &icv);
	if (result == OK)
		parse->next = ip_protocol((uint8_t)bits(header, AH_NEXT));
	return result;
}

static void summary_authentication(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length < AH_LENGTH)
		return;
	line_text(line, "AH ");
	summary(packet, layer, line);
}

const struct protocol authentication_protocol = {
	.table = { "ah", "Authentication Header", "RFC 4302, section 2", 0, FIELDS(authentication_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_authentication,
	.summary = summary_authentication,
};
