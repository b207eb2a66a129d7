/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ICMP (RFC 792, path MTU: RFC 1191), ICMPv6 (RFC 4443, neighbours: RFC 4861) and IGMP (RFC 2236).
 * Errors quote the packet concerned: "fragmentation needed" shows which RoCE packets exceeded the MTU.
 */
#include "config.h"

#include "dissect/net/ip.h"
#include "dissect/engine/parse.h"

#define ICMP_LENGTH 8
#define ICMP_TYPE 0, 8
#define ICMP_CODE 8, 8
#define ICMP_CHECKSUM 16, 16
#define ICMP_REST 32, 32
#define ICMP_ID 32, 16
#define ICMP_SEQUENCE 48, 16
#define ICMP_MTU 48, 16

#define ECHO_REPLY 0
#define UNREACHABLE 3
#define SOURCE_QUENCH 4
#define REDIRECT 5
#define ECHO_REQUEST 8
#define TIME_EXCEEDED 11
#define PARAMETER_PROBLEM 12
#define TIMESTAMP_REQUEST 13
#define TIMESTAMP_REPLY 14

#define CODE_FRAGMENTATION_NEEDED 4

static const struct rtap_name icmp_names[] = {
	{ ECHO_REPLY, "echo reply" },
	{ UNREACHABLE, "destination unreachable" },
	{ SOURCE_QUENCH, "source quench" },
	{ REDIRECT, "redirect" },
	{ ECHO_REQUEST, "echo request" },
	{ 9, "router advertisement" },
	{ 10, "router solicitation" },
	{ TIME_EXCEEDED, "time exceeded" },
	{ PARAMETER_PROBLEM, "parameter problem" },
	{ TIMESTAMP_REQUEST, "timestamp request" },
	{ TIMESTAMP_REPLY, "timestamp reply" },
	{ 0, NULL },
};

static const struct rtap_name unreachable_names[] = {
	{ 0, "network unreachable" },
	{ 1, "host unreachable" },
	{ 2, "protocol unreachable" },
	{ 3, "port unreachable" },
	{ CODE_FRAGMENTATION_NEEDED, "fragmentation needed" },
	{ 5, "source route failed" },
	{ 9, "network prohibited" },
	{ 10, "host prohibited" },
	{ 13, "prohibited by a filter" },
	{ 0, NULL },
};

static bool is_echo(uint64_t type)
{
	return type == ECHO_REPLY || type == ECHO_REQUEST || type == TIMESTAMP_REQUEST || type == TIMESTAMP_REPLY;
}

static bool quotes(uint64_t type)
{
	return type == UNREACHABLE || type == SOURCE_QUENCH || type == REDIRECT || type == TIME_EXCEEDED ||
	       type == PARAMETER_PROBLEM;
}

static bool has_mtu(const uint8_t *header)
{
	return bits(header, ICMP_TYPE) == UNREACHABLE && bits(header, ICMP_CODE) == CODE_FRAGMENTATION_NEEDED;
}

static bool derive_id(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = layer_bytes(packet, layer);

	value->number = bits(header, ICMP_ID);
	return is_echo(bits(header, ICMP_TYPE));
}

static bool derive_sequence(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = layer_bytes(packet, layer);

	value->number = bits(header, ICMP_SEQUENCE);
	return is_echo(bits(header, ICMP_TYPE));
}

static bool derive_mtu(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = layer_bytes(packet, layer);

	value->number = bits(header, ICMP_MTU);
	return has_mtu(header);
}

static bool derive_gateway(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = layer_bytes(packet, layer);

	value->data = (struct rtap_span){ header + 4, 4 };
	return bits(header, ICMP_TYPE) == REDIRECT;
}

/* Unused bytes of an error. */
static bool derive_unused(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = layer_bytes(packet, layer);

	value->data = (struct rtap_span){ header + 4, 4 };
	if (has_mtu(header))
		value->data.length = 2;
	if (bits(header, ICMP_TYPE) == PARAMETER_PROBLEM)
		value->data = (struct rtap_span){ header + 6, 2 };
	return quotes(bits(header, ICMP_TYPE)) && bits(header, ICMP_TYPE) != REDIRECT;
}

static const struct rtap_field icmp_fields[] = {
	{ "icmp.type", "Type", ICMP_TYPE, RTAP_DEC, 0, icmp_names, NULL, NULL },
	{ "icmp.code", "Code", ICMP_CODE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "icmp.checksum", "Checksum", ICMP_CHECKSUM, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "icmp.unused", "Unused", ICMP_REST, RTAP_BYTES, RTAP_SOMETIMES, NULL, derive_unused, NULL },
	{ "icmp.redir_gw", "Gateway", ICMP_REST, RTAP_IPV4, RTAP_SOMETIMES, NULL, derive_gateway, NULL },
	{ "icmp.ident", "Identifier", ICMP_ID, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_id, NULL },
	{ "icmp.seq", "Sequence Number", ICMP_SEQUENCE, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_sequence, NULL },
	{ "icmp.mtu", "MTU of Next Hop", ICMP_MTU, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_mtu, "RFC 1191, section 4" },
};

/* An error quotes the beginning of a packet: its end is not an anomaly. */
static void begin_body(struct parse *parse, bool is_quote, unsigned version)
{
	if (is_quote && !parse->quoted && parse->cursor.captured && parse->cursor.next[0] >> 4 == version) {
		parse->quoted = true;
		parse->next = version == 4 ? PROTOCOL_IPV4 : PROTOCOL_IPV6;
	} else {
		parse->next = PROTOCOL_PAYLOAD;
	}
}

static enum result parse_icmp(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_ICMP, ICMP_LENGTH, &header);

	if (result == OK)
		begin_body(parse, quotes(bits(header, ICMP_TYPE)), 4);
	return result;
}

static void summary_number(struct line *line, const char *text, uint64_t number)
{
	line_text(line, text);
	line_dec(line, number);
}

/* The name of a type, or the numbers of type and code. */
static void summary_type(const uint8_t *header, const char *name, struct line *line)
{
	if (name) {
		line_text(line, name);
	} else {
		summary_number(line, "type ", bits(header, ICMP_TYPE));
		summary_number(line, " code ", bits(header, ICMP_CODE));
	}
}

static void summary_quote(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);

	if (next && (next->protocol == PROTOCOL_IPV4 || next->protocol == PROTOCOL_IPV6))
		line_text(line, " for ");
}

static void summary_icmp(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	const char *name = NULL;

	line_text(line, "ICMP ");
	if (layer->length < ICMP_LENGTH)
		return;
	if (bits(header, ICMP_TYPE) == UNREACHABLE)
		name = rtap_name_of(unreachable_names, bits(header, ICMP_CODE));
	if (!name)
		name = rtap_name_of(icmp_names, bits(header, ICMP_TYPE));
	summary_type(header, name, line);
	if (is_echo(bits(header, ICMP_TYPE))) {
		summary_number(line, " id ", bits(header, ICMP_ID));
		summary_number(line, " seq ", bits(header, ICMP_SEQUENCE));
	}
	if (has_mtu(header))
		summary_number(line, " mtu ", bits(header, ICMP_MTU));
	summary_quote(packet, layer, line);
}

const struct protocol icmp_protocol = {
	.table = { "icmp", "Internet Control Message Protocol", "RFC 792", ICMP_LENGTH, FIELDS(icmp_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_icmp,
	.summary = summary_icmp,
};

#define V6_UNREACHABLE 1
#define V6_TOO_BIG 2
#define V6_TIME_EXCEEDED 3
#define V6_PARAMETER_PROBLEM 4
#define V6_ECHO_REQUEST 128
#define V6_ECHO_REPLY 129
#define V6_SOLICITATION 135
#define V6_ADVERTISEMENT 136

#define V6_TARGET 64, 128
#define V6_TARGET_LENGTH 16

static const struct rtap_name icmpv6_names[] = {
	{ V6_UNREACHABLE, "destination unreachable" },
	{ V6_TOO_BIG, "packet too big" },
	{ V6_TIME_EXCEEDED, "time exceeded" },
	{ V6_PARAMETER_PROBLEM, "parameter problem" },
	{ V6_ECHO_REQUEST, "echo request" },
	{ V6_ECHO_REPLY, "echo reply" },
	{ 130, "multicast listener query" },
	{ 131, "multicast listener report" },
	{ 132, "multicast listener done" },
	{ 133, "router solicitation" },
	{ 134, "router advertisement" },
	{ V6_SOLICITATION, "neighbor solicitation" },
	{ V6_ADVERTISEMENT, "neighbor advertisement" },
	{ 137, "redirect" },
	{ 143, "multicast listener report v2" },
	{ 0, NULL },
};

static const struct rtap_name v6_unreachable_names[] = {
	{ 0, "no route" }, { 1, "prohibited" }, { 2, "beyond scope" }, { 3, "address unreachable" }, { 4, "port unreachable" },
	{ 5, "source address refused" }, { 6, "route refused" }, { 0, NULL },
};

static uint64_t type_of(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return bits(layer_bytes(packet, layer), ICMP_TYPE);
}

static bool is_v6_echo(uint64_t type)
{
	return type == V6_ECHO_REQUEST || type == V6_ECHO_REPLY;
}

static bool derive_v6_id(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), ICMP_ID);
	return is_v6_echo(type_of(packet, layer));
}

static bool derive_v6_sequence(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), ICMP_SEQUENCE);
	return is_v6_echo(type_of(packet, layer));
}

static bool derive_v6_mtu(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), ICMP_REST);
	return type_of(packet, layer) == V6_TOO_BIG;
}

static bool derive_v6_pointer(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), ICMP_REST);
	return type_of(packet, layer) == V6_PARAMETER_PROBLEM;
}

static bool derive_v6_reserved(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	uint64_t type = type_of(packet, layer);

	value->data = (struct rtap_span){ layer_bytes(packet, layer) + 4, 4 };
	return type == V6_UNREACHABLE || type == V6_TIME_EXCEEDED || type == V6_SOLICITATION;
}

static bool derive_solicited(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + ICMP_LENGTH, V6_TARGET_LENGTH };
	return type_of(packet, layer) == V6_SOLICITATION;
}

static bool derive_advertised(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + ICMP_LENGTH, V6_TARGET_LENGTH };
	return type_of(packet, layer) == V6_ADVERTISEMENT;
}

static const struct rtap_field icmpv6_fields[] = {
	{ "icmpv6.type", "Type", ICMP_TYPE, RTAP_DEC, 0, icmpv6_names, NULL, NULL },
	{ "icmpv6.code", "Code", ICMP_CODE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "icmpv6.checksum", "Checksum", ICMP_CHECKSUM, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "icmpv6.reserved", "Reserved", ICMP_REST, RTAP_BYTES, RTAP_SOMETIMES, NULL, derive_v6_reserved, NULL },
	{ "icmpv6.mtu", "MTU", ICMP_REST, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_v6_mtu, "RFC 4443, 3.2" },
	{ "icmpv6.pointer", "Pointer", ICMP_REST, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_v6_pointer, "RFC 4443, 3.4" },
	{ "icmpv6.echo.identifier", "Identifier", ICMP_ID, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_v6_id, "RFC 4443, 4.1" },
	{ "icmpv6.echo.sequence_number", "Sequence Number", ICMP_SEQUENCE, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_v6_sequence, "RFC 4443, 4.1" },
	{ "icmpv6.nd.ns.target_address", "Target Address", V6_TARGET, RTAP_IPV6, RTAP_SOMETIMES, NULL, derive_solicited, "RFC 4861, 4.3" },
	{ "icmpv6.nd.na.target_address", "Target Address", V6_TARGET, RTAP_IPV6, RTAP_SOMETIMES, NULL, derive_advertised, "RFC 4861, 4.4" },
};

static enum result parse_icmpv6(struct parse *parse)
{
	const uint8_t *header, *target;
	enum result result = parse_layer(parse, PROTOCOL_ICMPV6, ICMP_LENGTH, &header);
	uint64_t type;

	if (result != OK)
		return result;
	type = bits(header, ICMP_TYPE);
	if (type == V6_SOLICITATION || type == V6_ADVERTISEMENT)
		result = parse_more(parse, V6_TARGET_LENGTH, &target);
	if (result == OK)
		begin_body(parse, type >= V6_UNREACHABLE && type <= V6_PARAMETER_PROBLEM, 6);
	return result;
}

static void summary_icmpv6(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	const char *name = NULL;
	struct rtap_value value;

	line_text(line, "ICMPv6 ");
	if (layer->length < ICMP_LENGTH)
		return;
	if (bits(header, ICMP_TYPE) == V6_UNREACHABLE)
		name = rtap_name_of(v6_unreachable_names, bits(header, ICMP_CODE));
	if (!name)
		name = rtap_name_of(icmpv6_names, bits(header, ICMP_TYPE));
	summary_type(header, name, line);
	if (is_v6_echo(bits(header, ICMP_TYPE))) {
		summary_number(line, " id ", bits(header, ICMP_ID));
		summary_number(line, " seq ", bits(header, ICMP_SEQUENCE));
	}
	if (derive_v6_mtu(packet, layer, &value))
		summary_number(line, " mtu ", value.number);
	if (layer->length >= ICMP_LENGTH + V6_TARGET_LENGTH) {
		line_char(line, ' ');
		line_ipv6(line, header + ICMP_LENGTH);
	}
	summary_quote(packet, layer, line);
}

const struct protocol icmpv6_protocol = {
	.table = { "icmpv6", "Internet Control Message Protocol v6", "RFC 4443, 2.1", ICMP_LENGTH, FIELDS(icmpv6_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_icmpv6,
	.summary = summary_icmpv6,
};

#define IGMP_LENGTH 8
#define IGMP_TYPE 0, 8
#define IGMP_MAX_RESPONSE 8, 8
#define IGMP_CHECKSUM 16, 16
#define IGMP_GROUP 32, 32

#define IGMP_V3_REPORT 0x22

static const struct rtap_name igmp_names[] = {
	{ 0x11, "query" }, { 0x12, "report v1" }, { 0x16, "report v2" }, { 0x17, "leave" }, { IGMP_V3_REPORT, "report v3" }, { 0, NULL },
};

static bool derive_group(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + 4, 4 };
	return bits(layer_bytes(packet, layer), IGMP_TYPE) != IGMP_V3_REPORT;
}

static const struct rtap_field igmp_fields[] = {
	{ "igmp.type", "Type", IGMP_TYPE, RTAP_HEX, 0, igmp_names, NULL, NULL },
	{ "igmp.max_resp", "Maximum Response Time", IGMP_MAX_RESPONSE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "igmp.checksum", "Checksum", IGMP_CHECKSUM, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "igmp.maddr", "Group Address", IGMP_GROUP, RTAP_IPV4, RTAP_SOMETIMES, NULL, derive_group, NULL },
};

static enum result parse_igmp(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_IGMP, IGMP_LENGTH, &header);

	parse->next = PROTOCOL_PAYLOAD;
	return result;
}

static void summary_igmp(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	const char *name;

	line_text(line, "IGMP ");
	if (layer->length < IGMP_LENGTH)
		return;
	name = rtap_name_of(igmp_names, bits(header, IGMP_TYPE));
	if (name) {
		line_text(line, name);
	} else {
		line_text(line, "type ");
		line_hex(line, bits(header, IGMP_TYPE), 2);
	}
	if (bits(header, IGMP_TYPE) != IGMP_V3_REPORT) {
		line_char(line, ' ');
		line_ipv4(line, header + 4);
	}
}

const struct protocol igmp_protocol = {
	.table = { "igmp", "Internet Group Management Protocol", "RFC 2236, section 2", IGMP_LENGTH, FIELDS(igmp_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_igmp,
	.summary = summary_igmp,
};
