/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/engine/structure.h"

enum result structure_parse(struct parse *parse, uint16_t protocol, uint32_t length, uint16_t next)
{
	const uint8_t *bytes;
	enum result result;

	parse->packet->request = parse->context->request;
	if (length > parse->cursor.wire)
		length = parse->cursor.wire;
	result = parse_layer(parse, protocol, length, &bytes);
	if (result == OK && parse->cursor.wire)
		parse->next = next;
	return result;
}

static bool is_zero(const uint8_t *bytes, uint32_t length)
{
	uint8_t any = 0;

	for (uint32_t i = 0; i < length; i++)
		any |= bytes[i];
	return !any;
}

enum result structure_parse_elements(struct parse *parse, uint16_t protocol, uint32_t stride, bool until_zero)
{
	const struct cursor *cursor = &parse->cursor;
	uint32_t length = cursor->wire - cursor->wire % stride;

	for (uint32_t at = 0; until_zero && at < length && at + stride <= cursor->captured; at += stride)
		if (is_zero(cursor->next + at, stride))
			length = at;
	if (!length) {
		parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	return structure_parse(parse, protocol, length, PROTOCOL_PAYLOAD);
}

bool structure_text(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at, uint32_t length)
{
	const uint8_t *text = layer_bytes(packet, layer) + at;

	value->data = (struct rtap_span){ text, (uint32_t)strnlen((const char *)text, length) };
	return true;
}

void structure_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	(void)packet;
	if (layer->offset)
		return;
	line_text(line, ": ");
	line_text(line, protocol_by_number(layer->protocol)->table.label);
}
