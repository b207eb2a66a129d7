/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pairing by the UDP source port of RoCE v2. Senders derive it from the two queue pair numbers, or from the flow label
 * agreed by communication management, so both directions of a connection use the same port. 14 bits are evidence. It becomes
 * proof when the other direction has the same port and no other flow between the two hosts has it.
 */
#ifndef REASSEMBLY_INFINIBAND_PORT_PAIRING_H
#define REASSEMBLY_INFINIBAND_PORT_PAIRING_H

#include "reassembly/state.h"

/* Makes the index of the tracker empty. */
void port_pairing_init(struct rtap_tracker *tracker);

/* UDP source port for a 20-bit flow label. Linux: rdma_flow_label_to_udp_sport(). */
uint16_t port_of_label(uint32_t label);

/*
 * UDP source port of a connection without a flow label of its own. Linux: rdma_calc_flow_label() and
 * rdma_flow_label_to_udp_sport().
 */
uint16_t port_of_queue_pairs(uint32_t qpn, uint32_t other_qpn);

/* Registers the source port of a flow. `by_label`: the port is known from communication management, not from a packet. */
void port_pairing_enter(struct rtap_tracker *tracker, struct flow *flow, uint16_t port, bool by_label);

void port_pairing_leave(struct rtap_tracker *tracker, struct flow *flow);

/* Whether the ports of two flows match one connection between their queue pairs. */
bool port_pairing_fits(const struct flow *flow, const struct flow *other);

/* The flow of the other direction, if the port proves it. NULL: not proven. */
struct flow *port_pairing_partner(const struct flow *flow);

/* Two flows belong to one connection, by other evidence: counts whether their ports match. */
void port_pairing_note(struct rtap_tracker *tracker, const struct flow *flow, const struct flow *other);

/* Whether the ports contradict the PSNs: they differ, although all connections so far had matching ports. */
bool port_pairing_doubts(const struct rtap_tracker *tracker, const struct flow *flow, const struct flow *other);

#endif
