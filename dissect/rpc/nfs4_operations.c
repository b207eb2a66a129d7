/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NFSv4's operations: the arguments and results of 4.0's, RFC 7530, section 16, and the table of all.
 */
#include "config.h"

#include "dissect/rpc/nfs4.h"
#include "dissect/rpc/nfs4_attributes.h"
#include "dissect/rpc/nfs4_types.h"
#include "dissect/rpc/nfs_handle.h"
#include "dissect/rpc/xdr_walk.h"

enum { NFS4_OK = 0, NFS4ERR_DENIED = 10010, NFS4ERR_CLID_INUSE = 10017 };

#define ARGS(name, ...) static NFS4_ARGS(name, __VA_ARGS__)
#define RESULT(name, ...) \
	XDR_TYPE(name##_ok, NULL, __VA_ARGS__); \
	static const struct xdr_union name##_union = { &xdr_void, 1, { { NFS4_OK, &name##_ok } } }; \
	static const struct xdr_item name##_res[] = { XDR_STATUS(NFS_NFSSTAT4, NFS_STATUS, name##_union), XDR_END }

#define NAME XDR_OPAQUE(NFS_COMPONENT, 0)
#define NAME_AS(tag) XDR_OPAQUE_AS(NFS_COMPONENT, 0, tag)
#define STATEID NFS_STATEID4(NFS_TAG_NONE)

XDR_TYPE(change_info, "Change Info", NFS4_CHANGE_INFO);

ARGS(handle, NFS_HANDLE4(NFS_TAG_NONE));
ARGS(name, NAME);
ARGS(fattr, NFS_FATTR4);
RESULT(stateid, STATEID);
RESULT(change, XDR_STRUCT_AS(change_info, NFS_TAG_DIRECTORY));

ARGS(access, XDR_U32(NFS_ACCESS_CHECK));
RESULT(access, XDR_U32(NFS_ACCESS_SUPPORTED), XDR_U32(NFS_ACCESS_RIGHTS));

ARGS(close, XDR_U32(NFS_SEQID), STATEID);

ARGS(commit, XDR_U64(NFS_OFFSET4), XDR_U32(NFS_COUNT4));
RESULT(commit, XDR_U64(NFS_VERIFIER4));

enum { NF4BLK = 3, NF4CHR = 4, NF4LNK = 5 };
XDR_TYPE(create_link, NULL, XDR_DATA(NFS_LINKTEXT, XDR_NO_ROW, XDR_DDP_SYMLINK));
static const struct xdr_union createtype = {
	&xdr_void, 3, { { NF4LNK, &create_link }, { NF4BLK, &nfs_specdata4 }, { NF4CHR, &nfs_specdata4 } },
};
ARGS(create, XDR_SWITCH(NFS_FTYPE4, createtype), NAME, NFS_FATTR4);
RESULT(create, XDR_STRUCT_AS(change_info, NFS_TAG_DIRECTORY), NFS_ATTRIBUTE_MASK);

ARGS(getattr, NFS_ATTRIBUTE_MASK);
RESULT(getattr, NFS_FATTR4);
RESULT(getfh, NFS_HANDLE4(NFS_TAG_NONE));

XDR_TYPE(open_to_lock_owner, NULL, XDR_U32(NFS_SEQID), STATEID, XDR_U32(NFS_LOCK_SEQID), XDR_STRUCT(nfs_state_owner4));
XDR_TYPE(exist_lock_owner, NULL, STATEID, XDR_U32(NFS_LOCK_SEQID));
static const struct xdr_union locker = { NULL, 2, { { true, &open_to_lock_owner }, { false, &exist_lock_owner } } };
ARGS(lock, XDR_U32(NFS_LOCKTYPE4), XDR_BOOL(NFS_LOCK_RECLAIM), XDR_U64(NFS_OFFSET4), XDR_U64(NFS_LENGTH4),
     XDR_SWITCH(NFS_NEW_LOCK_OWNER, locker));
XDR_TYPE(lock_denied, "Denied", XDR_U64(NFS_OFFSET4), XDR_U64(NFS_LENGTH4), XDR_U32(NFS_LOCKTYPE4), XDR_STRUCT(nfs_state_owner4));
XDR_TYPE(lock_conflict, NULL, XDR_STRUCT_AS(lock_denied, NFS_TAG_CONFLICT));
static const struct xdr_union lock_union = { &xdr_void, 2, { { NFS4_OK, &nfs_stateid4 }, { NFS4ERR_DENIED, &lock_conflict } } };
static const struct xdr_item lock_res[] = { XDR_STATUS(NFS_NFSSTAT4, NFS_STATUS, lock_union), XDR_END };

ARGS(lockt, XDR_U32(NFS_LOCKTYPE4), XDR_U64(NFS_OFFSET4), XDR_U64(NFS_LENGTH4), XDR_STRUCT(nfs_state_owner4));
static const struct xdr_union lockt_union = { &xdr_void, 1, { { NFS4ERR_DENIED, &lock_conflict } } };
static const struct xdr_item lockt_res[] = { XDR_STATUS(NFS_NFSSTAT4, NFS_STATUS, lockt_union), XDR_END };

ARGS(locku, XDR_U32(NFS_LOCKTYPE4), XDR_U32(NFS_SEQID), STATEID, XDR_U64(NFS_OFFSET4), XDR_U64(NFS_LENGTH4));

/* OPEN: 16.16; the claims from 4 on: RFC 8881, 18.16 */
enum { UNCHECKED4, GUARDED4, EXCLUSIVE4, EXCLUSIVE4_1 };
XDR_TYPE(create_verifier, NULL, XDR_U64(NFS_VERIFIER4));
XDR_TYPE(create_both, NULL, XDR_U64(NFS_VERIFIER4), NFS_FATTR4);
static const struct xdr_union createhow = {
	NULL, 4,
	{ { UNCHECKED4, &nfs_fattr4 }, { GUARDED4, &nfs_fattr4 }, { EXCLUSIVE4, &create_verifier }, { EXCLUSIVE4_1, &create_both } },
};
XDR_TYPE(open_create, NULL, XDR_SWITCH(NFS_CREATEMODE4, createhow));
static const struct xdr_union openhow = { &xdr_void, 1, { { 1, &open_create } } };

enum { CLAIM_NULL, CLAIM_PREVIOUS, CLAIM_DELEGATE_CUR, CLAIM_DELEGATE_PREV, CLAIM_FH, CLAIM_DELEG_CUR_FH, CLAIM_DELEG_PREV_FH };
XDR_TYPE(claim_name, NULL, NAME);
XDR_TYPE(claim_previous, NULL, XDR_U32(NFS_DELEGATE_TYPE));
XDR_TYPE(claim_delegate_cur, NULL, STATEID, NAME);
static const struct xdr_union claim = {
	NULL, 7,
	{ { CLAIM_NULL, &claim_name }, { CLAIM_PREVIOUS, &claim_previous }, { CLAIM_DELEGATE_CUR, &claim_delegate_cur },
	  { CLAIM_DELEGATE_PREV, &claim_name }, { CLAIM_FH, &xdr_void }, { CLAIM_DELEG_CUR_FH, &nfs_stateid4 },
	  { CLAIM_DELEG_PREV_FH, &xdr_void } },
};

/* since NFSv4.1 the word also contains the wanted delegation: RFC 8881, 18.16.3 */
static enum result share_access(struct xdr_walk *walk, const struct xdr_item *item)
{
	uint32_t word;
	enum result result = xdr_u32(walk->xdr, &word);

	(void)item;
	if (result != OK)
		return result;
	xdr_report(walk, NFS_SHARE_ACCESS, word & 0xff, 4);
	if (word & ~0xffu)
		xdr_report(walk, NFS_WANT, word & ~0xffu, 4);
	return OK;
}

ARGS(open, XDR_U32(NFS_SEQID), XDR_HOOK_OF(FIXED, 4, share_access, 0), XDR_U32(NFS_SHARE_DENY), XDR_U64(NFS_CLIENTID),
     XDR_OPAQUE(NFS_OPEN_OWNER, 1024), XDR_SWITCH(NFS_OPENTYPE, openhow), XDR_SWITCH(NFS_CLAIM_TYPE, claim));
RESULT(open, STATEID, XDR_STRUCT_AS(change_info, NFS_TAG_DIRECTORY), XDR_U32(NFS_RFLAGS), NFS_ATTRIBUTE_MASK,
       XDR_STRUCT(nfs_open_delegation4));

ARGS(openattr, XDR_BOOL(NFS_CREATEDIR));
ARGS(open_confirm, STATEID, XDR_U32(NFS_SEQID));
ARGS(open_downgrade, STATEID, XDR_U32(NFS_SEQID), XDR_U32(NFS_SHARE_ACCESS), XDR_U32(NFS_SHARE_DENY));

ARGS(read, STATEID, XDR_U64(NFS_OFFSET4), XDR_U32(NFS_COUNT4));
RESULT(read, XDR_BOOL(NFS_EOF), XDR_DATA(NFS_DATA, NFS_READ_LENGTH, XDR_DDP_READ));

/* a name is reported as the entry's and, for filters, as a plain name */
static enum result entry_name(struct xdr_walk *walk, const struct xdr_item *item)
{
	static const struct xdr_item as_name[] = { XDR_OPAQUE(NFS_NAME, 0), XDR_END };
	static const struct xdr_item as_entry_name[] = { XDR_OPAQUE(NFS_ENTRY_NAME, 0), XDR_END };
	struct xdr here = *walk->xdr;
	enum result result = xdr_walk_items(walk, as_name);

	(void)item;
	if (result != OK)
		return result;
	*walk->xdr = here;
	return xdr_walk_items(walk, as_entry_name);
}

ARGS(readdir, XDR_U64(NFS_COOKIE4), XDR_U64(NFS_COOKIE_VERF4), XDR_U32(NFS_DIRCOUNT), XDR_U32(NFS_MAXCOUNT), NFS_ATTRIBUTE_MASK);
XDR_TYPE(entry, "Entry", XDR_U64(NFS_COOKIE4), XDR_HOOK_OF(OPAQUE, 0, entry_name, 0), NFS_FATTR4);
XDR_TYPE(entries, NULL, XDR_LIST(NFS_VALUE_FOLLOWS, entry));
RESULT(readdir, XDR_U64(NFS_VERIFIER4), XDR_STRUCT_AS(entries, NFS_TAG_ENTRY), XDR_BOOL(NFS_DIRLIST_EOF));

RESULT(readlink, XDR_DATA(NFS_LINKTEXT, XDR_NO_ROW, XDR_DDP_READLINK));

ARGS(rename, NAME_AS(NFS_TAG_FROM), NAME_AS(NFS_TAG_TO));
RESULT(rename, XDR_STRUCT_AS(change_info, NFS_TAG_FROM), XDR_STRUCT_AS(change_info, NFS_TAG_TO));

enum { SECINFO_RPCSEC_GSS = 6 };
XDR_TYPE(secinfo_gss, NULL, XDR_OPAQUE(NFS_SECINFO_OID, 0), XDR_U32(NFS_SECINFO_QOP), XDR_U32(NFS_SECINFO_SERVICE));
static const struct xdr_union secinfo_union = { &xdr_void, 1, { { SECINFO_RPCSEC_GSS, &secinfo_gss } } };
XDR_TYPE(secinfo, NULL, XDR_SWITCH(NFS_SECINFO_FLAVOR, secinfo_union));
RESULT(secinfo_list, XDR_ARRAY(XDR_NO_ROW, 0, secinfo));

ARGS(setattr, STATEID, NFS_FATTR4);
static const struct xdr_union setattr_union = { &xdr_void, 0, { { 0, NULL } } };
static const struct xdr_item setattr_res[] = { XDR_STATUS(NFS_NFSSTAT4, NFS_STATUS, setattr_union), NFS_ATTRIBUTE_MASK, XDR_END };

ARGS(setclientid, XDR_U64(NFS_VERIFIER4), XDR_OPAQUE(NFS_CLIENT_ID, 1024), XDR_U32(NFS_CB_PROGRAM), XDR_STRUCT(nfs_netaddr4),
     XDR_U32(NFS_CALLBACK_IDENT));
XDR_TYPE(setclientid_ok, NULL, XDR_U64(NFS_CLIENTID), XDR_U64(NFS_VERIFIER4));
static const struct xdr_union setclientid_union = {
	&xdr_void, 2, { { NFS4_OK, &setclientid_ok }, { NFS4ERR_CLID_INUSE, &nfs_netaddr4 } },
};
static const struct xdr_item setclientid_res[] = { XDR_STATUS(NFS_NFSSTAT4, NFS_STATUS, setclientid_union), XDR_END };
ARGS(setclientid_confirm, XDR_U64(NFS_CLIENTID), XDR_U64(NFS_VERIFIER4));

ARGS(write, STATEID, XDR_U64(NFS_OFFSET4), XDR_U32(NFS_STABLE_HOW4), XDR_DATA(NFS_DATA, NFS_WRITE_LENGTH, XDR_DDP_WRITE));
RESULT(write, XDR_U32(NFS_COUNT4), XDR_U32(NFS_STABLE_HOW4), XDR_U64(NFS_VERIFIER4));

ARGS(release_lockowner, XDR_STRUCT(nfs_state_owner4));

/* An operation without results returns only the status. */
const struct nfs_operation nfs4_operations[NFS4_OPERATIONS] = {
	[NFS4_ACCESS] = { 2, access_args, access_res },
	[NFS4_CLOSE] = { 1, close_args, stateid_res },
	[NFS4_COMMIT] = { 1, commit_args, commit_res },
	[NFS4_CREATE] = { 1, create_args, create_res },
	[NFS4_DELEGPURGE] = { 1, nfs4_clientid_args, NULL },
	[NFS4_DELEGRETURN] = { 1, nfs4_stateid_args, NULL },
	[NFS4_GETATTR] = { 3, getattr_args, getattr_res },
	[NFS4_GETFH] = { 4, NULL, getfh_res },
	[NFS4_LINK] = { 1, name_args, change_res },
	[NFS4_LOCK] = { 1, lock_args, lock_res },
	[NFS4_LOCKT] = { 1, lockt_args, lockt_res },
	[NFS4_LOCKU] = { 1, locku_args, stateid_res },
	[NFS4_LOOKUP] = { 1, name_args, NULL },
	[NFS4_LOOKUPP] = { 1, NULL, NULL },
	[NFS4_NVERIFY] = { 2, fattr_args, NULL },
	[NFS4_OPEN] = { 1, open_args, open_res },
	[NFS4_OPENATTR] = { 1, openattr_args, NULL },
	[NFS4_OPEN_CONFIRM] = { 1, open_confirm_args, stateid_res },
	[NFS4_OPEN_DOWNGRADE] = { 1, open_downgrade_args, stateid_res },
	[NFS4_PUTFH] = { 4, handle_args, NULL },
	[NFS4_PUTPUBFH] = { 3, NULL, NULL },
	[NFS4_PUTROOTFH] = { 3, NULL, NULL },
	[NFS4_READ] = { 1, read_args, read_res },
	[NFS4_READDIR] = { 1, readdir_args, readdir_res },
	[NFS4_READLINK] = { 1, NULL, readlink_res },
	[NFS4_REMOVE] = { 1, name_args, change_res },
	[NFS4_RENAME] = { 1, rename_args, rename_res },
	[NFS4_RENEW] = { 1, nfs4_clientid_args, NULL },
	[NFS4_RESTOREFH] = { 4, NULL, NULL },
	[NFS4_SAVEFH] = { 4, NULL, NULL },
	[NFS4_SECINFO] = { 1, name_args, secinfo_list_res },
	[NFS4_SETATTR] = { 1, setattr_args, setattr_res },
	[NFS4_SETCLIENTID] = { 1, setclientid_args, setclientid_res },
	[NFS4_SETCLIENTID_CONFIRM] = { 1, setclientid_confirm_args, NULL },
	[NFS4_VERIFY] = { 1, fattr_args, NULL },
	[NFS4_WRITE] = { 1, write_args, write_res },
	[NFS4_RELEASE_LOCKOWNER] = { 1, release_lockowner_args, NULL },
	[NFS4_BACKCHANNEL_CTL] = { 1, nfs4_backchannel_ctl_args, NULL },
	[NFS4_BIND_CONN_TO_SESSION] = { 1, nfs4_bind_conn_args, nfs4_bind_conn_res },
	[NFS4_EXCHANGE_ID] = { 1, nfs4_exchange_id_args, nfs4_exchange_id_res },
	[NFS4_CREATE_SESSION] = { 1, nfs4_create_session_args, nfs4_create_session_res },
	[NFS4_DESTROY_SESSION] = { 1, nfs4_sessionid_args, NULL },
	[NFS4_FREE_STATEID] = { 1, nfs4_stateid_args, NULL },
	[NFS4_GET_DIR_DELEGATION] = { 1, nfs4_get_dir_delegation_args, nfs4_get_dir_delegation_res },
	[NFS4_GETDEVICEINFO] = { 1, nfs4_getdeviceinfo_args, nfs4_getdeviceinfo_res },
	[NFS4_GETDEVICELIST] = { 1, nfs4_getdevicelist_args, nfs4_getdevicelist_res },
	[NFS4_LAYOUTCOMMIT] = { 1, nfs4_layoutcommit_args, nfs4_layoutcommit_res },
	[NFS4_LAYOUTGET] = { 1, nfs4_layoutget_args, nfs4_layoutget_res },
	[NFS4_LAYOUTRETURN] = { 1, nfs4_layoutreturn_args, nfs4_layoutreturn_res },
	[NFS4_SECINFO_NO_NAME] = { 1, nfs4_secinfo_no_name_args, secinfo_list_res },
	[NFS4_SEQUENCE] = { 4, nfs4_sequence_args, nfs4_sequence_res },
	[NFS4_SET_SSV] = { 1, nfs4_set_ssv_args, nfs4_set_ssv_res },
	[NFS4_TEST_STATEID] = { 1, nfs4_test_stateid_args, nfs4_test_stateid_res },
	[NFS4_WANT_DELEGATION] = { 1, nfs4_want_delegation_args, nfs4_want_delegation_res },
	[NFS4_DESTROY_CLIENTID] = { 1, nfs4_clientid_args, NULL },
	[NFS4_RECLAIM_COMPLETE] = { 1, nfs4_reclaim_complete_args, NULL },
	[NFS4_ALLOCATE] = { 1, nfs4_range_args, NULL },
	[NFS4_COPY] = { 1, nfs4_copy_args, nfs4_copy_res },
	[NFS4_COPY_NOTIFY] = { 1, nfs4_copy_notify_args, nfs4_copy_notify_res },
	[NFS4_DEALLOCATE] = { 1, nfs4_range_args, NULL },
	[NFS4_IO_ADVISE] = { 1, nfs4_io_advise_args, nfs4_io_advise_res },
	[NFS4_LAYOUTERROR] = { 1, nfs4_layouterror_args, NULL },
	[NFS4_LAYOUTSTATS] = { 1, nfs4_layoutstats_args, NULL },
	[NFS4_OFFLOAD_CANCEL] = { 1, nfs4_stateid_args, NULL },
	[NFS4_OFFLOAD_STATUS] = { 1, nfs4_stateid_args, nfs4_offload_status_res },
	[NFS4_READ_PLUS] = { 1, read_args, nfs4_read_plus_res },
	[NFS4_SEEK] = { 1, nfs4_seek_args, nfs4_seek_res },
	[NFS4_WRITE_SAME] = { 1, nfs4_write_same_args, nfs4_write_same_res },
	[NFS4_CLONE] = { 1, nfs4_clone_args, NULL },
	[NFS4_GETXATTR] = { 1, nfs4_xattr_name_args, nfs4_getxattr_res },
	[NFS4_SETXATTR] = { 1, nfs4_setxattr_args, nfs4_setxattr_res },
	[NFS4_LISTXATTRS] = { 1, nfs4_listxattrs_args, nfs4_listxattrs_res },
	[NFS4_REMOVEXATTR] = { 1, nfs4_xattr_name_args, change_res },
};
