/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC over TCP and UDP as connections and messages of the tracker: queues what rpc_carriers.h reports.
 */
#ifndef REASSEMBLY_UPPER_RPC_SOCKET_H
#define REASSEMBLY_UPPER_RPC_SOCKET_H

#include "reassembly/upper.h"

extern const struct upper_socket rpc_socket;

/* Call after rpc_state_init(). fini() frees without a report. */
void rpc_socket_init(struct rtap_tracker *tracker);
void rpc_socket_fini(struct rtap_tracker *tracker);

/* Also reports exchanges to the sinks of rpc_state. */
void rpc_socket_report_exchanges(struct rtap_tracker *tracker);

#endif
