/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame.protocols: the protocols of a packet in Wireshark's words, "eth:ethertype:ip:udp:infiniband".
 */
#ifndef DISSECT_PROTOCOL_LIST_H
#define DISSECT_PROTOCOL_LIST_H

#include "dissect/engine/line.h"
#include "dissect/engine/packet.h"

/* Room for the words of all layers. */
#define PROTOCOL_LIST_SIZE (RTAP_MAX_LAYERS * 32)

void protocol_list_put(const struct rtap_packet *packet, struct line *line);

#endif
