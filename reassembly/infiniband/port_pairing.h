/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pairing by the UDP source port of RoCE v2. Senders derive it from the two queue pairs' numbers, or from the flow label that
 * communication management agreed on, so both directions of a connection have the same one. 14 bits are evidence; what
 * proves it is that the other direction's port is the same, and no other flow between the two hosts has it.
 */
#ifndef REASSEMBLY_INFINIBAND_PORT_PAIRING_H
#define REASSEMBLY_INFINIBAND_PORT_PAIRING_H

#include "reassembly/state.h"

/* Linux: rdma_flow_label_to_udp_sport(), of a 20-bit label. */
uint16_t port_of_label(uint32_t label);

/* Linux: rdma_calc_flow_label() and that: the port of a connection without a label of its own. */
uint16_t port_of_queue_pairs(uint32_t qpn, uint32_t other_qpn);

/* The flow's packets have this source port. By label: that is known from communication management, no packet was seen. */
void port_pairing_enter(struct rtap_tracker *tracker, struct flow *flow, uint16_t port, bool by_label);

void port_pairing_leave(struct rtap_tracker *tracker, struct flow *flow);

/* Whether the ports of two flows are those of one connection between their queue pairs. */
bool port_pairing_fits(const struct flow *flow, const struct flow *other);

/* The flow of the other direction, if the port proves it; NULL: it does not. */
struct flow *port_pairing_partner(const struct flow *flow);

/* Two flows are of one connection, which is known by other signs. */
void port_pairing_note(struct rtap_tracker *tracker, const struct flow *flow, const struct flow *other);

/* Whether the ports speak against what PSNs say: they differ, where all connections so far had one and the same. */
bool port_pairing_doubts(const struct rtap_tracker *tracker, const struct flow *flow, const struct flow *other);

#endif
