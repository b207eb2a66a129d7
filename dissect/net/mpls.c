/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MPLS label stack, one layer per label (RFC 3032, 2.1), and the control word of Ethernet over MPLS (RFC 4448, 4.6; RFC 4385, 3). No field
 * identifies the payload.
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"
#include "dissect/net/unmarked.h"

#define LABEL_LENGTH 4
#define LABEL_LABEL 0, 20
#define LABEL_CLASS 20, 3
#define LABEL_BOTTOM 23, 1
#define LABEL_TTL 24, 8

#define WORD_LENGTH 4
#define WORD_ZERO 0, 4
#define WORD_RESERVED 4, 12
#define WORD_SEQUENCE 16, 16

static const struct rtap_field mpls_fields[] = {
	{ "mpls.label", "Label", LABEL_LABEL, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "mpls.exp", "Traffic Class", LABEL_CLASS, RTAP_DEC, 0, NULL, NULL, "RFC 5462" },
	{ "mpls.bottom", "Bottom of Stack", LABEL_BOTTOM, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "mpls.ttl", "Time to Live", LABEL_TTL, RTAP_DEC, 0, NULL, NULL, NULL },
};

static const struct rtap_field word_fields[] = {
	{ "pweth.cw.zero", "Not IP", WORD_ZERO, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "pweth.cw.reserved", "Reserved", WORD_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "pweth.cw.sequence_number", "Sequence Number", WORD_SEQUENCE, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
};

/* RFC 4385, 3: a control word begins with 0, so that its packet is not taken for IP; one of an associated channel with 1. */
static uint16_t after_bottom(const struct cursor *cursor)
{
	/* a tag after an address that begins with zeros is as long as a control word before it */
	if (cursor->captured >= WORD_LENGTH && !load16(cursor->next) && !unmarked_ethernet(cursor, 0) && unmarked_ethernet(cursor, WORD_LENGTH))
		return PROTOCOL_PSEUDOWIRE_WORD;
	return unmarked_protocol(cursor);
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
	char *begin = line->next;

	if (layer->length < LABEL_LENGTH)
		return;
	line_text(line, "mpls ");
	line_dec(line, bits(layer_bytes(packet, layer), LABEL_LABEL));
	if (next && next->protocol == PROTOCOL_PAYLOAD) {
		payload_summary_length(packet, next, line);
		return;
	}
	line_char(line, ' ');
	line_spare(line, begin, LINE_SPARE_OUTER);
}

const struct protocol mpls_protocol = {
	.table = { "mpls", "MPLS Label", "RFC 3032, 2.1", LABEL_LENGTH, FIELDS(mpls_fields) },
	.parse = parse,
	.summary = summary,
};

static enum result parse_word(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_PSEUDOWIRE_WORD, WORD_LENGTH, &header);

	parse->next = PROTOCOL_ETHERNET;
	return result;
}

static void summary_word(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	char *begin = line->next;

	if (layer->length < WORD_LENGTH || !bits(layer_bytes(packet, layer), WORD_SEQUENCE))
		return;
	line_text(line, "pw seq ");
	line_dec(line, bits(layer_bytes(packet, layer), WORD_SEQUENCE));
	line_char(line, ' ');
	line_spare(line, begin, LINE_SPARE_OUTER);
}

const struct protocol pseudowire_word_protocol = {
	.table = { "pweth.cw", "Pseudowire Control Word", "RFC 4448, 4.6", WORD_LENGTH, FIELDS(word_fields) },
	.parse = parse_word,
	.summary = summary_word,
};
