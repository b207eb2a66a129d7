/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC bodies: the arguments or results of a program with XDR tables. One walk serves the packet view and its one-line text
 * (layers "nfs", "mount" ...), and any caller with a sink (struct xdr_sink).
 */
#ifndef DISSECT_RPC_RPC_BODY_H
#define DISSECT_RPC_RPC_BODY_H

#include <rdmatap/message.h>

#include "dissect/engine/protocol.h"
#include "dissect/rpc/rpc_program.h"
#include "dissect/rpc/xdr.h"
#include "dissect/rpc/xdr_walk.h"

/* Arguments and results of one procedure. NULL: none. */
struct xdr_procedure {
	const struct xdr_item *call, *reply;
};

/* How the one-line text shows a value. */
enum rpc_summary_form {
	RPC_SUMMARY_PLAIN,
	RPC_SUMMARY_UNLESS_0,
	RPC_SUMMARY_OFFSET,
	RPC_SUMMARY_LENGTH, /* after an offset: "0+4096" */
	RPC_SUMMARY_HANDLE, /* of a call: the path of the file, or the hash of the handle; once, before the next value */
	RPC_SUMMARY_NAME,   /* a name in the directory with the handle before it */
};

/* What an operation of a COMPOUND does to the current file handle, of which its text has the path. */
enum rpc_handle_effect {
	RPC_HANDLE_KEPT,
	RPC_HANDLE_ROOT,     /* sets it to the root */
	RPC_HANDLE_REPLACED, /* the operation is about the old one, and sets another */
	RPC_HANDLE_SAVE, RPC_HANDLE_RESTORE,
	RPC_HANDLE_OF_SAVED, /* the operation is about the saved one too */
};

/* A row in the one-line text, with the text before its value. */
struct rpc_summary_row {
	uint16_t row;
	const char *text;
	enum rpc_summary_form form;
};

/* A program, in the versions to which these tables apply. */
struct xdr_program {
	uint16_t protocol;
	const struct rtap_field *fields; /* the protocol's field table, to which the items' rows refer */
	uint16_t procedure_row; /* row with the procedure's number */
	uint16_t minor_row;     /* row of the minor version, shown after the version in the one-line text; or XDR_NO_ROW */
	uint32_t count;         /* number of procedures, from 0; those without tables are all zero */
	const struct xdr_procedure *procedures;
	const struct rpc_summary_row *summary; /* ends with XDR_NO_ROW */
	uint8_t (*tier)(uint32_t number); /* of a COMPOUND's operation: the one-line text shows those of the lowest; NULL: all are alike */
	enum rpc_handle_effect (*handle_effect)(uint32_t number); /* NULL: there is no current handle */
};

/*
 * Walks the arguments or results of the program `known` (or NULL), with the cursor at their first byte. Returns OK also if there
 * are no tables for them. facts->body_length gives the end of a body protected by RPCSEC_GSS. Bytes left after the last item are
 * not an error: the cursor shows them to the caller.
 */
enum result rpc_body_walk(const struct rpc_program *known, const struct rtap_rpc_facts *facts, struct xdr *xdr, struct xdr_sink *sink);

enum rpc_outline {
	RPC_OUTLINE_NONE, /* no operations: the program is unknown, or there is no body */
	RPC_OUTLINE_ONE,  /* *operation is the only one */
	RPC_OUTLINE_WALK, /* rpc_body_walk() finds them */
};

/*
 * Determines, without a walk as far as possible, the operations in arguments or results of `length` bytes that are contiguous in
 * memory and have no parts in chunks.
 */
enum rpc_outline rpc_body_outline(const struct rpc_program *known, const struct rtap_rpc_facts *facts, const uint8_t *body,
				  uint64_t length, struct rtap_item *operation);

/*
 * Returns whether a layer is a program's malformed arguments or results, and sets *offset to the position of the error in its
 * source. Dissection does not examine them; this function reads all of them.
 */
bool rpc_body_is_malformed(const struct rtap_packet *packet, const struct rtap_layer *layer, uint32_t *offset);

/* visit and summary of the programs' protocols. */
void rpc_body_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor);
void rpc_body_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line);

#endif
