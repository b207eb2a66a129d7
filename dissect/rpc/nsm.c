/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Network Status Monitor version 1 as tables. XNFS (The Open Group), chapter 11.
 */
#include "config.h"

#include "dissect/rpc/nfs.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/xdr_walk.h"

#define NSM_ROWS(X) \
	X(NSM_PROCEDURE, "stat.procedure_v1", "Procedure", 32, RTAP_DEC, 0, nsm_procedure_names) \
	X(NSM_NAME, "stat.name", "Name", 0, RTAP_TEXT, RTAP_IGNORED, NULL) \
	X(NSM_RESULT, "stat.stat_res.res", "Result", 32, RTAP_DEC, 0, result_names) \
	X(NSM_RESULT_STATE, "stat.stat_res.state", "State", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NSM_STATE, "stat.state", "State", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NSM_MON_NAME, "stat.mon_id.name", "Monitored", 0, RTAP_TEXT, RTAP_IGNORED, NULL) \
	X(NSM_MY_HOSTNAME, "stat.my_id.hostname", "Host Name", 0, RTAP_TEXT, RTAP_IGNORED, NULL) \
	X(NSM_MY_PROGRAM, "stat.my_id.prog", "Program", 32, RTAP_DEC, 0, NULL) \
	X(NSM_MY_VERSION, "stat.my_id.vers", "Version", 32, RTAP_DEC, 0, NULL) \
	X(NSM_MY_PROCEDURE, "stat.my_id.proc", "Procedure", 32, RTAP_DEC, 0, NULL) \
	X(NSM_PRIVATE, "stat.priv", "Private Data", 0, RTAP_BYTES, 0, NULL)

enum { NSM_ROWS(NFS_ROW_NUMBER) };

static const struct rtap_name result_names[] = { { 0, "SUCC" }, { 1, "FAIL" }, { 0, NULL } };

static const struct rtap_name nsm_procedure_names[] = {
	{ 0, "NULL" }, { 1, "STAT" }, { 2, "MON" }, { 3, "UNMON" }, { 4, "UNMON_ALL" }, { 5, "SIMU_CRASH" }, { 6, "NOTIFY" },
	{ 0, NULL },
};

static const struct rtap_field fields[] = { NSM_ROWS(NFS_FIELD) };

#define NAME_MAX_LENGTH 1024

XDR_TYPE(my_id, "My ID", XDR_OPAQUE(NSM_MY_HOSTNAME, NAME_MAX_LENGTH), XDR_U32(NSM_MY_PROGRAM), XDR_U32(NSM_MY_VERSION),
	 XDR_U32(NSM_MY_PROCEDURE));
static const struct xdr_union result_union = { &xdr_void, 0, { { 0, NULL } } };

static const struct xdr_item name_args[] = { XDR_OPAQUE(NSM_NAME, NAME_MAX_LENGTH), XDR_END };
static const struct xdr_item mon_args[] = {
	XDR_OPAQUE(NSM_MON_NAME, NAME_MAX_LENGTH), XDR_STRUCT(my_id), XDR_FIXED(NSM_PRIVATE, 16), XDR_END,
};
static const struct xdr_item unmon_args[] = { XDR_OPAQUE(NSM_MON_NAME, NAME_MAX_LENGTH), XDR_STRUCT(my_id), XDR_END };
static const struct xdr_item my_id_args[] = { XDR_STRUCT(my_id), XDR_END };
static const struct xdr_item notify_args[] = { XDR_OPAQUE(NSM_MON_NAME, NAME_MAX_LENGTH), XDR_U32(NSM_STATE), XDR_END };
static const struct xdr_item result_res[] = {
	XDR_STATUS(NSM_RESULT, XDR_NO_ROW, result_union), XDR_U32(NSM_RESULT_STATE), XDR_END,
};
static const struct xdr_item state_res[] = { XDR_U32(NSM_STATE), XDR_END };

static const struct xdr_procedure procedures[] = {
	{ NULL, NULL }, { name_args, result_res }, { mon_args, result_res }, { unmon_args, state_res }, { my_id_args, state_res },
	{ NULL, NULL }, { notify_args, NULL },
};

static const struct rpc_summary_row summary[] = {
	{ NSM_NAME, " ", RPC_SUMMARY_PLAIN }, { NSM_MON_NAME, " ", RPC_SUMMARY_PLAIN }, { NSM_STATE, " state ", RPC_SUMMARY_PLAIN },
	{ XDR_NO_ROW, NULL, RPC_SUMMARY_PLAIN },
};

static const struct xdr_program nsm_program = {
	PROTOCOL_NSM, fields, NSM_PROCEDURE, XDR_NO_ROW, sizeof procedures / sizeof procedures[0], procedures, summary, NULL, NULL,
};

const struct rpc_program nsm_programs[] = {
	RPC_PROGRAM(RPC_PROGRAM_NSM, 1, 1, "NSM v1", nsm_procedure_names, &nsm_program),
	RPC_PROGRAM_END,
};

const struct protocol nsm_protocol = {
	.table = { "stat", "Network Status Monitor", "XNFS, chapter 11", 0, FIELDS(fields) },
	.scope = SCOPE_CALL,
	.visit = rpc_body_visit,
	.summary = rpc_body_summary,
	.programs = nsm_programs,
};
