/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What stands behind an RPC header: the arguments or results of a program whose XDR tables we have. One walk serves the
 * packet view and its one-line text (as the layers "nfs", "mount" ...), and whoever gives it a sink (struct xdr_sink).
 */
#ifndef DISSECT_RPC_RPC_BODY_H
#define DISSECT_RPC_RPC_BODY_H

#include <rdmatap/message.h>

#include "dissect/engine/protocol.h"
#include "dissect/rpc/rpc_program.h"
#include "dissect/rpc/xdr.h"
#include "dissect/rpc/xdr_walk.h"

/* Arguments and results of one procedure. NULL: there are none. */
struct xdr_procedure {
	const struct xdr_item *call, *reply;
};

/* Rows that the one-line text shows, with what stands before their value. */
struct rpc_summary_row {
	uint16_t row;
	const char *text;
};

/* A program, in the versions whose tables these are. */
struct xdr_program {
	uint8_t protocol;
	const struct rtap_field *fields; /* the protocol's, which the items' rows are of */
	uint16_t procedure_row; /* told with the procedure's number */
	uint16_t minor_row;     /* the minor version that the one-line text shows behind the version; or XDR_NO_ROW */
	uint32_t count;         /* procedures from 0 on; one without tables that the program has is all zero */
	const struct xdr_procedure *procedures;
	const struct rpc_summary_row *summary; /* ends with XDR_NO_ROW */
};

/*
 * Walks arguments or results of a program that is `known` and has tables, or NULL; the cursor stands at their first byte. OK also
 * if there are no tables for them. A body
 * that RPCSEC_GSS protects ends where facts->body_length says. Bytes left behind the last item are no failure: the
 * caller can see them by the cursor.
 */
enum result rpc_body_walk(const struct rpc_program *known, const struct rtap_rpc_facts *facts, struct xdr *xdr, struct xdr_sink *sink);

enum rpc_outline {
	RPC_OUTLINE_NONE, /* no operations: nobody knows the program, or there is no body */
	RPC_OUTLINE_ONE,  /* *operation is the only one */
	RPC_OUTLINE_WALK, /* rpc_body_walk() can tell them */
};

/*
 * What operations there are in arguments or results that stand in one piece of memory, `length` bytes, and of which nothing stands in
 * chunks: as much of that as can be told without a walk.
 */
enum rpc_outline rpc_body_outline(const struct rpc_program *known, const struct rtap_rpc_facts *facts, const uint8_t *body,
				  uint64_t length, struct rtap_operation *operation);

/*
 * Whether a layer is a program's arguments or results that contradict themselves, and the place in its source where they do. Dissecting
 * does not look into them: this reads all of them.
 */
bool rpc_body_is_malformed(const struct rtap_packet *packet, const struct rtap_layer *layer, uint32_t *offset);

/* For the program's protocol: its visit and summary. */
void rpc_body_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor);
void rpc_body_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line);

#endif
