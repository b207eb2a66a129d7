/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ethertypes, for all headers with one. Source: list of the IEEE Registration Authority.
 */
#ifndef DISSECT_ENGINE_ETHERTYPE_H
#define DISSECT_ENGINE_ETHERTYPE_H

#include "dissect/engine/parse.h"
#include "dissect/engine/protocol.h"

/* The smallest Ethertype; values below are the length of an 802.3 frame. IEEE 802.3, 3.2.6. */
#define ETHERTYPE_LEAST 0x600
/* The largest such length; values between the two are undefined. */
#define ETHERTYPE_LENGTH_GREATEST 1500

extern const struct rtap_name ethertype_names[];

/* The protocol (enum protocol_number) of an Ethertype; PROTOCOL_PAYLOAD for those not dissected. */
static inline uint8_t ethertype_protocol(uint16_t type)
{
	/* IPv4 is by far the most frequent case */
	switch (__builtin_expect(type, 0x0800)) {
	case 0x0800: return PROTOCOL_IPV4;
	case 0x0806: return PROTOCOL_ARP;
	case 0x6558: return PROTOCOL_ETHERNET;
	case 0x8035: return PROTOCOL_ARP;
	case 0x8100: return PROTOCOL_VLAN;
	case 0x86dd: return PROTOCOL_IPV6;
	case 0x8808: return PROTOCOL_MAC_CONTROL;
	case 0x8847: return PROTOCOL_MPLS;
	case 0x8848: return PROTOCOL_MPLS;
	case 0x88a8: return PROTOCOL_SERVICE_VLAN;
	case 0x8915: return PROTOCOL_GRH;
	case 0x9100: return PROTOCOL_VLAN;
	default: return PROTOCOL_PAYLOAD;
	}
}

/*
 * Sets the protocol after a header that ends, at `offset` of the source, with an Ethertype or the length of an 802.3 frame; in
 * the latter case narrows the cursor to that length.
 */
static inline void ethertype_begin(struct parse *parse, uint16_t type, uint32_t offset)
{
	if (unlikely(type && type <= ETHERTYPE_LENGTH_GREATEST)) {
		parse_narrow(parse, type, offset);
		parse->next = PROTOCOL_PAYLOAD;
	} else {
		parse->next = ethertype_protocol(type);
	}
}

/* Adds "ethertype 0x88cc (LLDP), length 46" to the one-line text if no layer after `layer` is more specific. */
void ethertype_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, uint16_t type, struct line *line);

/* Returns whether a header with addresses of its own follows `layer`, ignoring VLAN tags. */
bool ethertype_is_network(const struct rtap_packet *packet, const struct rtap_layer *layer);

#endif
