/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The protocol of a queue pair's payload: given by the context, the user or the QPN, or recognised by content.
 */
#ifndef DISSECT_INFINIBAND_UPPER_H
#define DISSECT_INFINIBAND_UPPER_H

#include "dissect/engine/protocol.h"
#include "dissect/rpc/rpc_program.h"

struct ib_opcode;

/*
 * Records the payload, to which the cursor has been narrowed, and sets parse->next to its protocol. Always returns OK, so that
 * parse functions can end with it.
 */
enum result upper_begin(struct parse *parse, const struct ib_opcode *opcode);

/* Number of the protocol that a complete RDMAP Send carries, in the bytes at the cursor. */
uint16_t upper_of_iwarp_send(const struct parse *parse);

/* The cursor is at the context's `chunk`: sets parse->next to its protocol. False: it has too few bytes. */
bool upper_begin_chunk(struct parse *parse, const struct rtap_context *context);

/* Returns whether the port is one of ONC RPC: rpcbind, NFS, or Linux's mountd. */
static inline bool rpc_port(uint16_t port)
{
	return port == RPC_PORT_RPCBIND || port == RPC_PORT_NFS || port == RPC_PORT_MOUNTD;
}

#endif
