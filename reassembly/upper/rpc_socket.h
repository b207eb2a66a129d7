/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC over TCP and UDP as connections and messages of the tracker: what rpc_carriers.h tells of takes its place among them.
 */
#ifndef REASSEMBLY_UPPER_RPC_SOCKET_H
#define REASSEMBLY_UPPER_RPC_SOCKET_H

#include "reassembly/state.h"

/* Makes the tracker's carriers tell it. */
void rpc_socket_init(struct rtap_tracker *tracker);

/* They tell exchanges too, to the tracker's `exchange`. */
void rpc_socket_tell_exchanges(struct rtap_tracker *tracker);

/* The packet belongs to a conversation: it counts for its connection, and is told which that is. `facts` of a TCP segment, or NULL. */
void rpc_socket_packet(struct rtap_tracker *tracker, struct rpc_conversation *conversation, bool from_a,
		       const struct tcp_segment_facts *facts, struct rtap_packet *packet);

#endif
