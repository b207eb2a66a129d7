/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Positions of the Ethernet header's fields. IEEE 802.3, 3.1.1.
 */
#ifndef DISSECT_NET_ETHERNET_H
#define DISSECT_NET_ETHERNET_H

#define ETH_LENGTH 14
#define ETH_DST 0, 48
#define ETH_SRC 48, 48
#define ETH_TYPE 96, 16

#endif
