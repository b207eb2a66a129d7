/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Per-Packet Information, a header before frames of other link types. https://www.tcpdump.org/linktypes/LINKTYPE_PPI.html
 */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/net/link_type.h"

/* Little-endian: bits count from the least significant one. */
#define PPI_LENGTH 8
#define PPI_VERSION 0, 8
#define PPI_FLAGS 8, 8
#define PPI_ALIGNED 8, 1
#define PPI_RESERVED 9, 7
#define PPI_SIZE 16, 16
#define PPI_DLT 32, 32

/* Numbers of raw IP on other systems than that of the registry. */
#define DLT_RAW_OLD 12
#define DLT_RAW_OPENBSD 14

static bool derive_more(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	if (layer->length <= PPI_LENGTH || layer->length < little_bits(layer_bytes(packet, layer), PPI_SIZE))
		return false;
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + PPI_LENGTH, layer->length - PPI_LENGTH };
	return true;
}

static const struct rtap_field ppi_fields[] = {
	{ "ppi.version", "Version", PPI_VERSION, RTAP_DEC, RTAP_LITTLE, NULL, NULL, NULL },
	{ "ppi.flags", "Flags", PPI_FLAGS, RTAP_HEX, RTAP_LITTLE | RTAP_PARTS, NULL, NULL, NULL },
	{ "ppi.flags.alignment", "Aligned to Four Bytes", PPI_ALIGNED, RTAP_BOOL, RTAP_LITTLE, NULL, NULL, NULL },
	{ "ppi.flags.reserved", "Reserved", PPI_RESERVED, RTAP_HEX, RTAP_LITTLE, NULL, NULL, NULL },
	{ "ppi.length", "Header Length", PPI_SIZE, RTAP_DEC, RTAP_LITTLE, NULL, NULL, NULL },
	{ "ppi.dlt", "Link Type", PPI_DLT, RTAP_DEC, RTAP_LITTLE, NULL, NULL, NULL },
	{ "ppi.fields", "Fields", 0, 0, RTAP_BYTES, RTAP_UNPLACED, NULL, derive_more, NULL },
};

static enum result parse(struct parse *parse)
{
	uint32_t start = parse_offset(parse), length, link_type;
	const uint8_t *header, *more;
	enum result result = parse_layer(parse, PROTOCOL_PPI, PPI_LENGTH, &header);

	if (result != OK)
		return result;
	if (little_bits(header, PPI_VERSION)) {
		parse_anomaly(parse, RTAP_ANOMALY_BAD_VERSION, start);
		return MALFORMED;
	}
	length = (uint32_t)little_bits(header, PPI_SIZE);
	if (length < PPI_LENGTH) {
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_TOO_SHORT, start + 2);
		return MALFORMED;
	}
	result = parse_more(parse, length - PPI_LENGTH, &more);
	if (result != OK)
		return result;
	link_type = (uint32_t)little_bits(header, PPI_DLT);
	parse->next = link_type == DLT_RAW_OLD || link_type == DLT_RAW_OPENBSD ? link_type_raw(&parse->cursor) :
									      link_type_protocol(link_type, &parse->cursor);
	if (parse->next == PROTOCOL_NONE || parse->next == PROTOCOL_PPI) {
		parse_anomaly(parse, RTAP_ANOMALY_UNKNOWN_LINK_TYPE, start + 4);
		parse->next = PROTOCOL_PAYLOAD;
	}
	return OK;
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);

	if (layer->length < PPI_LENGTH || (next && next->protocol != PROTOCOL_PAYLOAD))
		return;
	line_text(line, "PPI link type ");
	line_dec(line, little_bits(layer_bytes(packet, layer), PPI_DLT));
}

const struct protocol ppi_protocol = {
	.table = { "ppi", "Per-Packet Information", "tcpdump.org, LINKTYPE_PPI", 0, FIELDS(ppi_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse,
	.summary = summary,
};
