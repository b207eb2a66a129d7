/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC-over-RDMA as an upper layer. RFC 8166, RFC 8267.
 */
#ifndef REASSEMBLY_UPPER_RPC_LAYER_H
#define REASSEMBLY_UPPER_RPC_LAYER_H

#include "reassembly/upper.h"

extern const struct upper_layer rpc_layer;

#endif
