/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ethernet. IEEE 802.3, 3.1.1.
 */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/engine/parse.h"

#define ETH_LENGTH 14
#define ETH_DST 0, 48
#define ETH_SRC 48, 48
#define ETH_TYPE 96, 16

/* The last two bytes are a length up to 1500 and a type from 1536 on. IEEE 802.3, 3.2.6. */
static bool derive_between(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value,
			   uint64_t least, uint64_t greatest)
{
	value->number = bits(layer_bytes(packet, layer), ETH_TYPE);
	return value->number >= least && value->number <= greatest;
}

static bool derive_type(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_between(packet, layer, value, ETHERTYPE_LEAST, 0xffff) || !value->number;
}

static bool derive_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_between(packet, layer, value, 1, 1500);
}

static bool derive_invalid(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_between(packet, layer, value, 1501, ETHERTYPE_LEAST - 1);
}

static const struct rtap_field ethernet_fields[] = {
	{ "eth.dst", "Destination", ETH_DST, RTAP_ETHER, 0, NULL, NULL, NULL },
	{ "eth.src", "Source", ETH_SRC, RTAP_ETHER, 0, NULL, NULL, NULL },
	{ "eth.type", "Type", ETH_TYPE, RTAP_HEX, RTAP_SOMETIMES | RTAP_OWN_BYTES, ethertype_names, derive_type, NULL },
	{ "eth.len", "Length", ETH_TYPE, RTAP_DEC, RTAP_SOMETIMES | RTAP_OWN_BYTES, NULL, derive_length, NULL },
	{ "eth.invalid_lentype", "Invalid Length or Type", ETH_TYPE, RTAP_HEX, RTAP_SOMETIMES | RTAP_OWN_BYTES, NULL, derive_invalid, NULL },
};

static enum result parse(struct parse *parse)
{
	uint32_t start = parse_offset(parse);
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_ETHERNET, ETH_LENGTH, &header);

	if (result == OK)
		ethertype_begin(parse, (uint16_t)bits(header, ETH_TYPE), start + ETH_LENGTH - 2);
	return result;
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < ETH_LENGTH || ethertype_is_network(packet, layer))
		return;
	line->ends_begin = line->next;
	line_hex_bytes(line, header + 6, 6, ':');
	line_text(line, " > ");
	line_hex_bytes(line, header, 6, ':');
	line_char(line, ' ');
	line->after_ends = line->next;
	ethertype_summary(packet, layer, (uint16_t)bits(header, ETH_TYPE), line);
}

const struct protocol ethernet_protocol = {
	.table = { "eth", "Ethernet", "IEEE 802.3, 3.1.1", ETH_LENGTH, FIELDS(ethernet_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse,
	.summary = summary,
};
