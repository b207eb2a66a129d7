/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MPLS label stack, one layer per label. RFC 3032, 2.1. No field identifies the payload: only IP is recognised.
 */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"

#define LABEL_LENGTH 4
#define LABEL_LABEL 0, 20
#define LABEL_CLASS 20, 3
#define LABEL_BOTTOM 23, 1
#define LABEL_TTL 24, 8

static const struct rtap_field mpls_fields[] = {
	{ "mpls.label", "Label", LABEL_LABEL, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "mpls.exp", "Traffic Class", LABEL_CLASS, RTAP_DEC, 0, NULL, NULL, "RFC 5462" },
	{ "mpls.bottom", "Bottom of Stack", LABEL_BOTTOM, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "mpls.ttl", "Time to Live", LABEL_TTL, RTAP_DEC, 0, NULL, NULL, NULL },
};

static uint16_t after_bottom(const struct cursor *cursor)
{
	switch (cursor->captured ? cursor->next[0] >> 4 : 0) {
	case 4: return PROTOCOL_IPV4;
	case 6: return PROTOCOL_IPV6;
	default: return PROTOCOL_PAYLOAD;
	}
}

static enum result parse(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_MPLS, LABEL_LENGTH, &header);

	if (result == OK)
		parse->next = bits(header, LABEL_BOTTOM) ? after_bottom(&parse->cursor) : PROTOCOL_MPLS;
	return result;
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);

	if (layer->length < LABEL_LENGTH)
		return;
	line_text(line, "mpls ");
	line_dec(line, bits(layer_bytes(packet, layer), LABEL_LABEL));
	if (next && next->protocol == PROTOCOL_PAYLOAD)
		payload_summary_length(packet, next, line);
	else
		line_char(line, ' ');
}

const struct protocol mpls_protocol = {
	.table = { "mpls", "MPLS Label", "RFC 3032, 2.1", LABEL_LENGTH, FIELDS(mpls_fields) },
	.parse = parse,
	.summary = summary,
};
