/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * GRE (RFC 2784; key and sequence number: RFC 2890; routing, no longer sent: RFC 1701), and ERSPAN in it, by which
 * switches mirror what they see (draft-foschiano-erspan-03).
 */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/visit.h"

#define GRE_LENGTH 4
#define GRE_FLAGS 0, 16
#define GRE_HAS_CHECKSUM 0, 1
#define GRE_HAS_ROUTING 1, 1
#define GRE_HAS_KEY 2, 1
#define GRE_HAS_SEQUENCE 3, 1
#define GRE_STRICT 4, 1
#define GRE_RECURSION 5, 3
#define GRE_RESERVED 8, 5
#define GRE_VERSION 13, 3
#define GRE_PROTOCOL 16, 16

#define TYPE_ERSPAN2 0x88be
#define TYPE_ERSPAN3 0x22eb

/* Optional words, in this order. */
enum { ROW_CHECKSUM, ROW_OFFSET, ROW_KEY, ROW_SEQUENCE };

static const struct rtap_field gre_fields[] = {
	[ROW_CHECKSUM] = { "gre.checksum", "Checksum", 0, 16, RTAP_HEX, RTAP_UNPLACED | RTAP_IGNORED, NULL, NULL, NULL },
	[ROW_OFFSET] = { "gre.offset", "Offset", 0, 16, RTAP_DEC, RTAP_UNPLACED, NULL, NULL, "RFC 1701" },
	[ROW_KEY] = { "gre.key", "Key", 0, 32, RTAP_HEX, RTAP_UNPLACED, NULL, NULL, "RFC 2890, 2.1" },
	[ROW_SEQUENCE] = { "gre.sequence_number", "Sequence Number", 0, 32, RTAP_DEC, RTAP_UNPLACED | RTAP_IGNORED, NULL, NULL, "RFC 2890, 2.2" },
	{ "gre.flags_and_version", "Flags and Version", GRE_FLAGS, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "gre.flags.checksum", "Checksum Present", GRE_HAS_CHECKSUM, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "gre.flags.routing", "Routing Present", GRE_HAS_ROUTING, RTAP_BOOL, 0, NULL, NULL, "RFC 1701" },
	{ "gre.flags.key", "Key Present", GRE_HAS_KEY, RTAP_BOOL, 0, NULL, NULL, "RFC 2890, 2.1" },
	{ "gre.flags.sequence_number", "Sequence Number Present", GRE_HAS_SEQUENCE, RTAP_BOOL, 0, NULL, NULL, "RFC 2890, 2.2" },
	{ "gre.flags.strict_source_route", "Strict Source Route", GRE_STRICT, RTAP_BOOL, 0, NULL, NULL, "RFC 1701" },
	{ "gre.flags.recursion_control", "Recursion Control", GRE_RECURSION, RTAP_DEC, 0, NULL, NULL, "RFC 1701" },
	{ "gre.flags.reserved", "Reserved", GRE_RESERVED, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "gre.flags.version", "Version", GRE_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "gre.proto", "Protocol Type", GRE_PROTOCOL, RTAP_HEX, 0, ethertype_names, NULL, NULL },
};

static bool has_checksum(const uint8_t *header)
{
	return bits(header, GRE_HAS_CHECKSUM) || bits(header, GRE_HAS_ROUTING);
}

static uint32_t words_length(const uint8_t *header)
{
	return 4 * (uint32_t)(has_checksum(header) + bits(header, GRE_HAS_KEY) + bits(header, GRE_HAS_SEQUENCE));
}

/* The header's own version decides between types II and III; type I, known by the lack of a sequence number, has none. */
static uint16_t after_erspan(const uint8_t *header, const struct cursor *cursor)
{
	if (bits(header, GRE_PROTOCOL) == TYPE_ERSPAN2 && !bits(header, GRE_HAS_SEQUENCE))
		return PROTOCOL_ETHERNET;
	return cursor->captured && cursor->next[0] >> 4 == 2 ? PROTOCOL_ERSPAN3 : PROTOCOL_ERSPAN2;
}

static uint16_t after_gre(const uint8_t *header, const struct cursor *cursor)
{
	uint16_t protocol = (uint16_t)bits(header, GRE_PROTOCOL);

	/* a routing list follows, and other versions have other layouts */
	if (bits(header, GRE_HAS_ROUTING) || bits(header, GRE_VERSION))
		return PROTOCOL_PAYLOAD;
	if (protocol == TYPE_ERSPAN2 || protocol == TYPE_ERSPAN3)
		return after_erspan(header, cursor);
	return ethertype_protocol(protocol);
}

static enum result parse_gre(struct parse *parse)
{
	const uint8_t *header, *words;
	enum result result = parse_layer(parse, PROTOCOL_GRE, GRE_LENGTH, &header);

	if (result == OK)
		result = parse_more(parse, words_length(header), &words);
	if (result == OK && parse->cursor.wire)
		parse->next = after_gre(header, &parse->cursor);
	return result;
}

static void visit_word(struct rtap_visitor *visitor, const struct rtap_layer *layer, size_t row, uint64_t number,
		       uint32_t offset, uint32_t length)
{
	struct rtap_value value = { .number = number };

	visit_field(visitor, layer, PROTOCOL_GRE, row, &value, layer->offset + offset, length);
}

static void visit_gre(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *header = layer_bytes(packet, layer);
	uint32_t offset = GRE_LENGTH;

	if (layer->length < GRE_LENGTH || layer->length < GRE_LENGTH + words_length(header))
		return;
	if (has_checksum(header)) {
		visit_word(visitor, layer, ROW_CHECKSUM, load16(header + offset), offset, 2);
		visit_word(visitor, layer, ROW_OFFSET, load16(header + offset + 2), offset + 2, 2);
		offset += 4;
	}
	if (bits(header, GRE_HAS_KEY)) {
		visit_word(visitor, layer, ROW_KEY, load32(header + offset), offset, 4);
		offset += 4;
	}
	if (bits(header, GRE_HAS_SEQUENCE))
		visit_word(visitor, layer, ROW_SEQUENCE, load32(header + offset), offset, 4);
}

static void summary_gre(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	const struct rtap_layer *next = layer_after(packet, layer);

	if (layer->length < GRE_LENGTH || (next && (next->protocol == PROTOCOL_ERSPAN2 || next->protocol == PROTOCOL_ERSPAN3)))
		return;
	line_text(line, "GRE ");
	ethertype_summary(packet, layer, (uint16_t)bits(header, GRE_PROTOCOL), line);
}

const struct protocol gre_protocol = {
	.table = { "gre", "Generic Routing Encapsulation", "RFC 2784, section 2", 0, FIELDS(gre_fields) },
	.parse = parse_gre,
	.visit = visit_gre,
	.summary = summary_gre,
};

/* Types II and III begin alike. */
#define ERSPAN_VERSION 0, 4
#define ERSPAN_VLAN 4, 12
#define ERSPAN_COS 16, 3
#define ERSPAN_ENCAPSULATION 19, 2
#define ERSPAN_TRUNCATED 21, 1
#define ERSPAN_SESSION 22, 10

#define ERSPAN2_LENGTH 8
#define ERSPAN2_RESERVED 32, 12
#define ERSPAN2_INDEX 44, 20

#define ERSPAN3_LENGTH 12
#define ERSPAN3_TIMESTAMP 32, 32
#define ERSPAN3_GROUP 64, 16
#define ERSPAN3_HAS_ETHERNET 80, 1
#define ERSPAN3_FRAME_TYPE 81, 5
#define ERSPAN3_HARDWARE 86, 6
#define ERSPAN3_DIRECTION 92, 1
#define ERSPAN3_GRANULARITY 93, 2
#define ERSPAN3_HAS_PLATFORM 95, 1
#define ERSPAN3_PLATFORM_LENGTH 8
#define ERSPAN3_PLATFORM 96, 6
#define ERSPAN3_PLATFORM_INFO 102, 58

#define FRAME_TYPE_ETHERNET 0
#define FRAME_TYPE_IP 2

static const struct rtap_name encapsulation_names[] = {
	{ 0, "no tag" }, { 1, "ISL" }, { 2, "802.1Q" }, { 3, "tag kept" }, { 0, NULL },
};

static const struct rtap_name quality_names[] = {
	{ 0, "good or unknown" }, { 1, "bad CRC" }, { 2, "short" }, { 3, "oversized" }, { 0, NULL },
};

static const struct rtap_name granularity_names[] = {
	{ 0, "100 us" }, { 1, "100 ns" }, { 2, "IEEE 1588" }, { 3, "user-defined" }, { 0, NULL },
};

static const struct rtap_field erspan2_fields[] = {
	{ "erspan.version", "Version", ERSPAN_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.vlan", "VLAN", ERSPAN_VLAN, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.cos", "Class of Service", ERSPAN_COS, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.encap", "Encapsulation", ERSPAN_ENCAPSULATION, RTAP_DEC, 0, encapsulation_names, NULL, NULL },
	{ "erspan.truncated", "Truncated", ERSPAN_TRUNCATED, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.spanid", "Session", ERSPAN_SESSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.reserved", "Reserved", ERSPAN2_RESERVED, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.index", "Port Index", ERSPAN2_INDEX, RTAP_DEC, 0, NULL, NULL, NULL },
};

static const struct rtap_field erspan3_fields[] = {
	{ "erspan.version", "Version", ERSPAN_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.vlan", "VLAN", ERSPAN_VLAN, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.cos", "Class of Service", ERSPAN_COS, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.bso", "Bad, Short, Oversized", ERSPAN_ENCAPSULATION, RTAP_DEC, 0, quality_names, NULL, NULL },
	{ "erspan.truncated", "Truncated", ERSPAN_TRUNCATED, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.spanid", "Session", ERSPAN_SESSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.timestamp", "Time Stamp", ERSPAN3_TIMESTAMP, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.sgt", "Security Group Tag", ERSPAN3_GROUP, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.p", "Holds an Ethernet Frame", ERSPAN3_HAS_ETHERNET, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.ft", "Frame Type", ERSPAN3_FRAME_TYPE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.hw", "Hardware", ERSPAN3_HARDWARE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.direction", "Egress", ERSPAN3_DIRECTION, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "erspan.gra", "Time Stamp Granularity", ERSPAN3_GRANULARITY, RTAP_DEC, 0, granularity_names, NULL, NULL },
	{ "erspan.o", "Platform Header Present", ERSPAN3_HAS_PLATFORM, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.platid", "Platform", ERSPAN3_PLATFORM, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "erspan.platform_info", "Platform Information", ERSPAN3_PLATFORM_INFO, RTAP_HEX, 0, NULL, NULL, NULL },
};

static enum result parse_erspan2(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_ERSPAN2, ERSPAN2_LENGTH, &header);

	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_ETHERNET;
	return result;
}

static uint16_t after_erspan3(const uint8_t *header, const struct cursor *cursor)
{
	if (!cursor->wire)
		return PROTOCOL_NONE;
	switch (bits(header, ERSPAN3_FRAME_TYPE)) {
	case FRAME_TYPE_ETHERNET: return PROTOCOL_ETHERNET;
	case FRAME_TYPE_IP: return cursor->captured && cursor->next[0] >> 4 == 6 ? PROTOCOL_IPV6 : PROTOCOL_IPV4;
	default: return PROTOCOL_PAYLOAD;
	}
}

static enum result parse_erspan3(struct parse *parse)
{
	const uint8_t *header, *platform;
	enum result result = parse_layer(parse, PROTOCOL_ERSPAN3, ERSPAN3_LENGTH, &header);

	if (result == OK && bits(header, ERSPAN3_HAS_PLATFORM))
		result = parse_more(parse, ERSPAN3_PLATFORM_LENGTH, &platform);
	if (result == OK)
		parse->next = after_erspan3(header, &parse->cursor);
	return result;
}

static void summary_erspan(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length < 4)
		return;
	line_text(line, "ERSPAN session ");
	line_dec(line, bits(layer_bytes(packet, layer), ERSPAN_SESSION));
	line_char(line, ' ');
}

const struct protocol erspan2_protocol = {
	.table = { "erspan.ii", "Encapsulated Remote Mirror, Type II", "draft-foschiano-erspan-03, 4.1", ERSPAN2_LENGTH, FIELDS(erspan2_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_erspan2,
	.summary = summary_erspan,
};

const struct protocol erspan3_protocol = {
	.table = { "erspan.iii", "Encapsulated Remote Mirror, Type III", "draft-foschiano-erspan-03, 4.2", 0, FIELDS(erspan3_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_erspan3,
	.summary = summary_erspan,
};
