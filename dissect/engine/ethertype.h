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

/* X(Ethertype, name, identifier of its protocol in PROTOCOLS), by number. PAYLOAD: not dissected. */
#define ETHERTYPES(X) \
	X(0x0800, "IPv4", IPV4) \
	X(0x0806, "ARP", ARP) \
	X(0x22eb, "ERSPAN type III", PAYLOAD) \
	X(0x22f3, "TRILL", TRILL) \
	X(0x6558, "Transparent Ethernet bridging", ETHERNET) \
	X(0x8035, "RARP", ARP) \
	X(0x8100, "802.1Q tag", VLAN) \
	X(0x86dd, "IPv6", IPV6) \
	X(0x8808, "MAC control", MAC_CONTROL) \
	X(0x8809, "Slow protocols", PAYLOAD) \
	X(0x880b, "PPP", PPP) \
	X(0x8847, "MPLS", MPLS) \
	X(0x8848, "MPLS, upstream-assigned label", MPLS) \
	X(0x8863, "PPPoE discovery", PAYLOAD) \
	X(0x8864, "PPPoE session", PPPOE) \
	X(0x88a8, "802.1ad service tag", SERVICE_VLAN) \
	X(0x88be, "ERSPAN type II", PAYLOAD) \
	X(0x88cc, "LLDP", PAYLOAD) \
	X(0x88e5, "MACsec", MACSEC) \
	X(0x88e7, "802.1ah service instance tag", SERVICE_INSTANCE) \
	X(0x88f7, "PTP", PAYLOAD) \
	X(0x8906, "FCoE", PAYLOAD) \
	X(0x8914, "FCoE initialization", PAYLOAD) \
	X(0x8915, "RoCE v1", GRH) \
	X(0x8926, "VN-Tag", VNTAG) \
	X(0x892f, "HSR", HSR) \
	X(0x893f, "802.1BR E-Tag", ETAG) \
	X(0x894f, "NSH", NSH) \
	X(0x9100, "802.1Q tag, old number", VLAN)

extern const struct rtap_name ethertype_names[];

/* The protocol (enum protocol_number) of an Ethertype; PROTOCOL_PAYLOAD for those not dissected. */
static inline uint16_t ethertype_protocol(uint16_t type)
{
	/* IPv4 is by far the most frequent case */
	switch (__builtin_expect(type, 0x0800)) {
#define ETHERTYPE_CASE(number, name, identifier) case number: return PROTOCOL_##identifier;
	ETHERTYPES(ETHERTYPE_CASE)
#undef ETHERTYPE_CASE
	default: return PROTOCOL_PAYLOAD;
	}
}

/* What follows a length. */
void ethertype_begin_llc(struct parse *parse, uint16_t length, uint32_t offset);

/*
 * Sets the protocol after a header that ends, at `offset` of the source, with an Ethertype or the length of an 802.3 frame; in
 * the latter case narrows the cursor to that length.
 */
static inline void ethertype_begin(struct parse *parse, uint16_t type, uint32_t offset)
{
	if (unlikely(type && type <= ETHERTYPE_LENGTH_GREATEST)) {
		ethertype_begin_llc(parse, type, offset);
	} else {
		parse->next = ethertype_protocol(type);
	}
}

/* Adds "ethertype 0x88cc (LLDP), length 46" to the one-line text if no layer after `layer` is more specific. */
void ethertype_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, uint16_t type, struct line *line);

/* Returns whether a header with its own addresses follows `layer`, ignoring VLAN tags. */
bool ethertype_is_network(const struct rtap_packet *packet, const struct rtap_layer *layer);

#endif
