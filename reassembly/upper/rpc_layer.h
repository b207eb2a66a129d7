/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC-over-RDMA as an upper layer. RFC 8166, RFC 8267.
 */
#ifndef REASSEMBLY_UPPER_RPC_LAYER_H
#define REASSEMBLY_UPPER_RPC_LAYER_H

#include "reassembly/upper.h"
#include "reassembly/upper/rpc_exchange.h"

extern const struct upper_layer rpc_layer;

/*
 * Call before the first frame: the tracker passes each RPC call with its reply to `take`, in the order of each end's
 * replies within a connection. `payload`: with the bytes of all chunks. Up to RPC_MOST_SINKS calls for a tracker.
 */
void rpc_layer_report_exchanges(struct rtap_tracker *tracker, rpc_take_exchange *take, void *owner, bool payload);

#endif
