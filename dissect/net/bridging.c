/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ethernet frames that are carried between bridges, by routing bridges (TRILL, RFC 6325, section 3; options: RFC 7179) and in IP (EtherIP,
 * RFC 3378, section 3).
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"

#define TRILL_LENGTH 6
#define TRILL_VERSION 0, 2
#define TRILL_RESERVED 2, 2
#define TRILL_MULTI 4, 1
#define TRILL_OPTION_WORDS 5, 5
#define TRILL_HOPS 10, 6
#define TRILL_EGRESS 16, 16
#define TRILL_INGRESS 32, 16

static bool derive_options(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	if (layer->length <= TRILL_LENGTH)
		return false;
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + TRILL_LENGTH, layer->length - TRILL_LENGTH };
	return true;
}

static const struct rtap_field trill_fields[] = {
	{ "trill.version", "Version", TRILL_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "trill.reserved", "Reserved", TRILL_RESERVED, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "trill.multi_dst", "Multi-destination", TRILL_MULTI, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "trill.op_len", "Length of Options in Words", TRILL_OPTION_WORDS, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "trill.hop_cnt", "Hop Count", TRILL_HOPS, RTAP_DEC, RTAP_COMPARED, NULL, NULL, NULL },
	{ "trill.egress_nick", "Egress", TRILL_EGRESS, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "trill.ingress_nick", "Ingress", TRILL_INGRESS, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "trill.options", "Options", 0, 0, RTAP_BYTES, RTAP_UNPLACED, NULL, derive_options, "RFC 7179" },
};

static enum result parse_trill(struct parse *parse)
{
	uint32_t start = parse_offset(parse);
	const uint8_t *header, *options;
	enum result result = parse_layer(parse, PROTOCOL_TRILL, TRILL_LENGTH, &header);

	if (result == OK && bits(header, TRILL_VERSION)) {
		parse_anomaly(parse, RTAP_ANOMALY_BAD_VERSION, start);
		result = MALFORMED;
	}
	if (result == OK)
		result = parse_more(parse, (uint32_t)bits(header, TRILL_OPTION_WORDS) * 4, &options);
	if (result == OK)
		parse->next = PROTOCOL_ETHERNET;
	return result;
}

static void summary_trill(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	char *begin = line->next;

	if (layer->length < TRILL_LENGTH)
		return;
	line_text(line, "trill ");
	line_dec(line, bits(header, TRILL_INGRESS));
	line_text(line, " > ");
	line_dec(line, bits(header, TRILL_EGRESS));
	line_char(line, ' ');
	line_spare(line, begin, LINE_SPARE_OUTER);
}

const struct protocol trill_protocol = {
	.table = { "trill", "TRILL", "RFC 6325, section 3", 0, FIELDS(trill_fields) },
	.parse = parse_trill,
	.summary = summary_trill,
};

#define ETHERIP_LENGTH 2
#define ETHERIP_VERSION 0, 4
#define ETHERIP_RESERVED 4, 12

#define VERSION_3 3

static const struct rtap_field etherip_fields[] = {
	{ "etherip.ver", "Version", ETHERIP_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "etherip.reserved", "Reserved", ETHERIP_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
};

static enum result parse_etherip(struct parse *parse)
{
	uint32_t start = parse_offset(parse);
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_ETHERIP, ETHERIP_LENGTH, &header);

	if (result == OK && bits(header, ETHERIP_VERSION) != VERSION_3) {
		parse_anomaly(parse, RTAP_ANOMALY_BAD_VERSION, start);
		result = MALFORMED;
	}
	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_ETHERNET;
	return result;
}

static void summary_etherip(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	(void)packet;
	if (layer->length == ETHERIP_LENGTH)
		line_text(line, "EtherIP ");
}

const struct protocol etherip_protocol = {
	.table = { "etherip", "Ethernet in IP", "RFC 3378, section 3", ETHERIP_LENGTH, FIELDS(etherip_fields) },
	.parse = parse_etherip,
	.summary = summary_etherip,
};
