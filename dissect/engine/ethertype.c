/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/engine/payload.h"

const struct rtap_name ethertype_names[] = {
	{ 0x0800, "IPv4" },
	{ 0x0806, "ARP" },
	{ 0x22eb, "ERSPAN type III" },
	{ 0x6558, "Transparent Ethernet bridging" },
	{ 0x8035, "RARP" },
	{ 0x8100, "802.1Q tag" },
	{ 0x86dd, "IPv6" },
	{ 0x8808, "MAC control" },
	{ 0x8809, "Slow protocols" },
	{ 0x8847, "MPLS" },
	{ 0x8848, "MPLS, upstream-assigned label" },
	{ 0x8863, "PPPoE discovery" },
	{ 0x8864, "PPPoE session" },
	{ 0x88a8, "802.1ad service tag" },
	{ 0x88be, "ERSPAN type II" },
	{ 0x88cc, "LLDP" },
	{ 0x88e5, "MACsec" },
	{ 0x88f7, "PTP" },
	{ 0x8906, "FCoE" },
	{ 0x8914, "FCoE initialization" },
	{ 0x8915, "RoCE v1" },
	{ 0x9100, "802.1Q tag, old number" },
	{ 0, NULL },
};

/* What follows a layer, tags and labels and the frame's trailer aside. */
static const struct rtap_layer *after_tags(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	while ((layer = layer_after(packet, layer)))
		if (layer->protocol != PROTOCOL_VLAN && layer->protocol != PROTOCOL_SERVICE_VLAN && layer->protocol != PROTOCOL_MPLS)
			break;
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
		line_text(line, "802.3, length ");
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
