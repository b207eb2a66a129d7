/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Overlays over UDP, in which RoCE travels too: VXLAN (RFC 7348), its generic extension VXLAN-GPE (draft-ietf-nvo3-vxlan-gpe-13) and GENEVE
 * (RFC 8926).
 */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"
#include "dissect/engine/visit.h"
#include "dissect/net/next_protocol.h"

#define VXLAN_LENGTH 8
#define VXLAN_FLAGS 0, 16
#define VXLAN_GROUP_POLICY 0, 1
#define VXLAN_RESERVED_1 1, 3
#define VXLAN_VALID_VNI 4, 1
#define VXLAN_RESERVED_5 5, 4
#define VXLAN_DONT_LEARN 9, 1
#define VXLAN_RESERVED_10 10, 2
#define VXLAN_APPLIED 12, 1
#define VXLAN_RESERVED_13 13, 3
#define VXLAN_GROUP 16, 16
#define VXLAN_VNI 32, 24
#define VXLAN_RESERVED 56, 8

#define POLICY "draft-smith-vxlan-group-policy-05, 2.1"

static const struct rtap_field vxlan_fields[] = {
	{ "vxlan.flags", "Flags", VXLAN_FLAGS, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "vxlan.flag_g", "Group Policy", VXLAN_GROUP_POLICY, RTAP_BOOL, 0, NULL, NULL, POLICY },
	{ "vxlan.flags.reserved1", "Reserved", VXLAN_RESERVED_1, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vxlan.flag_i", "VNI Valid", VXLAN_VALID_VNI, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "vxlan.flags.reserved5", "Reserved", VXLAN_RESERVED_5, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vxlan.flag_d", "Don't Learn", VXLAN_DONT_LEARN, RTAP_BOOL, 0, NULL, NULL, POLICY },
	{ "vxlan.flags.reserved10", "Reserved", VXLAN_RESERVED_10, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vxlan.flag_a", "Policy Applied", VXLAN_APPLIED, RTAP_BOOL, 0, NULL, NULL, POLICY },
	{ "vxlan.flags.reserved13", "Reserved", VXLAN_RESERVED_13, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vxlan.gbp", "Group Policy ID", VXLAN_GROUP, RTAP_DEC, 0, NULL, NULL, POLICY },
	{ "vxlan.vni", "Network Identifier", VXLAN_VNI, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vxlan.reserved8", "Reserved", VXLAN_RESERVED, RTAP_DEC, 0, NULL, NULL, NULL },
};

static enum result parse_vxlan(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_VXLAN, VXLAN_LENGTH, &header);

	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_ETHERNET;
	return result;
}

static void summary_vni(struct line *line, const char *name, uint64_t vni)
{
	line_text(line, name);
	line_dec(line, vni);
	line_char(line, ' ');
}

static void summary_vxlan(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length == VXLAN_LENGTH)
		summary_vni(line, "VXLAN vni ", bits(layer_bytes(packet, layer), VXLAN_VNI));
}

const struct protocol vxlan_protocol = {
	.table = { "vxlan", "Virtual Extensible LAN", "RFC 7348, section 5", VXLAN_LENGTH, FIELDS(vxlan_fields) },
	.parse = parse_vxlan,
	.summary = summary_vxlan,
};

#define GPE_FLAGS 0, 8
#define GPE_RESERVED_0 0, 2
#define GPE_VERSION 2, 2
#define GPE_VALID_VNI 4, 1
#define GPE_HAS_NEXT 5, 1
#define GPE_BROADCAST 6, 1
#define GPE_OAM 7, 1
#define GPE_RESERVED_8 8, 16
#define GPE_NEXT 24, 8

static const struct rtap_field vxlan_gpe_fields[] = {
	{ "vxlan.flags", "Flags", GPE_FLAGS, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "vxlan.flags.reserved0", "Reserved", GPE_RESERVED_0, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vxlan.ver", "Version", GPE_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vxlan.i_bit", "VNI Valid", GPE_VALID_VNI, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vxlan.p_bit", "Next Protocol Valid", GPE_HAS_NEXT, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vxlan.b_bit", "Replicated by Ingress", GPE_BROADCAST, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vxlan.o_bit", "OAM", GPE_OAM, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vxlan.reserved_16", "Reserved", GPE_RESERVED_8, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vxlan.next_proto", "Next Protocol", GPE_NEXT, RTAP_DEC, 0, next_protocol_names, NULL, NULL },
	{ "vxlan.vni", "Network Identifier", VXLAN_VNI, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vxlan.reserved8", "Reserved", VXLAN_RESERVED, RTAP_DEC, 0, NULL, NULL, NULL },
};

/* Without a next protocol it is a frame, as in VXLAN. */
static enum result parse_vxlan_gpe(struct parse *parse)
{
	uint32_t start = parse_offset(parse);
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_VXLAN_GPE, VXLAN_LENGTH, &header);

	if (result == OK && bits(header, GPE_VERSION)) {
		parse_anomaly(parse, RTAP_ANOMALY_BAD_VERSION, start);
		result = MALFORMED;
	}
	if (result == OK && parse->cursor.wire)
		parse->next = bits(header, GPE_HAS_NEXT) ? next_protocol((uint8_t)bits(header, GPE_NEXT)) : PROTOCOL_ETHERNET;
	return result;
}

static void summary_vxlan_gpe(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);
	char *begin = line->next;

	if (layer->length < VXLAN_LENGTH)
		return;
	summary_vni(line, "VXLAN-GPE vni ", bits(layer_bytes(packet, layer), VXLAN_VNI));
	line_spare(line, begin, LINE_SPARE_OUTER);
	if (next && next->protocol == PROTOCOL_PAYLOAD) {
		line_text(line, "next ");
		line_dec(line, bits(layer_bytes(packet, layer), GPE_NEXT));
		payload_summary_length(packet, next, line);
	}
}

const struct protocol vxlan_gpe_protocol = {
	.table = { "vxlan_gpe", "Virtual Extensible LAN, Generic", "draft-ietf-nvo3-vxlan-gpe-13, 3.1", VXLAN_LENGTH, FIELDS(vxlan_gpe_fields) },
	.parse = parse_vxlan_gpe,
	.summary = summary_vxlan_gpe,
};

#define GENEVE_LENGTH 8
#define GENEVE_VERSION 0, 2
#define GENEVE_OPTIONS 2, 6
#define GENEVE_FLAGS 8, 8
#define GENEVE_OAM 8, 1
#define GENEVE_CRITICAL 9, 1
#define GENEVE_RESERVED 10, 6
#define GENEVE_PROTOCOL 16, 16
#define GENEVE_VNI 32, 24
#define GENEVE_RESERVED_2 56, 8

/* An option header: the length is that of the data after it, in units of four bytes. RFC 8926, 3.5. */
#define OPTION_LENGTH 4
#define OPTION_CLASS 0, 16
#define OPTION_TYPE 16, 8
#define OPTION_CRITICAL 16, 1
#define OPTION_RESERVED 24, 3
#define OPTION_UNITS 27, 5

static bool derive_flags_reserved(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), GENEVE_RESERVED) != 0;
	return true;
}

static bool derive_options(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	if (layer->length <= GENEVE_LENGTH)
		return false;
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + GENEVE_LENGTH, layer->length - GENEVE_LENGTH };
	return true;
}

enum { ROW_OPTION_LENGTH, ROW_OPTION, ROW_CLASS, ROW_TYPE, ROW_CRITICAL, ROW_RESERVED, ROW_DATA };

#define OPTION RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, "RFC 8926, 3.5"

static const struct rtap_field geneve_fields[] = {
	/* of all options together, then of each */
	[ROW_OPTION_LENGTH] = { "geneve.option.length", "Options Length", GENEVE_OPTIONS, RTAP_DEC, RTAP_IGNORED | OPTION },
	[ROW_OPTION] = { "geneve.option", "Option", 0, 0, RTAP_BYTES, OPTION },
	[ROW_CLASS] = { "geneve.option.class", "Option Class", 0, 16, RTAP_HEX, RTAP_IGNORED | OPTION },
	[ROW_TYPE] = { "geneve.option.type", "Option Type", 0, 8, RTAP_HEX, RTAP_IGNORED | OPTION },
	[ROW_CRITICAL] = { "geneve.option.type.critical", "Critical", 0, 1, RTAP_BOOL, RTAP_IGNORED | OPTION },
	[ROW_RESERVED] = { "geneve.option.flags.reserved", "Reserved", 0, 3, RTAP_BOOL, RTAP_IGNORED | OPTION },
	[ROW_DATA] = { "geneve.option.unknown.data", "Option Data", 0, 0, RTAP_BYTES, OPTION },
	{ "geneve.version", "Version", GENEVE_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "geneve.flags", "Flags", GENEVE_FLAGS, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "geneve.flags.oam", "Control Packet", GENEVE_OAM, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "geneve.flags.critical", "Critical Options Present", GENEVE_CRITICAL, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "geneve.flags.reserved", "Reserved", GENEVE_RESERVED, RTAP_BOOL, 0, NULL, derive_flags_reserved, NULL },
	{ "geneve.proto_type", "Protocol Type", GENEVE_PROTOCOL, RTAP_HEX, 0, ethertype_names, NULL, NULL },
	{ "geneve.vni", "Network Identifier", GENEVE_VNI, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "geneve.reserved", "Reserved", GENEVE_RESERVED_2, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "geneve.options", "Options", 0, 0, RTAP_BYTES, RTAP_UNPLACED, NULL, derive_options, NULL },
};

static enum result parse_geneve(struct parse *parse)
{
	uint32_t start = parse_offset(parse);
	const uint8_t *header, *options;
	enum result result = parse_layer(parse, PROTOCOL_GENEVE, GENEVE_LENGTH, &header);

	if (result != OK)
		return result;
	if (bits(header, GENEVE_VERSION)) {
		parse_anomaly(parse, RTAP_ANOMALY_BAD_VERSION, start);
		return MALFORMED;
	}
	result = parse_more(parse, (uint32_t)bits(header, GENEVE_OPTIONS) * 4, &options);
	if (result == OK && parse->cursor.wire)
		parse->next = ethertype_protocol((uint16_t)bits(header, GENEVE_PROTOCOL));
	return result;
}

static void visit_number(struct rtap_visitor *visitor, const struct rtap_layer *layer, size_t row, uint64_t number,
			 uint32_t offset, uint32_t length)
{
	struct rtap_value value = { .number = number };

	visit_field(visitor, layer, PROTOCOL_GENEVE, row, &value, layer->offset + offset, length);
}

static void visit_bytes(struct rtap_visitor *visitor, const struct rtap_layer *layer, size_t row, const uint8_t *bytes,
			uint32_t offset, uint32_t length)
{
	struct rtap_value value = { .data = { bytes, length } };

	if (length)
		visit_field(visitor, layer, PROTOCOL_GENEVE, row, &value, layer->offset + offset, length);
}

static void visit_geneve(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *header = layer_bytes(packet, layer);
	uint32_t offset = GENEVE_LENGTH, length;

	if (layer->length < GENEVE_LENGTH)
		return;
	visit_number(visitor, layer, ROW_OPTION_LENGTH, bits(header, GENEVE_OPTIONS) * 4, 0, 1);
	for (; layer->length >= offset + OPTION_LENGTH; offset += length) {
		const uint8_t *option = header + offset;

		length = OPTION_LENGTH + (uint32_t)bits(option, OPTION_UNITS) * 4;
		if (length > layer->length - offset)
			return;
		visit_bytes(visitor, layer, ROW_OPTION, option, offset, length);
		visit_number(visitor, layer, ROW_CLASS, bits(option, OPTION_CLASS), offset, 2);
		visit_number(visitor, layer, ROW_TYPE, bits(option, OPTION_TYPE), offset + 2, 1);
		visit_number(visitor, layer, ROW_CRITICAL, bits(option, OPTION_CRITICAL), offset + 2, 1);
		visit_number(visitor, layer, ROW_RESERVED, bits(option, OPTION_RESERVED) != 0, offset + 3, 1);
		visit_number(visitor, layer, ROW_OPTION_LENGTH, length, offset + 3, 1);
		visit_bytes(visitor, layer, ROW_DATA, option + OPTION_LENGTH, offset + OPTION_LENGTH, length - OPTION_LENGTH);
	}
}

static void summary_geneve(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < GENEVE_LENGTH)
		return;
	summary_vni(line, "GENEVE vni ", bits(header, GENEVE_VNI));
	ethertype_summary(packet, layer, (uint16_t)bits(header, GENEVE_PROTOCOL), line);
}

const struct protocol geneve_protocol = {
	.table = { "geneve", "Generic Network Virtualization Encapsulation", "RFC 8926, 3.4", 0, FIELDS(geneve_fields) },
	.parse = parse_geneve,
	.visit = visit_geneve,
	.summary = summary_geneve,
};
