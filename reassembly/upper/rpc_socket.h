/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC over TCP and UDP as connections and messages of the tracker: queues what rpc_carriers.h reports.
 */
#ifndef REASSEMBLY_UPPER_RPC_SOCKET_H
#define REASSEMBLY_UPPER_RPC_SOCKET_H

#include "reassembly/state.h"

/* Registers the callbacks with the tracker's carriers. */
void rpc_socket_init(struct rtap_tracker *tracker);

/* Also reports exchanges to the tracker's `exchange`. */
void rpc_socket_report_exchanges(struct rtap_tracker *tracker);

/*
 * A packet of a conversation: counts it for its connection and sets the packet's connection. `facts` of a TCP segment, or
 * NULL.
 */
void rpc_socket_packet(struct rtap_tracker *tracker, struct rpc_conversation *conversation, bool from_a,
		       const struct tcp_segment_facts *facts, struct rtap_packet *packet);

#endif
