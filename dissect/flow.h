/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_FLOW_H
#define DISSECT_FLOW_H

#include <rdmatap/packet.h>

/* Adds packet->flow as a layer of the packet, unless it is empty. */
void flow_add_layer(struct rtap_packet *packet);

#endif
