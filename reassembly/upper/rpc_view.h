/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a packet shows of RPC-over-RDMA besides its own header: the call or reply that its data or SEND completed, which is set in the context
 * for another dissection, borrowed until the next such message.
 */
#ifndef REASSEMBLY_UPPER_RPC_VIEW_H
#define REASSEMBLY_UPPER_RPC_VIEW_H

#include "reassembly/upper.h"

struct rpc_call;

/* Dissects a SEND that only the connection identifies. */
void rpc_view_bare(struct upper_work *work);

/* Sets a call: inline or, for RDMA_NOMSG, its header and its read chunks. False: incomplete. */
bool rpc_view_call(struct upper_work *work, const struct rpc_call *call);

/* The same for a reply in a chunk: that of a call whose SEND was captured before this WRITE; that whose SEND is the packet. */
bool rpc_view_written_reply(struct upper_work *work, const struct rpc_call *call);
bool rpc_view_reply(struct upper_work *work);

/*
 * Sets the call in chunks that were all captured before its SEND, which is the packet and has been taken. Returns it; NULL: it is no such
 * SEND.
 */
struct rpc_call *rpc_view_preceded(struct upper_work *work);

/* Sets the program and procedure of a reply, which its call has. False: the call is unknown, or the message is no reply. */
bool rpc_view_knows_call(struct upper_work *work);

/* Dissects the packet again, with the RPC message in the context. A call in read chunks (`read`; NULL: none) keeps its facts for the reply. */
void rpc_view_chunk(struct upper_work *work, struct rpc_call *read);

/* If the packet is the SEND of a call whose read chunks are incomplete, notes that a later packet shows the call. */
void rpc_view_follows(struct upper_work *work);

/* upper_layer.ahead */
void rpc_view_ahead(struct upper_work *work);

#endif
