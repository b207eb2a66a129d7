/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * UDP.
 */
#ifndef DISSECT_NET_UDP_H
#define DISSECT_NET_UDP_H

#include "dissect/engine/parse.h"

/* Number of the protocol that a UDP datagram carries, in the bytes at the cursor, if no port identifies it. */
uint16_t upper_of_datagram(const struct parse *parse);

#endif
