/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * PPP over Ethernet (RFC 2516, section 4), in its session stage, and the protocol field of PPP (RFC 1661, section 2).
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"

#define PPPOE_LENGTH 6
#define PPPOE_VERSION 0, 4
#define PPPOE_TYPE 4, 4
#define PPPOE_CODE 8, 8
#define PPPOE_SESSION 16, 16
#define PPPOE_PAYLOAD 32, 16

#define CODE_SESSION 0

static const struct rtap_field pppoe_fields[] = {
	{ "pppoe.version", "Version", PPPOE_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "pppoe.type", "Type", PPPOE_TYPE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "pppoe.code", "Code", PPPOE_CODE, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "pppoe.session_id", "Session", PPPOE_SESSION, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "pppoe.payload_length", "Payload Length", PPPOE_PAYLOAD, RTAP_DEC, 0, NULL, NULL, NULL },
};

static enum result parse_pppoe(struct parse *parse)
{
	uint32_t start = parse_offset(parse);
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_PPPOE, PPPOE_LENGTH, &header);

	if (result != OK)
		return result;
	parse_narrow(parse, (uint32_t)bits(header, PPPOE_PAYLOAD), start + PPPOE_LENGTH - 2);
	parse->next = bits(header, PPPOE_CODE) == CODE_SESSION ? PROTOCOL_PPP : PROTOCOL_PAYLOAD;
	return OK;
}

static void summary_pppoe(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	char *begin = line->next;

	if (layer->length < PPPOE_LENGTH)
		return;
	line_text(line, "PPPoE ");
	line_hex(line, bits(layer_bytes(packet, layer), PPPOE_SESSION), 4);
	line_char(line, ' ');
	line_spare(line, begin, LINE_SPARE_OUTER);
}

const struct protocol pppoe_protocol = {
	.table = { "pppoe", "PPP over Ethernet Session", "RFC 2516, section 4", PPPOE_LENGTH, FIELDS(pppoe_fields) },
	.parse = parse_pppoe,
	.summary = summary_pppoe,
};

/* Assigned numbers are odd, and those of one byte, if the peers agreed to compress them, too. RFC 1661, section 2 and 6.5. */
#define IS_WHOLE_PROTOCOL 7, 1

static const struct rtap_name ppp_names[] = {
	{ 0x0021, "IPv4" }, { 0x0057, "IPv6" }, { 0x0281, "MPLS" }, { 0x0283, "MPLS, upstream-assigned label" }, { 0x8021, "IPCP" },
	{ 0x8057, "IPv6CP" }, { 0xc021, "LCP" }, { 0xc023, "PAP" }, { 0xc223, "CHAP" }, { 0, NULL },
};

static uint16_t number_of(const uint8_t *header, uint32_t length)
{
	return length == 1 ? header[0] : load16(header);
}

static bool derive_protocol(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (!layer->length || (layer->length == 1 && !bits(header, IS_WHOLE_PROTOCOL)))
		return false;
	value->number = number_of(header, layer->length);
	return true;
}

static const struct rtap_field ppp_fields[] = {
	{ "ppp.protocol", "Protocol", 0, 16, RTAP_HEX, RTAP_UNPLACED, ppp_names, derive_protocol, NULL },
};

static uint16_t after_ppp(uint16_t number)
{
	switch (number) {
	case 0x0021: return PROTOCOL_IPV4;
	case 0x0057: return PROTOCOL_IPV6;
	case 0x0281:
	case 0x0283: return PROTOCOL_MPLS;
	default: return PROTOCOL_PAYLOAD;
	}
}

static enum result parse_ppp(struct parse *parse)
{
	const uint8_t *header, *second;
	enum result result = parse_layer(parse, PROTOCOL_PPP, 1, &header);
	bool is_long = result == OK && !bits(header, IS_WHOLE_PROTOCOL);

	if (is_long)
		result = parse_more(parse, 1, &second);
	if (result == OK)
		parse->next = after_ppp(number_of(header, 1 + is_long));
	return result;
}

static void summary_ppp(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);
	struct rtap_value value;
	const char *name;

	if ((next && next->protocol != PROTOCOL_PAYLOAD) || !derive_protocol(packet, layer, &value))
		return;
	name = rtap_name_of(ppp_names, value.number);
	if (name) {
		line_text(line, name);
	} else {
		line_text(line, "PPP protocol ");
		line_hex(line, value.number, 4);
	}
	payload_summary_length(packet, next, line);
}

const struct protocol ppp_protocol = {
	.table = { "ppp", "Point-to-Point Protocol", "RFC 1661, section 2", 0, FIELDS(ppp_fields) },
	.parse = parse_ppp,
	.summary = summary_ppp,
};
