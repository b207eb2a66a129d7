/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The portmapper (version 2) and rpcbind (versions 3 and 4) as tables. RFC 1833.
 */
#include "config.h"

#include "dissect/rpc/nfs.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/xdr_walk.h"

#define PORTMAP_ROWS(X) \
	X(PORTMAP_PROCEDURE_V2, "portmap.procedure_v2", "Procedure", 32, RTAP_DEC, 0, portmap_procedure2_names) \
	X(PORTMAP_PROCEDURE_V3, "portmap.procedure_v3", "Procedure", 32, RTAP_DEC, 0, portmap_procedure3_names) \
	X(PORTMAP_PROCEDURE_V4, "portmap.procedure_v4", "Procedure", 32, RTAP_DEC, 0, portmap_procedure4_names) \
	X(PORTMAP_PROG, "portmap.prog", "Program", 32, RTAP_DEC, 0, rpc_program_names) \
	X(PORTMAP_VERSION, "portmap.version", "Version", 32, RTAP_DEC, 0, NULL) \
	X(PORTMAP_PROTO, "portmap.proto", "Protocol", 32, RTAP_DEC, 0, proto_names) \
	X(PORTMAP_PORT, "portmap.port", "Port", 32, RTAP_DEC, 0, NULL) \
	X(PORTMAP_PROC, "portmap.proc", "Procedure Called", 32, RTAP_DEC, 0, NULL) \
	X(PORTMAP_ANSWER, "portmap.answer", "Answer", 1, RTAP_BOOL, 0, NULL) \
	X(PORTMAP_ARGS, "portmap.args", "Arguments", 0, RTAP_BYTES, 0, NULL) \
	X(PORTMAP_RESULT, "portmap.result", "Result", 0, RTAP_BYTES, 0, NULL) \
	X(PORTMAP_RPCB_PROG, "portmap.rpcb.prog", "Program", 32, RTAP_DEC, 0, rpc_program_names) \
	X(PORTMAP_RPCB_VERSION, "portmap.rpcb.version", "Version", 32, RTAP_DEC, 0, NULL) \
	X(PORTMAP_RPCB_NETID, "portmap.rpcb.netid", "Network ID", 0, RTAP_TEXT, 0, NULL) \
	X(PORTMAP_RPCB_ADDR, "portmap.rpcb.addr", "Universal Address", 0, RTAP_TEXT, 0, NULL) \
	X(PORTMAP_RPCB_OWNER, "portmap.rpcb.owner", "Owner", 0, RTAP_TEXT, RTAP_COMPARED, NULL) \
	X(PORTMAP_UADDR, "portmap.uaddr", "Universal Address", 0, RTAP_TEXT, 0, NULL) \
	X(PORTMAP_TIME, "portmap.time", "Time", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(PORTMAP_TADDR, "portmap.taddr", "Transport Address", 0, RTAP_BYTES, 0, NULL) \
	X(PORTMAP_MAXLEN, "portmap.taddr.maxlen", "Maximum Length", 32, RTAP_DEC, 0, NULL) \
	X(PORTMAP_SEMANTICS, "portmap.rpcb.semantics", "Semantics", 32, RTAP_DEC, 0, NULL) \
	X(PORTMAP_FAMILY, "portmap.rpcb.family", "Protocol Family", 0, RTAP_TEXT, 0, NULL) \
	X(PORTMAP_FAMILY_PROTO, "portmap.rpcb.proto", "Protocol", 0, RTAP_TEXT, 0, NULL)

enum { PORTMAP_ROWS(NFS_ROW_NUMBER) };

static const struct rtap_name proto_names[] = { { 6, "TCP" }, { 17, "UDP" }, { 0, NULL } };

static const struct rtap_name portmap_procedure2_names[] = {
	{ 0, "NULL" }, { 1, "SET" }, { 2, "UNSET" }, { 3, "GETPORT" }, { 4, "DUMP" }, { 5, "CALLIT" }, { 0, NULL },
};

static const struct rtap_name portmap_procedure3_names[] = {
	{ 0, "NULL" }, { 1, "SET" }, { 2, "UNSET" }, { 3, "GETADDR" }, { 4, "DUMP" }, { 5, "CALLIT" }, { 6, "GETTIME" },
	{ 7, "UADDR2TADDR" }, { 8, "TADDR2UADDR" }, { 0, NULL },
};

static const struct rtap_name portmap_procedure4_names[] = {
	{ 0, "NULL" }, { 1, "SET" }, { 2, "UNSET" }, { 3, "GETADDR" }, { 4, "DUMP" }, { 5, "BCAST" }, { 6, "GETTIME" },
	{ 7, "UADDR2TADDR" }, { 8, "TADDR2UADDR" }, { 9, "GETVERSADDR" }, { 10, "INDIRECT" }, { 11, "GETADDRLIST" },
	{ 12, "GETSTAT" }, { 0, NULL },
};

static const struct rtap_field fields[] = { PORTMAP_ROWS(NFS_FIELD) };

/* Section 3 */
XDR_TYPE(mapping, "Mapping", XDR_U32(PORTMAP_PROG), XDR_U32(PORTMAP_VERSION), XDR_U32(PORTMAP_PROTO), XDR_U32(PORTMAP_PORT));
static const struct xdr_item mapping_args[] = {
	XDR_U32(PORTMAP_PROG), XDR_U32(PORTMAP_VERSION), XDR_U32(PORTMAP_PROTO), XDR_U32(PORTMAP_PORT), XDR_END,
};
static const struct xdr_item callit_args[] = {
	XDR_U32(PORTMAP_PROG), XDR_U32(PORTMAP_VERSION), XDR_U32(PORTMAP_PROC), XDR_OPAQUE(PORTMAP_ARGS, 0), XDR_END,
};
static const struct xdr_item answer_res[] = { XDR_BOOL(PORTMAP_ANSWER), XDR_END };
static const struct xdr_item port_res[] = { XDR_U32(PORTMAP_PORT), XDR_END };
static const struct xdr_item dump2_res[] = { XDR_LIST(XDR_NO_ROW, mapping), XDR_END };
static const struct xdr_item callit_res[] = { XDR_U32(PORTMAP_PORT), XDR_OPAQUE(PORTMAP_RESULT, 0), XDR_END };

static const struct xdr_procedure procedures2[] = {
	{ NULL, NULL }, { mapping_args, answer_res }, { mapping_args, answer_res }, { mapping_args, port_res }, { NULL, dump2_res },
	{ callit_args, callit_res },
};

/* Section 2.1 */
#define RPCB XDR_U32(PORTMAP_RPCB_PROG), XDR_U32(PORTMAP_RPCB_VERSION), XDR_OPAQUE(PORTMAP_RPCB_NETID, 0), \
	XDR_OPAQUE(PORTMAP_RPCB_ADDR, 0), XDR_OPAQUE(PORTMAP_RPCB_OWNER, 0)
XDR_TYPE(rpcb, "Service", RPCB);
XDR_TYPE(address, "Address", XDR_OPAQUE(PORTMAP_UADDR, 0), XDR_OPAQUE(PORTMAP_RPCB_NETID, 0), XDR_U32(PORTMAP_SEMANTICS),
	 XDR_OPAQUE(PORTMAP_FAMILY, 0), XDR_OPAQUE(PORTMAP_FAMILY_PROTO, 0));
static const struct xdr_item rpcb_args[] = { RPCB, XDR_END };
static const struct xdr_item uaddr_args[] = { XDR_OPAQUE(PORTMAP_UADDR, 0), XDR_END };
static const struct xdr_item taddr_args[] = { XDR_U32(PORTMAP_MAXLEN), XDR_OPAQUE(PORTMAP_TADDR, 0), XDR_END };
static const struct xdr_item dump3_res[] = { XDR_LIST(XDR_NO_ROW, rpcb), XDR_END };
static const struct xdr_item callit3_res[] = { XDR_OPAQUE(PORTMAP_UADDR, 0), XDR_OPAQUE(PORTMAP_RESULT, 0), XDR_END };
static const struct xdr_item time_res[] = { XDR_U32(PORTMAP_TIME), XDR_END };
static const struct xdr_item addresses_res[] = { XDR_LIST(XDR_NO_ROW, address), XDR_END };

/* GETSTAT results are counters of three versions, not used over RDMA: not dissected */
static const struct xdr_procedure procedures3[] = {
	{ NULL, NULL }, { rpcb_args, answer_res }, { rpcb_args, answer_res }, { rpcb_args, uaddr_args }, { NULL, dump3_res },
	{ callit_args, callit3_res }, { NULL, time_res }, { uaddr_args, taddr_args }, { taddr_args, uaddr_args },
	{ rpcb_args, uaddr_args }, { callit_args, callit3_res }, { rpcb_args, addresses_res }, { NULL, NULL },
};

static const struct rpc_summary_row summary[] = {
	{ PORTMAP_PROG, " ", RPC_SUMMARY_PLAIN }, { PORTMAP_VERSION, " v", RPC_SUMMARY_PLAIN }, { PORTMAP_PROTO, " ", RPC_SUMMARY_PLAIN },
	{ PORTMAP_PORT, " port ", RPC_SUMMARY_PLAIN },
	{ PORTMAP_RPCB_PROG, " ", RPC_SUMMARY_PLAIN }, { PORTMAP_RPCB_VERSION, " v", RPC_SUMMARY_PLAIN }, { PORTMAP_RPCB_NETID, " ", RPC_SUMMARY_PLAIN },
	{ PORTMAP_UADDR, " ", RPC_SUMMARY_PLAIN }, { XDR_NO_ROW, NULL, RPC_SUMMARY_PLAIN },
};

static const struct xdr_program portmap2_program = {
	PROTOCOL_PORTMAP, fields, PORTMAP_PROCEDURE_V2, XDR_NO_ROW, sizeof procedures2 / sizeof procedures2[0], procedures2, summary, NULL, NULL,
};

/* version 3 ends with TADDR2UADDR (8) */
static const struct xdr_program portmap3_program = { PROTOCOL_PORTMAP, fields, PORTMAP_PROCEDURE_V3, XDR_NO_ROW, 9, procedures3,
	summary, NULL, NULL };

static const struct xdr_program portmap4_program = {
	PROTOCOL_PORTMAP, fields, PORTMAP_PROCEDURE_V4, XDR_NO_ROW, sizeof procedures3 / sizeof procedures3[0], procedures3, summary, NULL, NULL,
};

const struct rpc_program portmap_programs[] = {
	RPC_PROGRAM(RPC_PROGRAM_PORTMAPPER, 2, 2, "portmapper v2", portmap_procedure2_names, &portmap2_program),
	RPC_PROGRAM(RPC_PROGRAM_PORTMAPPER, 3, 3, "portmapper v3", portmap_procedure3_names, &portmap3_program),
	RPC_PROGRAM(RPC_PROGRAM_PORTMAPPER, 4, 4, "portmapper v4", portmap_procedure4_names, &portmap4_program),
	RPC_PROGRAM_END,
};

const struct protocol portmap_protocol = {
	.table = { "portmap", "Portmapper, rpcbind", "RFC 1833", 0, FIELDS(fields) },
	.scope = SCOPE_CALL,
	.visit = rpc_body_visit,
	.summary = rpc_body_summary,
	.programs = portmap_programs,
};
