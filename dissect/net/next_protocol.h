/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The numbers of what follows that NSH (RFC 8300, section 11.2.5) and VXLAN-GPE (draft-ietf-nvo3-vxlan-gpe-13, 3.1) share.
 */
#ifndef DISSECT_NET_NEXT_PROTOCOL_H
#define DISSECT_NET_NEXT_PROTOCOL_H

#include "dissect/engine/protocol.h"

#define NEXT_PROTOCOLS(X) X(1, "IPv4", IPV4) X(2, "IPv6", IPV6) X(3, "Ethernet", ETHERNET) X(4, "NSH", NSH) X(5, "MPLS", MPLS)

static const struct rtap_name next_protocol_names[] = {
#define NEXT_PROTOCOL_NAME(number, name, identifier) { number, name },
	NEXT_PROTOCOLS(NEXT_PROTOCOL_NAME)
#undef NEXT_PROTOCOL_NAME
	{ 0, NULL },
};

/* The protocol (enum protocol_number) of such a number; PROTOCOL_PAYLOAD for those not dissected. */
static inline uint16_t next_protocol(uint8_t number)
{
	switch (number) {
#define NEXT_PROTOCOL_CASE(value, name, identifier) case value: return PROTOCOL_##identifier;
	NEXT_PROTOCOLS(NEXT_PROTOCOL_CASE)
#undef NEXT_PROTOCOL_CASE
	default: return PROTOCOL_PAYLOAD;
	}
}

#endif
