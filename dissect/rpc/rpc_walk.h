/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The walk over an RPC header, which collects facts or visits the fields of the protocol "rpc".
 */
#ifndef DISSECT_RPC_RPC_WALK_H
#define DISSECT_RPC_RPC_WALK_H

#include "dissect/engine/protocol.h"
#include "dissect/rpc/xdr.h"

#define RPC_RECORD_MARK_LENGTH 4 /* RFC 5531, section 11 */
#define RPC_TYPE_END 8 /* the XID and the message type. RFC 5531, section 9 */
#define RPC_LAST_FRAGMENT 0x80000000

enum rpc_row {
	RPC_ROW_XID, RPC_ROW_TYPE, RPC_ROW_VERSION, RPC_ROW_PROGRAM, RPC_ROW_PROGRAM_VERSION, RPC_ROW_PROCEDURE, RPC_ROW_FLAVOR,
	RPC_ROW_AUTH_LENGTH, RPC_ROW_STAMP, RPC_ROW_MACHINE, RPC_ROW_UID, RPC_ROW_GID, RPC_ROW_GSS_VERSION, RPC_ROW_GSS_PROCEDURE,
	RPC_ROW_GSS_SEQUENCE, RPC_ROW_GSS_SERVICE, RPC_ROW_GSS_LENGTH, RPC_ROW_GSS_CONTEXT, RPC_ROW_REPLY, RPC_ROW_ACCEPT,
	RPC_ROW_REJECT, RPC_ROW_AUTH_STAT, RPC_ROW_PROGRAM_MIN, RPC_ROW_PROGRAM_MAX, RPC_ROW_RPC_MIN, RPC_ROW_RPC_MAX,
	RPC_ROW_AUTH_DATA, RPC_ROW_GSS_MAJOR, RPC_ROW_GSS_MINOR, RPC_ROW_GSS_WINDOW, RPC_ROW_GSS_TOKEN_LENGTH, RPC_ROW_GSS_TOKEN,
	RPC_ROW_GSS_DATA_LENGTH, RPC_ROW_GSS_DATA, RPC_ROW_GSS_CHECKSUM, RPC_ROW_LAST_FRAGMENT, RPC_ROW_FRAGMENT_LENGTH,
	RPC_ROW_CALL_FRAME, RPC_ROW_REPLY_FRAME, RPC_ROW_TIME, RPC_ROW_COUNT,
};

extern const struct rtap_field rpc_fields[RPC_ROW_COUNT];
extern const struct rtap_name rpc_accept_names[], rpc_reject_names[], rpc_gss_procedure_names[];

struct rpc_walk {
	struct xdr *xdr;
	uint64_t start; /* of the header in the stream */
	const struct rtap_layer *layer;
	struct rtap_visitor *visitor; /* or NULL */
	const struct rtap_context *context;
	struct rtap_rpc_facts facts;
};

static inline uint32_t rpc_walk_position(const struct rpc_walk *walk)
{
	return (uint32_t)(walk->xdr->position - walk->start);
}

/* Walks the header at the stream's cursor, including the record mark before it if walk->facts.record_mark is set. */
enum result rpc_walk_header(struct rpc_walk *walk);

/*
 * Reads an RPC header (RFC 5531, section 9) and the RPCSEC_GSS wrapping of the body after it (RFC 2203, 5.3.3). The cursor is at
 * the XID; on OK it is after the header, at the arguments or results if facts->has_body. Uses the rpc_ members of the context,
 * which describe the call of a reply.
 */
enum result rpc_read_header(struct xdr *xdr, const struct rtap_context *context, struct rtap_rpc_facts *facts);

/*
 * The facts for an RPC header's layer, or for the header before a body's layer: the packet's facts or, if a segment has several
 * records, facts read again into *own.
 */
const struct rtap_rpc_facts *rpc_layer_facts(const struct rtap_packet *packet, const struct rtap_layer *layer,
					     struct rtap_rpc_facts *own);

#endif
