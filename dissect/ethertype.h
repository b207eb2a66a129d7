/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ethertypes, for every header that carries one. IEEE registration authority's list.
 */
#ifndef DISSECT_ETHERTYPE_H
#define DISSECT_ETHERTYPE_H

#include "dissect/protocol.h"

/* The least Ethertype; what is below is the length of an 802.3 frame. IEEE 802.3, 3.2.6. */
#define ETHERTYPE_LEAST 0x600

extern const struct rtap_name ethertype_names[];

/* The protocol (enum protocol_number) behind an Ethertype; PROTOCOL_PAYLOAD for those not dissected. */
uint8_t ethertype_protocol(uint16_t type);

/*
 * Sets what follows a header that ends, at `offset` of the source, in an Ethertype or in the length of an 802.3 frame,
 * to which the cursor is narrowed then.
 */
void ethertype_begin(struct parse *parse, uint16_t type, uint32_t offset);

/* Adds "ethertype 0x88cc (LLDP), length 46" to the one-line text if nothing behind `layer` says more than that. */
void ethertype_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, uint16_t type, struct line *line);

/* Whether a header that names addresses of its own follows `layer`, VLAN tags aside. */
bool ethertype_is_network(const struct rtap_packet *packet, const struct rtap_layer *layer);

#endif
