/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IP and Ethernet in tunnels whose headers have no field that identifies their payload.
 */
#ifndef DISSECT_NET_UNMARKED_H
#define DISSECT_NET_UNMARKED_H

#include "dissect/engine/protocol.h"

/* Whether an Ethernet header is `offset` bytes after the cursor, followed by what its type announces. */
bool unmarked_ethernet(const struct cursor *cursor, uint32_t offset);

/* The protocol of the bytes at the cursor: IPv4, IPv6 or Ethernet; PROTOCOL_PAYLOAD: none of them. */
uint16_t unmarked_protocol(const struct cursor *cursor);

#endif
