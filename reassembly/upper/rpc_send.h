/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The SEND of a call or reply: the position of its RPC-over-RDMA message, and the copy that is kept until the call is concluded.
 */
#ifndef REASSEMBLY_UPPER_RPC_SEND_H
#define REASSEMBLY_UPPER_RPC_SEND_H

#include "reassembly/frame_result.h"
#include "reassembly/upper/rpc_call.h"

/* Locates the RPC-over-RDMA message in the packet. False: it has none. */
bool rpc_send_locate(const struct rtap_packet *packet, const uint8_t **bytes, uint32_t *captured, uint32_t *wire);

/* Fills the call's `send` from the packet with the complete SEND. False: its chunk lists cannot be read, or out of memory. */
bool rpc_send_fill(struct rtap_tracker *tracker, struct rpc_call *call, struct rpc_send *send, struct message *message,
		   const struct rtap_packet *packet, enum rtap_message_kind kind, struct frame_result *result);

#endif
