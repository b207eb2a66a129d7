/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ethertypes, for every header that carries one. IEEE registration authority's list.
 */
#ifndef DISSECT_ETHERTYPE_H
#define DISSECT_ETHERTYPE_H

#include <stdint.h>

#include <rdmatap/field.h>

extern const struct rtap_name ethertype_names[];

/* The protocol (enum protocol_number) behind an Ethertype; PROTOCOL_PAYLOAD for those not dissected. */
uint8_t ethertype_protocol(uint16_t type);

#endif
