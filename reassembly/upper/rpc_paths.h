/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The paths of files in the packet view of NFS calls. Names are learned from the replies that packets show, in the order of packets, so
 * that a path is what the client could know when it sent the call. Calls with names are kept until their reply is shown, in a small part of
 * the memory limit: those evicted are counted.
 */
#ifndef REASSEMBLY_UPPER_RPC_PATHS_H
#define REASSEMBLY_UPPER_RPC_PATHS_H

#include "reassembly/state.h"

struct rpc_paths;

/* A packet whose layers are final: sets packet->paths of its calls, and learns from its replies. */
void rpc_paths_packet(struct rtap_tracker *tracker, struct rtap_packet *packet);

void rpc_paths_fini(struct rtap_tracker *tracker);

#endif
