/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * InfiniBand and RoCE packets: the flow and the connection of each, and its role: a request, a response, a
 * datagram, a CNP.
 */
#ifndef REASSEMBLY_IB_PACKET_H
#define REASSEMBLY_IB_PACKET_H

#include "reassembly/captured_copies.h"
#include "reassembly/state.h"

/* Sender and receiver of a packet, with queue pairs as far as it shows them. */
void ib_packet_ends(const struct rtap_packet *packet, struct rtap_end *source, struct rtap_end *destination);

/* Processes a packet with a BTH and fills the result. `copy`: whether it was captured before. */
void ib_packet(struct rtap_tracker *tracker, struct rtap_packet *packet, enum captured_copy copy, struct frame_result *result);

#endif
