/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * VLAN tags: the customer's and the service's. IEEE 802.1Q, 9.6.
 */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"

#define TAG_LENGTH 4
#define TAG_PRIORITY 0, 3
#define TAG_DEI 3, 1
#define TAG_ID 4, 12
#define TAG_TYPE 16, 16

static bool derive_type(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), TAG_TYPE);
	return value->number >= ETHERTYPE_LEAST || !value->number;
}

static bool derive_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), TAG_TYPE);
	return value->number && value->number < ETHERTYPE_LEAST;
}

static const struct rtap_field vlan_fields[] = {
	{ "vlan.priority", "Priority", TAG_PRIORITY, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vlan.dei", "Drop Eligible", TAG_DEI, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "vlan.id", "VLAN", TAG_ID, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vlan.etype", "Type", TAG_TYPE, RTAP_HEX, RTAP_SOMETIMES, ethertype_names, derive_type, NULL },
	{ "vlan.len", "Length", TAG_TYPE, RTAP_DEC, RTAP_SOMETIMES | RTAP_IGNORED, NULL, derive_length, NULL },
};

static const struct rtap_field service_vlan_fields[] = {
	{ "ieee8021ad.priority", "Priority", TAG_PRIORITY, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ieee8021ad.dei", "Drop Eligible", TAG_DEI, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ieee8021ad.id", "Service VLAN", TAG_ID, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ieee8021ad.etype", "Type", TAG_TYPE, RTAP_HEX, RTAP_SOMETIMES, ethertype_names, derive_type, NULL },
	{ "ieee8021ad.len", "Length", TAG_TYPE, RTAP_DEC, RTAP_SOMETIMES | RTAP_IGNORED, NULL, derive_length, NULL },
};

static enum result parse_tag(struct parse *parse, uint16_t protocol)
{
	uint32_t start = parse_offset(parse);
	const uint8_t *header;
	enum result result = parse_layer(parse, protocol, TAG_LENGTH, &header);

	if (result == OK)
		ethertype_begin(parse, (uint16_t)bits(header, TAG_TYPE), start + TAG_LENGTH - 2);
	return result;
}

static enum result parse_vlan(struct parse *parse)
{
	return parse_tag(parse, PROTOCOL_VLAN);
}

static enum result parse_service_vlan(struct parse *parse)
{
	return parse_tag(parse, PROTOCOL_SERVICE_VLAN);
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);

	char *begin = line->next;

	if (layer->length < TAG_LENGTH)
		return;
	line_text(line, "vlan ");
	line_dec(line, bits(header, TAG_ID));
	line_char(line, ' ');
	line_spare(line, begin, LINE_SPARE_OUTER);
	ethertype_summary(packet, layer, (uint16_t)bits(header, TAG_TYPE), line);
}

const struct protocol vlan_protocol = {
	.table = { "vlan", "802.1Q Tag", "IEEE 802.1Q, 9.6", TAG_LENGTH, FIELDS(vlan_fields) },
	.parse = parse_vlan,
	.summary = summary,
};

const struct protocol service_vlan_protocol = {
	.table = { "ieee8021ad", "802.1ad Service Tag", "IEEE 802.1Q, 9.6", TAG_LENGTH, FIELDS(service_vlan_fields) },
	.parse = parse_service_vlan,
	.summary = summary,
};
