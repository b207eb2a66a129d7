/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Network Lock Manager versions 1 to 4 as tables. XNFS (The Open Group), chapter 10; RFC 1813, appendix II.
 */
#include "config.h"

#include "dissect/rpc/nfs.h"
#include "dissect/rpc/nfs_handle.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/xdr_walk.h"

#define NLM_ROWS(X) \
	X(NLM_PROCEDURE_V1, "nlm.procedure_v1", "Procedure", 32, RTAP_DEC, 0, nlm_procedure_names) \
	X(NLM_PROCEDURE_V2, "nlm.procedure_v2", "Procedure", 32, RTAP_DEC, 0, nlm_procedure_names) \
	X(NLM_PROCEDURE_V3, "nlm.procedure_v3", "Procedure", 32, RTAP_DEC, 0, nlm_procedure_names) \
	X(NLM_PROCEDURE_V4, "nlm.procedure_v4", "Procedure", 32, RTAP_DEC, 0, nlm_procedure_names) \
	X(NLM_COOKIE, "nlm.cookie", "Cookie", 0, RTAP_BYTES, RTAP_IS_VERIFIER, NULL) \
	X(NLM_BLOCK, "nlm.block", "Block", 1, RTAP_BOOL, 0, NULL) \
	X(NLM_EXCLUSIVE, "nlm.exclusive", "Exclusive", 1, RTAP_BOOL, 0, NULL) \
	X(NLM_CALLER_NAME, "nlm.lock.caller_name", "Caller", 0, RTAP_TEXT, RTAP_IGNORED, NULL) \
	X(NLM_OWNER, "nlm.lock.owner", "Owner", 0, RTAP_BYTES, RTAP_IS_OWNER, NULL) \
	X(NLM_SVID, "nlm.lock.svid", "Process", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NLM_OFFSET64, "nlm.lock.l_offset64", "Offset", 64, RTAP_DEC, 0, NULL) \
	X(NLM_OFFSET, "nlm.lock.l_offset", "Offset", 32, RTAP_DEC, 0, NULL) \
	X(NLM_LENGTH64, "nlm.lock.l_len64", "Length", 64, RTAP_DEC, 0, NULL) \
	X(NLM_LENGTH, "nlm.lock.l_len", "Length", 32, RTAP_DEC, 0, NULL) \
	X(NLM_RECLAIM, "nlm.reclaim", "Reclaim", 1, RTAP_BOOL, 0, NULL) \
	X(NLM_STATE, "nlm.state", "State", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NLM_STAT, "nlm.stat", "Status", 32, RTAP_DEC, 0, status_names) \
	X(NLM_TEST_STAT, "nlm.test_stat.stat", "Status", 32, RTAP_DEC, 0, status_names) \
	X(NLM_SHARE_MODE, "nlm.share.mode", "Share Mode", 32, RTAP_DEC, 0, mode_names) \
	X(NLM_SHARE_ACCESS, "nlm.share.access", "Share Access", 32, RTAP_DEC, 0, access_names) \
	X(NLM_SHARE_NAME, "nlm.share.name", "Name", 0, RTAP_TEXT, 0, NULL) \
	X(NLM_SEQUENCE, "nlm.sequence", "Sequence", 32, RTAP_DEC, RTAP_IGNORED, NULL)

enum {
	NLM_BEFORE_OWN = NFS_HANDLE_ROW_COUNT - 1,
	NLM_ROWS(NFS_ROW_NUMBER)
};

enum { NLM_GRANTED = 0, NLM_DENIED = 1 };

static const struct rtap_name status_names[] = {
	{ NLM_GRANTED, "GRANTED" }, { NLM_DENIED, "DENIED" }, { 2, "DENIED_NOLOCKS" }, { 3, "BLOCKED" }, { 4, "DENIED_GRACE_PERIOD" },
	{ 5, "DEADLCK" }, { 6, "ROFS" }, { 7, "STALE_FH" }, { 8, "FBIG" }, { 9, "FAILED" }, { 0, NULL },
};

static const struct rtap_name mode_names[] = {
	{ 0, "DENY_NONE" }, { 1, "DENY_READ" }, { 2, "DENY_WRITE" }, { 3, "DENY_BOTH" }, { 0, NULL },
};

static const struct rtap_name access_names[] = { { 0, "NONE" }, { 1, "READ" }, { 2, "WRITE" }, { 3, "BOTH" }, { 0, NULL } };

static const struct rtap_name nlm_procedure_names[] = {
	{ 0, "NULL" }, { 1, "TEST" }, { 2, "LOCK" }, { 3, "CANCEL" }, { 4, "UNLOCK" }, { 5, "GRANTED" }, { 6, "TEST_MSG" },
	{ 7, "LOCK_MSG" }, { 8, "CANCEL_MSG" }, { 9, "UNLOCK_MSG" }, { 10, "GRANTED_MSG" }, { 11, "TEST_RES" },
	{ 12, "LOCK_RES" }, { 13, "CANCEL_RES" }, { 14, "UNLOCK_RES" }, { 15, "GRANTED_RES" }, { 20, "SHARE" },
	{ 21, "UNSHARE" }, { 22, "NM_LOCK" }, { 23, "FREE_ALL" }, { 0, NULL },
};

static const struct rtap_field fields[] = {
	NFS_HANDLE_ROWS(NFS_FIELD)
	NLM_ROWS(NFS_FIELD)
};

#define CALLER_MAX 1024
#define COOKIE XDR_OPAQUE(NLM_COOKIE, 1024)
#define CALLER XDR_OPAQUE(NLM_CALLER_NAME, CALLER_MAX)
#define HANDLE NFS_HANDLE4(0)
#define OWNER XDR_OPAQUE(NLM_OWNER, 1024)

XDR_TYPE(lock, "Lock", CALLER, HANDLE, OWNER, XDR_U32(NLM_SVID), XDR_U32(NLM_OFFSET), XDR_U32(NLM_LENGTH));
XDR_TYPE(lock4, "Lock", CALLER, HANDLE, OWNER, XDR_U32(NLM_SVID), XDR_U64(NLM_OFFSET64), XDR_U64(NLM_LENGTH64));
XDR_TYPE(holder, "Holder", XDR_BOOL(NLM_EXCLUSIVE), XDR_U32(NLM_SVID), OWNER, XDR_U32(NLM_OFFSET), XDR_U32(NLM_LENGTH));
XDR_TYPE(holder4, "Holder", XDR_BOOL(NLM_EXCLUSIVE), XDR_U32(NLM_SVID), OWNER, XDR_U64(NLM_OFFSET64), XDR_U64(NLM_LENGTH64));
XDR_TYPE(share, "Share", CALLER, HANDLE, OWNER, XDR_U32(NLM_SHARE_MODE), XDR_U32(NLM_SHARE_ACCESS));
static const struct xdr_union test_union = { &xdr_void, 1, { { NLM_DENIED, &holder } } };
static const struct xdr_union test4_union = { &xdr_void, 1, { { NLM_DENIED, &holder4 } } };
static const struct xdr_union stat_union = { &xdr_void, 0, { { 0, NULL } } };

#define LOCK_ITEMS(suffix, lock_type) \
	static const struct xdr_item test##suffix##_args[] = { COOKIE, XDR_BOOL(NLM_EXCLUSIVE), XDR_STRUCT(lock_type), XDR_END }; \
	static const struct xdr_item lock##suffix##_args[] = { \
		COOKIE, XDR_BOOL(NLM_BLOCK), XDR_BOOL(NLM_EXCLUSIVE), XDR_STRUCT(lock_type), XDR_BOOL(NLM_RECLAIM), XDR_U32(NLM_STATE), XDR_END, \
	}; \
	static const struct xdr_item cancel##suffix##_args[] = { \
		COOKIE, XDR_BOOL(NLM_BLOCK), XDR_BOOL(NLM_EXCLUSIVE), XDR_STRUCT(lock_type), XDR_END, \
	}; \
	static const struct xdr_item unlock##suffix##_args[] = { COOKIE, XDR_STRUCT(lock_type), XDR_END }; \
	static const struct xdr_item test##suffix##_res[] = { \
		COOKIE, XDR_STATUS(NLM_TEST_STAT, XDR_NO_ROW, test##suffix##_union), XDR_END, \
	}

LOCK_ITEMS(, lock);
LOCK_ITEMS(4, lock4);

static const struct xdr_item stat_res[] = { COOKIE, XDR_STATUS(NLM_STAT, XDR_NO_ROW, stat_union), XDR_END };
static const struct xdr_item share_args[] = { COOKIE, XDR_STRUCT(share), XDR_BOOL(NLM_RECLAIM), XDR_END };
static const struct xdr_item share_res[] = { COOKIE, XDR_STATUS(NLM_STAT, XDR_NO_ROW, stat_union), XDR_U32(NLM_SEQUENCE), XDR_END };
static const struct xdr_item free_all_args[] = { XDR_OPAQUE(NLM_SHARE_NAME, CALLER_MAX), XDR_U32(NLM_STATE), XDR_END };

/* The _MSG and _RES procedures are calls without results: responses are sent as separate calls. */
#define PROCEDURES(suffix) { \
	[1] = { test##suffix##_args, test##suffix##_res }, \
	[2] = { lock##suffix##_args, stat_res }, \
	[3] = { cancel##suffix##_args, stat_res }, \
	[4] = { unlock##suffix##_args, stat_res }, \
	[5] = { test##suffix##_args, stat_res }, \
	[6] = { test##suffix##_args, NULL }, \
	[7] = { lock##suffix##_args, NULL }, \
	[8] = { cancel##suffix##_args, NULL }, \
	[9] = { unlock##suffix##_args, NULL }, \
	[10] = { test##suffix##_args, NULL }, \
	[11] = { test##suffix##_res, NULL }, \
	[12] = { stat_res, NULL }, \
	[13] = { stat_res, NULL }, \
	[14] = { stat_res, NULL }, \
	[15] = { stat_res, NULL }, \
	[20] = { share_args, share_res }, \
	[21] = { share_args, share_res }, \
	[22] = { lock##suffix##_args, stat_res }, \
	[23] = { free_all_args, NULL }, \
}

static const struct xdr_procedure procedures[] = PROCEDURES();
static const struct xdr_procedure procedures4[] = PROCEDURES(4);

static const struct rpc_summary_row summary[] = {
	{ NLM_OFFSET, " ", RPC_SUMMARY_OFFSET }, { NLM_OFFSET64, " ", RPC_SUMMARY_OFFSET }, { NLM_LENGTH, " length ", RPC_SUMMARY_LENGTH },
	{ NLM_LENGTH64, " length ", RPC_SUMMARY_LENGTH }, { XDR_NO_ROW, NULL, RPC_SUMMARY_PLAIN },
};

#define TABLES(version_row, table) { PROTOCOL_NLM, fields, version_row, XDR_NO_ROW, sizeof table / sizeof table[0], table, summary, NULL, NULL }

static const struct xdr_program nlm1_program = TABLES(NLM_PROCEDURE_V1, procedures);
static const struct xdr_program nlm2_program = TABLES(NLM_PROCEDURE_V2, procedures);
static const struct xdr_program nlm3_program = TABLES(NLM_PROCEDURE_V3, procedures);
static const struct xdr_program nlm4_program = TABLES(NLM_PROCEDURE_V4, procedures4);

const struct rpc_program nlm_programs[] = {
	RPC_PROGRAM(RPC_PROGRAM_NLM, 1, 1, "NLM v1", nlm_procedure_names, &nlm1_program),
	RPC_PROGRAM(RPC_PROGRAM_NLM, 2, 2, "NLM v2", nlm_procedure_names, &nlm2_program),
	RPC_PROGRAM(RPC_PROGRAM_NLM, 3, 3, "NLM v3", nlm_procedure_names, &nlm3_program),
	RPC_PROGRAM(RPC_PROGRAM_NLM, 4, 4, "NLM v4", nlm_procedure_names, &nlm4_program),
	RPC_PROGRAM_END,
};

const struct protocol nlm_protocol = {
	.table = { "nlm", "Network Lock Manager", "RFC 1813, appendix II", 0, FIELDS(fields) },
	.scope = SCOPE_CALL,
	.visit = rpc_body_visit,
	.summary = rpc_body_summary,
	.programs = nlm_programs,
};
