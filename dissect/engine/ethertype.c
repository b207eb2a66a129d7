/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/engine/payload.h"

const struct rtap_name ethertype_names[] = {
#define ETHERTYPE_NAME(number, name, identifier) { number, name },
	ETHERTYPES(ETHERTYPE_NAME)
#undef ETHERTYPE_NAME
	{ 0, NULL },
};

/* Novell's frames without LLC begin with the checksum of IPX. */
#define NO_LLC 0xffff

void ethertype_begin_llc(struct parse *parse, uint16_t length, uint32_t offset)
{
	parse_narrow(parse, length, offset);
	parse->next = parse->cursor.captured >= 2 && load16(parse->cursor.next) == NO_LLC ? PROTOCOL_PAYLOAD : PROTOCOL_LLC;
}

static bool is_tag(uint16_t protocol)
{
	switch (protocol) {
	case PROTOCOL_VLAN:
	case PROTOCOL_SERVICE_VLAN:
	case PROTOCOL_SERVICE_INSTANCE:
	case PROTOCOL_VNTAG:
	case PROTOCOL_ETAG:
	case PROTOCOL_HSR:
	case PROTOCOL_MACSEC:
	case PROTOCOL_LLC:
	case PROTOCOL_SNAP:
	case PROTOCOL_PPPOE:
	case PROTOCOL_PPP:
	case PROTOCOL_TRILL:
	case PROTOCOL_NSH:
	case PROTOCOL_MPLS:
	case PROTOCOL_PSEUDOWIRE_WORD:
	case PROTOCOL_ETHERNET: /* over MPLS, TRILL or NSH */
		return true;
	default:
		return false;
	}
}

/* The next layer after tags and labels, excluding the frame's trailer. */
static const struct rtap_layer *after_tags(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	while ((layer = layer_after(packet, layer)) && is_tag(layer->protocol))
		;
	return layer;
}

bool ethertype_is_network(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	const struct rtap_layer *next = after_tags(packet, layer);

	if (!next)
		return false;
	switch (next->protocol) {
	case PROTOCOL_IPV4:
	case PROTOCOL_IPV6:
	case PROTOCOL_GRH:
	case PROTOCOL_ARP:
		return true;
	default:
		return false;
	}
}

void ethertype_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, uint16_t type, struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);
	const char *name = rtap_name_of(ethertype_names, type);

	if (next && next->protocol != PROTOCOL_PAYLOAD)
		return;
	if (type && type <= ETHERTYPE_LENGTH_GREATEST) {
		line_text(line, "802.3 len ");
		line_dec(line, type);
		return;
	}
	line_text(line, "ethertype ");
	line_hex(line, type, 4);
	if (name) {
		line_text(line, " (");
		line_text(line, name);
		line_char(line, ')');
	}
	payload_summary_length(packet, next, line);
}
