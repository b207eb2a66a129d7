/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bytes that no other protocol claims.
 */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"

static bool derive_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)packet;
	value->number = layer->length;
	return true;
}

static bool derive_bytes(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer), layer->length };
	return layer->length > 0;
}

static const struct rtap_field payload_fields[] = {
	{ "data.len", "Length", 0, 32, RTAP_DEC, RTAP_UNPLACED | RTAP_COMPARED, NULL, derive_length, NULL },
	{ "data.data", "Data", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL, derive_bytes, NULL },
};

static enum result parse(struct parse *parse)
{
	if (parse->cursor.captured)
		parse_place_layer(parse, PROTOCOL_PAYLOAD, parse_offset(parse), parse->cursor.captured);
	return OK;
}

void payload_summary_length(const struct rtap_packet *packet, const struct rtap_layer *payload, struct line *line)
{
	uint32_t captured, missing = 0;

	if (!payload)
		return;
	captured = packet->sources[payload->source].captured;
	if (payload->offset + payload->length == captured)
		missing = packet->sources[payload->source].wire - captured;
	line_text(line, " len ");
	line_dec(line, payload->length + missing);
}

const struct protocol payload_protocol = {
	.table = { "data", "Data", "-", 0, FIELDS(payload_fields) },
	.parse = parse,
};

static const struct rtap_field trailer_fields[] = {
	{ "rdmatap.trailer.len", "Length", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_length, NULL },
	{ "rdmatap.trailer", "Bytes", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL, derive_bytes, NULL },
};

/* Bytes of the frame after the end of the packet according to its length fields: link padding, a captured FCS. */
const struct protocol trailer_protocol = {
	.table = { "rdmatap.trailer", "Trailer", "-", 0, FIELDS(trailer_fields) },
	.scope = SCOPE_CAPTURE,
};
