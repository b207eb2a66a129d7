/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BSD loopback: an address family in four bytes. https://www.tcpdump.org/linktypes.html: NULL has them in the byte order
 * of the machine that captured, LOOP in network byte order.
 */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"

#define NULL_LENGTH 4
#define NULL_FAMILY 0, 32

/* AF_INET is 2 everywhere, AF_INET6 is not. */
static const struct rtap_name family_names[] = {
	{ 2, "IPv4" }, { 10, "IPv6 (Linux)" }, { 24, "IPv6 (NetBSD, OpenBSD)" }, { 28, "IPv6 (FreeBSD)" }, { 30, "IPv6 (macOS)" }, { 0, NULL },
};

/* Families are small numbers: if the upper half is in use, the other byte order was meant. */
static uint32_t family_of(const struct rtap_packet *packet, const uint8_t *header)
{
	uint32_t family = (uint32_t)bits(header, NULL_FAMILY);

	return packet->frame->link_type != RTAP_LINK_LOOP && family > 0xffff ? __builtin_bswap32(family) : family;
}

static bool derive_family(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = family_of(packet, layer_bytes(packet, layer));
	return true;
}

static const struct rtap_field loopback_fields[] = {
	{ "null.family", "Family", NULL_FAMILY, RTAP_DEC, 0, family_names, derive_family, NULL },
};

static uint16_t after_family(uint32_t family)
{
	switch (family) {
	case 2: return PROTOCOL_IPV4;
	case 10:
	case 24:
	case 28:
	case 30: return PROTOCOL_IPV6;
	default: return PROTOCOL_PAYLOAD;
	}
}

static enum result parse(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_LOOPBACK, NULL_LENGTH, &header);

	if (result == OK)
		parse->next = after_family(family_of(parse->packet, header));
	return result;
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);

	if (layer->length < NULL_LENGTH || (next && next->protocol != PROTOCOL_PAYLOAD))
		return;
	line_text(line, "family ");
	line_dec(line, family_of(packet, layer_bytes(packet, layer)));
	payload_summary_length(packet, next, line);
}

const struct protocol loopback_protocol = {
	.table = { "null", "BSD Loopback", "tcpdump.org, LINKTYPE_NULL and LINKTYPE_LOOP", NULL_LENGTH, FIELDS(loopback_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse,
	.summary = summary,
};
