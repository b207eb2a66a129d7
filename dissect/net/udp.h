/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * UDP. RFC 768.
 */
#ifndef DISSECT_NET_UDP_H
#define DISSECT_NET_UDP_H

#include "dissect/engine/parse.h"

#define UDP_LENGTH 8
#define UDP_SRC 0, 16
#define UDP_DST 16, 16
#define UDP_LEN 32, 16
#define UDP_CHECKSUM 48, 16

#define PORT_ROCE_V2 4791 /* IBTA annex A17 */

/* Number of the protocol that a UDP datagram carries, in the bytes at the cursor, if no port identifies it. */
uint16_t upper_of_datagram(const struct parse *parse);

#endif
