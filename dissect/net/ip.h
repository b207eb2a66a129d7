/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Positions of IP header fields, for their tables and for the invariant CRC, and the protocols that follow.
 */
#ifndef DISSECT_NET_IP_H
#define DISSECT_NET_IP_H

#include "dissect/engine/protocol.h"

/* RFC 791, 3.1 */
#define IPV4_MIN_LENGTH 20
#define IPV4_VERSION 0, 4
#define IPV4_IHL 4, 4
#define IPV4_TOS 8, 8
#define IPV4_DSCP 8, 6
#define IPV4_ECN 14, 2
#define IPV4_LENGTH 16, 16
#define IPV4_ID 32, 16
#define IPV4_FLAGS 48, 3
#define IPV4_RESERVED 48, 1
#define IPV4_DF 49, 1
#define IPV4_MF 50, 1
#define IPV4_FRAGMENT 51, 13
#define IPV4_MF_AND_FRAGMENT 50, 14
#define IPV4_TTL 64, 8
#define IPV4_PROTOCOL 72, 8
#define IPV4_CHECKSUM 80, 16
#define IPV4_SRC 96, 32
#define IPV4_DST 128, 32

/* RFC 8200, section 3; also the layout of InfiniBand's GRH (IBTA vol. 1, 8.3) */
#define IPV6_LENGTH 40
#define IPV6_VERSION 0, 4
#define IPV6_TCLASS 4, 8
#define IPV6_DSCP 4, 6
#define IPV6_ECN 10, 2
#define IPV6_FLOW 12, 20
#define IPV6_PLEN 32, 16
#define IPV6_NEXT 48, 8
#define IPV6_HOPS 56, 8
#define IPV6_SRC 64, 128
#define IPV6_DST 192, 128

extern const struct rtap_name ip_protocol_names[];

/* The protocols of IP protocol numbers; PROTOCOL_FRAME for those not dissected. */
extern const uint16_t ip_protocols[256];

/* The protocol (enum protocol_number) of an IP protocol number; PROTOCOL_PAYLOAD for those not dissected. */
static inline uint16_t ip_protocol(uint8_t number)
{
	uint16_t protocol = ip_protocols[number];

	return protocol == PROTOCOL_FRAME ? PROTOCOL_PAYLOAD : protocol;
}

/*
 * Adds the protocol after a header with an IP protocol number to the one-line text, unless that protocol's own summary follows.
 */
void ip_summary_next(const struct rtap_packet *packet, const struct rtap_layer *layer, uint8_t number, struct line *line);

/* Adds " fragment id 0x1234 offset 1480, length 100" to the one-line text. */
void ip_summary_fragment(const struct rtap_packet *packet, const struct rtap_layer *layer, uint64_t id, uint64_t offset,
			 struct line *line);

/*
 * Called after the header of a fragment, of protocol PROTOCOL_IPV4 or PROTOCOL_FRAGMENT, with the cursor at its end. Records the
 * fragment, or continues in the datagram that it completed. The caller has filled `facts` with the contents of that header.
 */
void ip_begin_fragment(struct parse *parse, uint16_t protocol, const struct rtap_fragment_facts *facts);

/* Continues in the datagram that the packet's fragment completed: context->datagram. There must be room for a source. */
void ip_enter_datagram(struct parse *parse);

/*
 * The number of bytes after the first `header_length` bytes of `layer`, according to the length field of the IP header before it.
 * False without such a header.
 */
bool ip_bytes_after(const struct rtap_packet *packet, const struct rtap_layer *layer, uint32_t header_length,
		     uint64_t *bytes);

#endif
