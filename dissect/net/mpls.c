/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MPLS label stack, one layer per label (RFC 3032, 2.1), and the control word of Ethernet over MPLS (RFC 4448, 4.6; RFC 4385, 3). No field
 * identifies the payload: IP, and Ethernet with and without control word, are recognised by their bytes.
 */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"
#include "dissect/net/ip.h"

#define LABEL_LENGTH 4
#define LABEL_LABEL 0, 20
#define LABEL_CLASS 20, 3
#define LABEL_BOTTOM 23, 1
#define LABEL_TTL 24, 8

#define WORD_LENGTH 4
#define WORD_ZERO 0, 4
#define WORD_RESERVED 4, 12
#define WORD_SEQUENCE 16, 16

#define ETHERNET_LENGTH 14
#define ETHERNET_TYPE 96, 16
#define TAG_LENGTH 4
#define MOST_TAGS 2

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

/* Whether what follows an Ethertype begins as its protocol does. A protocol that is not dissected has no such sign. */
static bool begins_as(uint16_t type, const uint8_t *bytes, uint32_t length)
{
	unsigned version = length ? bytes[0] >> 4 : 0;

	switch (ethertype_protocol(type)) {
	case PROTOCOL_IPV4: return version == 4;
	case PROTOCOL_IPV6:
	case PROTOCOL_GRH: return version == 6;
	case PROTOCOL_PAYLOAD: return type >= ETHERTYPE_LEAST && rtap_name_of(ethertype_names, type);
	default: return true;
	}
}

/* Whether an Ethernet header is at an offset. */
static bool has_ethernet(const struct cursor *cursor, uint32_t offset)
{
	const uint8_t *bytes = cursor->next + offset;
	uint32_t left = cursor->captured;
	uint16_t type;

	if (left < offset + ETHERNET_LENGTH)
		return false;
	left -= offset + ETHERNET_LENGTH;
	type = (uint16_t)bits(bytes, ETHERNET_TYPE);
	bytes += ETHERNET_LENGTH;
	for (unsigned tags = 0; tags < MOST_TAGS && left >= TAG_LENGTH; tags++) {
		uint16_t protocol = ethertype_protocol(type);

		if (protocol != PROTOCOL_VLAN && protocol != PROTOCOL_SERVICE_VLAN)
			break;
		type = load16(bytes + 2);
		bytes += TAG_LENGTH;
		left -= TAG_LENGTH;
	}
	return begins_as(type, bytes, left);
}

/* Whether a first nibble of 4 is the version of an IPv4 header, whose checksum RFC 791 requires, and not part of a MAC address. */
static bool has_ipv4(const struct cursor *cursor)
{
	uint32_t length = (uint32_t)(cursor->next[0] & 0xf) * 4, sum = 0;

	if (length < IPV4_MIN_LENGTH || length > cursor->captured || bits(cursor->next, IPV4_LENGTH) > cursor->wire)
		return false;
	for (uint32_t i = 0; i < length; i += 2)
		sum += load16(cursor->next + i);
	return (sum & 0xffff) + (sum >> 16) == 0xffff;
}

/* The same of 6: an IPv6 header has no checksum, but the length of all that follows. */
static bool has_ipv6(const struct cursor *cursor)
{
	return cursor->captured >= IPV6_LENGTH && bits(cursor->next, IPV6_PLEN) + IPV6_LENGTH == cursor->wire;
}

/* RFC 4385, 3: a control word begins with 0, so that its packet is not taken for IP; one of an associated channel with 1. */
static uint16_t after_bottom(const struct cursor *cursor)
{
	bool ethernet = has_ethernet(cursor, 0);

	switch (cursor->captured ? cursor->next[0] >> 4 : 0) {
	case 0:
		/* a tag after an address that begins with zeros is as long as a control word before it */
		if (!ethernet && has_ethernet(cursor, WORD_LENGTH) && !load16(cursor->next))
			return PROTOCOL_PSEUDOWIRE_WORD;
		break;
	case 4:
		if (!ethernet || has_ipv4(cursor))
			return PROTOCOL_IPV4;
		break;
	case 6:
		if (!ethernet || has_ipv6(cursor))
			return PROTOCOL_IPV6;
		break;
	default:
		break;
	}
	return ethernet ? PROTOCOL_ETHERNET : PROTOCOL_PAYLOAD;
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
