/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The Network File System, in all versions. RFC 1813; RFC 8881. Version 2 (RFC 1094) has names only.
 */
#include "config.h"

#include "dissect/rpc/nfs.h"

static const struct rtap_name nfs_2[] = {
	{ 0, "NULL" }, { 1, "GETATTR" }, { 2, "SETATTR" }, { 3, "ROOT" }, { 4, "LOOKUP" }, { 5, "READLINK" }, { 6, "READ" },
	{ 7, "WRITECACHE" }, { 8, "WRITE" }, { 9, "CREATE" }, { 10, "REMOVE" }, { 11, "RENAME" }, { 12, "LINK" },
	{ 13, "SYMLINK" }, { 14, "MKDIR" }, { 15, "RMDIR" }, { 16, "READDIR" }, { 17, "STATFS" }, { 0, NULL },
};

const struct rpc_program nfs_programs[] = {
	/* most traffic is of the first ones */
	RPC_PROGRAM(RPC_PROGRAM_NFS, 3, 3, "NFS v3", nfs_procedure3_names, &nfs3_program),
	RPC_PROGRAM(RPC_PROGRAM_NFS, 4, 4, "NFS v4", nfs_procedure4_names, &nfs4_program),
	RPC_PROGRAM(RPC_PROGRAM_NFS, 2, 2, "NFS v2", nfs_2, NULL),
	RPC_PROGRAM(RPC_PROGRAM_NFS_CALLBACK, 1, 4, "", nfs_cb_procedure_names, &nfs_callback_program),
	RPC_PROGRAM_END,
};

const struct protocol nfs_protocol = {
	.table = { "nfs", "Network File System", "RFC 1813; RFC 8881", 0, FIELDS(nfs_fields) },
	.scope = SCOPE_CALL,
	.visit = rpc_body_visit,
	.summary = rpc_body_summary,
	.programs = nfs_programs,
};
