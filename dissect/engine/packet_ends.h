/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_ENGINE_PACKET_ENDS_H
#define DISSECT_ENGINE_PACKET_ENDS_H

#include <rdmatap/message.h>
#include <rdmatap/packet.h>

/*
 * Sender and receiver of a packet: their IP addresses or GIDs, else their LIDs, else none; queue pairs as far as a packet of InfiniBand
 * shows them. Other members are 0.
 */
void packet_ends(const struct rtap_packet *packet, struct rtap_end *source, struct rtap_end *destination);

#endif
