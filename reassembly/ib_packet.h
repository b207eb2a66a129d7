/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * InfiniBand and RoCE packets: the flow and the connection of each, and its role: a request, a response, a
 * datagram, a CNP.
 */
#ifndef REASSEMBLY_IB_PACKET_H
#define REASSEMBLY_IB_PACKET_H

#include "reassembly/captured_copies.h"
#include "reassembly/state.h"

/* Processes a packet with a BTH and fills the result. `copy`: whether it was captured before. */
void ib_packet(struct rtap_tracker *tracker, struct rtap_packet *packet, enum captured_copy copy, struct frame_result *result);

#endif
