/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NFSv4 operations: one table by number, composed of tables in several files.
 */
#ifndef DISSECT_RPC_NFS4_H
#define DISSECT_RPC_NFS4_H

#include "dissect/rpc/nfs.h"
#include "dissect/rpc/nfs4_types.h"
#include "dissect/rpc/xdr_walk.h"

#define NFS4_OPERATIONS (NFS4_REMOVEXATTR + 1)

extern const struct nfs_operation nfs4_operations[NFS4_OPERATIONS];

/* The operation's tier, as in struct nfs_operation; 1 for an unknown operation. */
uint8_t nfs4_tier(uint32_t number);

/* nfs41_operations.c: arguments and results of NFSv4.1 operations, and arguments that they share with 4.0 operations. */
extern const struct xdr_item nfs4_backchannel_ctl_args[], nfs4_bind_conn_args[], nfs4_bind_conn_res[], nfs4_clientid_args[];
extern const struct xdr_item nfs4_create_session_args[], nfs4_create_session_res[], nfs4_exchange_id_args[], nfs4_exchange_id_res[];
extern const struct xdr_item nfs4_get_dir_delegation_args[], nfs4_get_dir_delegation_res[], nfs4_getdeviceinfo_args[];
extern const struct xdr_item nfs4_getdeviceinfo_res[], nfs4_getdevicelist_args[], nfs4_getdevicelist_res[];
extern const struct xdr_item nfs4_layoutcommit_args[], nfs4_layoutcommit_res[], nfs4_layoutget_args[], nfs4_layoutget_res[];
extern const struct xdr_item nfs4_layoutreturn_args[], nfs4_layoutreturn_res[], nfs4_reclaim_complete_args[];
extern const struct xdr_item nfs4_secinfo_no_name_args[], nfs4_sequence_args[], nfs4_sequence_res[], nfs4_sessionid_args[];
extern const struct xdr_item nfs4_set_ssv_args[], nfs4_set_ssv_res[], nfs4_stateid_args[], nfs4_test_stateid_args[];
extern const struct xdr_item nfs4_test_stateid_res[], nfs4_want_delegation_args[], nfs4_want_delegation_res[];

/* The same for the operations of NFSv4.2 and RFC 8276. nfs42_operations.c */
extern const struct xdr_item nfs4_clone_args[], nfs4_copy_args[], nfs4_copy_res[], nfs4_copy_notify_args[], nfs4_copy_notify_res[];
extern const struct xdr_item nfs4_getxattr_res[], nfs4_io_advise_args[], nfs4_io_advise_res[], nfs4_layouterror_args[];
extern const struct xdr_item nfs4_layoutstats_args[], nfs4_listxattrs_args[], nfs4_listxattrs_res[], nfs4_offload_status_res[];
extern const struct xdr_item nfs4_range_args[], nfs4_read_plus_res[], nfs4_seek_args[], nfs4_seek_res[], nfs4_setxattr_args[];
extern const struct xdr_item nfs4_setxattr_res[], nfs4_write_same_args[], nfs4_write_same_res[], nfs4_xattr_name_args[];

#define NFS4_CHANGE_INFO XDR_BOOL(NFS_CHANGE_ATOMIC), XDR_U64(NFS_CHANGE_BEFORE), XDR_U64(NFS_CHANGE_AFTER)

/* For tables used by other files: arguments, and results that are present if the status is NFS4_OK (0). */
#define NFS4_ARGS(name, ...) const struct xdr_item name##_args[] = { __VA_ARGS__, XDR_END }
#define NFS4_RESULT(name, ...) \
	XDR_TYPE(name##_ok, NULL, __VA_ARGS__); \
	static const struct xdr_union name##_union = { &xdr_void, 1, { { 0, &name##_ok } } }; \
	const struct xdr_item name##_res[] = { XDR_STATUS(NFS_NFSSTAT4, NFS_STATUS, name##_union), XDR_END }

#endif
