/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NFSACL versions 2 and 3 as tables: POSIX ACLs beside NFSv2 and v3. No standard describes it (RFC 8267, 5.2); Linux and Solaris
 * agree. Version 2 has NFSv2's handles and attributes (RFC 1094, 2.3).
 */
#include "config.h"

#include "dissect/rpc/nfs.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/xdr_walk.h"

#define NFSACL_ROWS(X) \
	X(NFSACL_PROCEDURE_V2, "nfsacl.procedure_v2", "Procedure", 32, RTAP_DEC, 0, nfsacl_procedure2_names) \
	X(NFSACL_PROCEDURE_V3, "nfsacl.procedure_v3", "Procedure", 32, RTAP_DEC, 0, nfsacl_procedure3_names) \
	X(NFSACL_MASK, "nfsacl.mask", "Mask", 32, RTAP_HEX, 0, NULL) \
	X(NFSACL_COUNT, "nfsacl.aclcnt", "Entries", 32, RTAP_DEC, 0, NULL) \
	X(NFSACL_DEFAULT_COUNT, "nfsacl.dfaclcnt", "Default Entries", 32, RTAP_DEC, 0, NULL) \
	X(NFSACL_TYPE, "nfsacl.aclent.type", "Type", 32, RTAP_DEC, 0, type_names) \
	X(NFSACL_UID, "nfsacl.aclent.uid", "UID", 32, RTAP_DEC, 0, NULL) \
	X(NFSACL_PERM, "nfsacl.aclent.perm", "Permissions", 32, RTAP_DEC, 0, NULL) \
	X(NFSACL_ACCESS_CHECK, "nfs.access_check", "Access Asked For", 32, RTAP_HEX8, 0, NULL) \
	X(NFSACL_ACCESS_RIGHTS, "nfs.access_rights", "Access Granted", 32, RTAP_HEX8, 0, NULL) \
	X(NFSACL_FATTR_SIZE, "nfs.fattr.size", "Size", 32, RTAP_DEC, 0, NULL) \
	X(NFSACL_FATTR_BLOCKSIZE, "nfs.fattr.blocksize", "Block Size", 32, RTAP_DEC, 0, NULL) \
	X(NFSACL_FATTR_RDEV, "nfs.fattr.rdev", "Device", 32, RTAP_DEC, 0, NULL) \
	X(NFSACL_FATTR_BLOCKS, "nfs.fattr.blocks", "Blocks", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFSACL_FATTR_FSID, "nfs.fattr.fsid", "File System", 32, RTAP_HEX, RTAP_IGNORED, NULL) \
	X(NFSACL_FATTR_FILEID, "nfs.fattr.fileid", "File ID", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFSACL_ATIME_USEC, "nfs.atime.usec", "Access Time, Microseconds", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFSACL_MTIME_USEC, "nfs.mtime.usec", "Modification Time, Microseconds", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFSACL_CTIME_USEC, "nfs.ctime.usec", "Change Time, Microseconds", 32, RTAP_DEC, RTAP_IGNORED, NULL)

enum {
	NFSACL_BEFORE_OWN = NFS_ATTRIBUTE_ROW_COUNT - 1,
	NFSACL_ROWS(NFS_ROW_NUMBER)
};

static const struct rtap_name type_names[] = {
	{ 1, "USER_OBJ" }, { 2, "USER" }, { 4, "GROUP_OBJ" }, { 8, "GROUP" }, { 16, "CLASS_OBJ" }, { 32, "OTHER_OBJ" },
	{ 0x1001, "DEFAULT USER_OBJ" }, { 0x1002, "DEFAULT USER" }, { 0x1004, "DEFAULT GROUP_OBJ" }, { 0x1008, "DEFAULT GROUP" },
	{ 0x1010, "DEFAULT CLASS_OBJ" }, { 0x1020, "DEFAULT OTHER_OBJ" }, { 0, NULL },
};

static const struct rtap_name nfsacl_procedure2_names[] = {
	{ 0, "NULL" }, { 1, "GETACL" }, { 2, "SETACL" }, { 3, "GETATTR" }, { 4, "ACCESS" }, { 0, NULL },
};

static const struct rtap_name nfsacl_procedure3_names[] = { { 0, "NULL" }, { 1, "GETACL" }, { 2, "SETACL" }, { 0, NULL } };

static const struct rtap_field fields[] = {
	NFS_HANDLE_ROWS(NFS_FIELD)
	NFS_ATTRIBUTE_ROWS(NFS_FIELD)
	NFSACL_ROWS(NFS_FIELD)
};

#define MAX_ENTRIES 1024
#define FHSIZE 32

XDR_TYPE(entry, "ACL Entry", XDR_U32(NFSACL_TYPE), XDR_U32(NFSACL_UID), XDR_U32(NFSACL_PERM));
/* two counts: of the existing entries, and of those that follow */
#define ACL XDR_U32(NFSACL_MASK), XDR_U32(NFSACL_COUNT), XDR_ARRAY(XDR_NO_ROW, MAX_ENTRIES, entry), XDR_U32(NFSACL_DEFAULT_COUNT), \
	XDR_ARRAY(XDR_NO_ROW, MAX_ENTRIES, entry)

/* NFSv2 */
#define HANDLE2 XDR_FIXED(NFS_FHANDLE, FHSIZE)
XDR_TYPE(fattr2, "Attributes", XDR_U32(NFS_FATTR3_TYPE), XDR_U32(NFS_MODE3), XDR_U32(NFS_FATTR3_NLINK), XDR_U32(NFS_FATTR3_UID),
	 XDR_U32(NFS_FATTR3_GID), XDR_U32(NFSACL_FATTR_SIZE), XDR_U32(NFSACL_FATTR_BLOCKSIZE), XDR_U32(NFSACL_FATTR_RDEV),
	 XDR_U32(NFSACL_FATTR_BLOCKS), XDR_U32(NFSACL_FATTR_FSID), XDR_U32(NFSACL_FATTR_FILEID), XDR_U32(NFS_ATIME_SEC),
	 XDR_U32(NFSACL_ATIME_USEC), XDR_U32(NFS_MTIME_SEC), XDR_U32(NFSACL_MTIME_USEC), XDR_U32(NFS_CTIME_SEC),
	 XDR_U32(NFSACL_CTIME_USEC));
XDR_TYPE(getacl2_ok, NULL, XDR_STRUCT(fattr2), ACL);
XDR_TYPE(access2_ok, NULL, XDR_STRUCT(fattr2), XDR_U32(NFSACL_ACCESS_RIGHTS));
static const struct xdr_union getacl2_union = { &xdr_void, 1, { { 0, &getacl2_ok } } };
static const struct xdr_union fattr2_union = { &xdr_void, 1, { { 0, &fattr2 } } };
static const struct xdr_union access2_union = { &xdr_void, 1, { { 0, &access2_ok } } };

static const struct xdr_item getacl2_args[] = { HANDLE2, XDR_U32(NFSACL_MASK), XDR_END };
static const struct xdr_item setacl2_args[] = { HANDLE2, ACL, XDR_END };
static const struct xdr_item getattr2_args[] = { HANDLE2, XDR_END };
static const struct xdr_item access2_args[] = { HANDLE2, XDR_U32(NFSACL_ACCESS_CHECK), XDR_END };
static const struct xdr_item getacl2_res[] = { XDR_STATUS(NFS_STATUS, XDR_NO_ROW, getacl2_union), XDR_END };
static const struct xdr_item fattr2_res[] = { XDR_STATUS(NFS_STATUS, XDR_NO_ROW, fattr2_union), XDR_END };
static const struct xdr_item access2_res[] = { XDR_STATUS(NFS_STATUS, XDR_NO_ROW, access2_union), XDR_END };

static const struct xdr_procedure procedures2[] = {
	{ NULL, NULL }, { getacl2_args, getacl2_res }, { setacl2_args, fattr2_res }, { getattr2_args, fattr2_res },
	{ access2_args, access2_res },
};

/* NFSv3 */
XDR_TYPE(getacl3_ok, NULL, XDR_STRUCT(nfs_post_op_attr), ACL);
static const struct xdr_union getacl3_union = { &nfs_post_op_attr, 1, { { 0, &getacl3_ok } } };
static const struct xdr_union setacl3_union = { &nfs_post_op_attr, 0, { { 0, NULL } } };

static const struct xdr_item getacl3_args[] = { XDR_STRUCT(nfs_fh3), XDR_U32(NFSACL_MASK), XDR_END };
static const struct xdr_item setacl3_args[] = { XDR_STRUCT(nfs_fh3), ACL, XDR_END };
static const struct xdr_item getacl3_res[] = { XDR_STATUS(NFS_STATUS, XDR_NO_ROW, getacl3_union), XDR_END };
static const struct xdr_item setacl3_res[] = { XDR_STATUS(NFS_STATUS, XDR_NO_ROW, setacl3_union), XDR_END };

static const struct xdr_procedure procedures3[] = { { NULL, NULL }, { getacl3_args, getacl3_res }, { setacl3_args, setacl3_res } };

static const struct rpc_summary_row summary[] = {
	{ NFSACL_COUNT, " entries ", RPC_SUMMARY_UNLESS_0 }, { NFSACL_DEFAULT_COUNT, " default entries ", RPC_SUMMARY_UNLESS_0 },
	{ XDR_NO_ROW, NULL, RPC_SUMMARY_PLAIN },
};

#define TABLES(version_row, table) { PROTOCOL_NFSACL, fields, version_row, XDR_NO_ROW, sizeof table / sizeof table[0], table, summary, NULL, NULL }

static const struct xdr_program nfsacl2_program = TABLES(NFSACL_PROCEDURE_V2, procedures2);
static const struct xdr_program nfsacl3_program = TABLES(NFSACL_PROCEDURE_V3, procedures3);

const struct rpc_program nfsacl_programs[] = {
	RPC_PROGRAM(RPC_PROGRAM_NFSACL, 2, 2, "NFSACL v2", nfsacl_procedure2_names, &nfsacl2_program),
	RPC_PROGRAM(RPC_PROGRAM_NFSACL, 3, 3, "NFSACL v3", nfsacl_procedure3_names, &nfsacl3_program),
	RPC_PROGRAM_END,
};

const struct protocol nfsacl_protocol = {
	.table = { "nfsacl", "NFS Access Control Lists", "RFC 8267, 5.2", 0, FIELDS(fields) },
	.scope = SCOPE_CALL,
	.visit = rpc_body_visit,
	.summary = rpc_body_summary,
	.programs = nfsacl_programs,
};
