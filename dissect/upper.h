/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a queue pair's payload is: told by the context or the user, by the queue pair's number, or recognised by content.
 */
#ifndef DISSECT_UPPER_H
#define DISSECT_UPPER_H

#include "dissect/protocol.h"
#include "dissect/rpc_program.h"

struct ib_opcode;

/*
 * The cursor stands at the payload, narrowed to it: notes it and names the protocol that follows in parse->next. OK, as the parse
 * function that ends with it returns it.
 */
enum result upper_begin(struct parse *parse, const struct ib_opcode *opcode);

/* What a TCP segment carries, the bytes at the cursor: the number of a protocol. */
uint8_t upper_of_segment(const struct parse *parse);

/* What a whole Send of RDMAP carries, the bytes at the cursor: the number of a protocol. */
uint8_t upper_of_iwarp_send(const struct parse *parse);

/* Whether the bytes at the cursor are an RPC-over-RDMA message by their content alone. RFC 8166, section 4. */
bool rpcrdma_recognise(const struct cursor *payload);

/* Whether nothing in the first words of these bytes speaks against it: the version, and a type that there is. RFC 8166, 4.1. */
bool rpcrdma_may_be(const uint8_t *bytes, uint32_t length);

/*
 * Whether the bytes at the cursor are an ONC RPC message (RFC 5531, section 9): a call by its content; a reply, which has nothing
 * to know it by, only on a `trusted` port or connection, where a call may be of any program.
 */
bool rpc_recognise(const struct cursor *payload, bool trusted);

/* The same of a record-marked message (RFC 5531, section 11), whole and in one fragment. */
bool rpc_recognise_record(const struct cursor *payload, bool trusted);

/* Whether ONC RPC has the port: rpcbind, NFS, and Linux's mountd. */
static inline bool rpc_port(uint16_t port)
{
	return port == RPC_PORT_RPCBIND || port == RPC_PORT_NFS || port == RPC_PORT_MOUNTD;
}

#define RPCRDMA_PRIVATE_LENGTH 8

/* What RPC-over-RDMA's message in a connection's private data says. Sizes in bytes. RFC 8797, section 4. */
struct rpcrdma_private {
	bool remote_invalidation;
	uint32_t send_size, receive_size;
};

/* Finds that message, which may begin at any byte (RFC 8797, section 5.2). NULL, and *message unchanged, if it is not there. */
const uint8_t *rpcrdma_find_private(const uint8_t *bytes, uint32_t length, struct rpcrdma_private *message);

/* Whether the bytes at the cursor begin with an EoIB header, an Ethernet header and a matching IP header. */
bool eoib_recognise(const struct cursor *payload);

/* Whether the bytes at the cursor begin with an IPoIB header and a matching IP header. RFC 4391, section 6. */
bool ipoib_recognise(const struct cursor *payload);

#endif
