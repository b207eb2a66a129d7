/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a queue pair's payload is: told by the context or the user, by the queue pair's number, or recognised by content.
 */
#ifndef DISSECT_INFINIBAND_UPPER_H
#define DISSECT_INFINIBAND_UPPER_H

#include "dissect/engine/protocol.h"
#include "dissect/rpc/rpc_program.h"

struct ib_opcode;

/*
 * The cursor stands at the payload, narrowed to it: notes it and names the protocol that follows in parse->next. OK, as the parse
 * function that ends with it returns it.
 */
enum result upper_begin(struct parse *parse, const struct ib_opcode *opcode);

/* What a whole Send of RDMAP carries, the bytes at the cursor: the number of a protocol. */
uint8_t upper_of_iwarp_send(const struct parse *parse);

/* Whether ONC RPC has the port: rpcbind, NFS, and Linux's mountd. */
static inline bool rpc_port(uint16_t port)
{
	return port == RPC_PORT_RPCBIND || port == RPC_PORT_NFS || port == RPC_PORT_MOUNTD;
}

#endif
