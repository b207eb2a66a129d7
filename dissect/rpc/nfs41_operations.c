/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The arguments and results of NFSv4.1's operations. RFC 8881, section 18; types: RFC 7863.
 */
#include "config.h"

#include "dissect/rpc/nfs4.h"
#include "dissect/rpc/nfs4_attributes.h"
#include "dissect/rpc/nfs4_types.h"
#include "dissect/rpc/xdr_walk.h"

enum { NFS4_OK = 0, NFS4ERR_TOOSMALL = 10005, NFS4ERR_LAYOUTTRYLATER = 10058 };

#define STATEID NFS_STATEID4(NFS_TAG_NONE)
#define SESSIONID XDR_FIXED(NFS_SESSIONID, 16)
#define DEVICEID XDR_FIXED(NFS_DEVICEID, 16)
#define RANGE XDR_U64(NFS_OFFSET4), XDR_U64(NFS_LENGTH4)

NFS4_ARGS(nfs4_clientid, XDR_U64(NFS_CLIENTID));
NFS4_ARGS(nfs4_stateid, STATEID);
NFS4_ARGS(nfs4_sessionid, SESSIONID);

/* callback_sec_parms4, with RFC 5531's authsys_parms */
enum { AUTH_NONE, AUTH_SYS, RPCSEC_GSS = 6 };
XDR_TYPE(group, NULL, XDR_U32(NFS_GID4));
XDR_TYPE(sys_parms, NULL, XDR_U32(NFS_STAMP4), XDR_OPAQUE(NFS_MACHINENAME4, 255), XDR_U32(NFS_UID4), XDR_U32(NFS_GID4),
	 XDR_ARRAY(XDR_NO_ROW, 16, group));
XDR_TYPE(gss_handles, NULL, XDR_U32(NFS_SERVICE4), XDR_OPAQUE(NFS_GSSHANDLE, 0), XDR_OPAQUE(NFS_GSSHANDLE, 0));
static const struct xdr_union sec_union = {
	NULL, 3, { { AUTH_NONE, &xdr_void }, { AUTH_SYS, &sys_parms }, { RPCSEC_GSS, &gss_handles } },
};
XDR_TYPE(sec_parms, "Callback Security", XDR_SWITCH(NFS_FLAVOR4, sec_union));

NFS4_ARGS(nfs4_backchannel_ctl, XDR_U32(NFS_CB_PROGRAM), XDR_ARRAY(XDR_NO_ROW, 0, sec_parms));

NFS4_ARGS(nfs4_bind_conn, SESSIONID, XDR_U32(NFS_BIND_CALL_DIR), XDR_BOOL(NFS_BIND_CALL_RDMA));
NFS4_RESULT(nfs4_bind_conn, SESSIONID, XDR_U32(NFS_BIND_REPLY_DIR), XDR_BOOL(NFS_BIND_REPLY_RDMA));

/* EXCHANGE_ID: 18.35 */
enum { SP4_NONE, SP4_MACH_CRED, SP4_SSV };
XDR_TYPE(oid, NULL, XDR_OPAQUE(NFS_ALGORITHM, 0));
XDR_TYPE(gss_handle, NULL, XDR_OPAQUE(NFS_GSSHANDLE, 0));
XDR_TYPE(protect_ops, NULL, NFS_BITMAP(NFS_OP_MASK), NFS_BITMAP(NFS_OP_MASK));
XDR_TYPE(ssv_call, NULL, XDR_STRUCT(protect_ops), XDR_ARRAY(XDR_NO_ROW, 0, oid), XDR_ARRAY(XDR_NO_ROW, 0, oid),
	 XDR_U32(NFS_STATE_PROTECT_WINDOW), XDR_U32(NFS_STATE_PROTECT_HANDLES));
XDR_TYPE(ssv_reply, NULL, XDR_STRUCT(protect_ops), XDR_U32(NFS_HASH_ALG), XDR_U32(NFS_ENCR_ALG), XDR_U32(NFS_SSV_LENGTH),
	 XDR_U32(NFS_SPI_WINDOW), XDR_ARRAY(XDR_NO_ROW, 0, gss_handle));
static const struct xdr_union protect_call = {
	NULL, 3, { { SP4_NONE, &xdr_void }, { SP4_MACH_CRED, &protect_ops }, { SP4_SSV, &ssv_call } },
};
static const struct xdr_union protect_reply = {
	NULL, 3, { { SP4_NONE, &xdr_void }, { SP4_MACH_CRED, &protect_ops }, { SP4_SSV, &ssv_reply } },
};
XDR_TYPE(impl_id, "Implementation", XDR_OPAQUE(NFS_NII_DOMAIN, 0), XDR_OPAQUE(NFS_NII_NAME, 0), XDR_STRUCT(nfs_time4));

NFS4_ARGS(nfs4_exchange_id, XDR_U64(NFS_VERIFIER4), XDR_OPAQUE(NFS_CLIENT_ID, 1024), XDR_U32(NFS_EXCHANGE_CALL_FLAGS),
	  XDR_SWITCH(NFS_STATE_PROTECT, protect_call), XDR_ARRAY(XDR_NO_ROW, 1, impl_id));
NFS4_RESULT(nfs4_exchange_id, XDR_U64(NFS_CLIENTID), XDR_U32(NFS_SEQID), XDR_U32(NFS_EXCHANGE_REPLY_FLAGS),
	    XDR_SWITCH(NFS_STATE_PROTECT, protect_reply), XDR_U64(NFS_MINORID), XDR_OPAQUE(NFS_MAJORID, 1024),
	    XDR_OPAQUE(NFS_SCOPE, 1024), XDR_ARRAY(XDR_NO_ROW, 1, impl_id));

/* CREATE_SESSION: 18.36 */
XDR_TYPE(rdma_ird, NULL, XDR_U32(NFS_RDMA_IRD));
#define CHANNEL XDR_U32(NFS_PADSIZE), XDR_U32(NFS_MAXREQSIZE), XDR_U32(NFS_MAXRESPSIZE), XDR_U32(NFS_MAXRESPCACHED), \
	XDR_U32(NFS_MAXOPS), XDR_U32(NFS_MAXREQS), XDR_ARRAY(XDR_NO_ROW, 1, rdma_ird)
XDR_TYPE(fore_channel, "Fore Channel", CHANNEL);
XDR_TYPE(back_channel, "Back Channel", CHANNEL);
NFS4_ARGS(nfs4_create_session, XDR_U64(NFS_CLIENTID), XDR_U32(NFS_SEQID), XDR_U32(NFS_SESSION_FLAGS), XDR_STRUCT(fore_channel),
	  XDR_STRUCT(back_channel), XDR_U32(NFS_CB_PROGRAM), XDR_ARRAY(XDR_NO_ROW, 0, sec_parms));
NFS4_RESULT(nfs4_create_session, SESSIONID, XDR_U32(NFS_SEQID), XDR_U32(NFS_SESSION_FLAGS), XDR_STRUCT(fore_channel),
	    XDR_STRUCT(back_channel));

/* GET_DIR_DELEGATION: 18.39 */
enum { GDD4_OK, GDD4_UNAVAIL };
XDR_TYPE(dir_delegation, NULL, XDR_U64(NFS_VERIFIER4), STATEID, NFS_BITMAP(NFS_NOTIFY_MASK), NFS_ATTRIBUTE_MASK,
	 NFS_ATTRIBUTE_MASK);
XDR_TYPE(will_signal, NULL, XDR_BOOL(NFS_SIGNAL_AVAILABLE));
static const struct xdr_union gdd_union = { NULL, 2, { { GDD4_OK, &dir_delegation }, { GDD4_UNAVAIL, &will_signal } } };
NFS4_ARGS(nfs4_get_dir_delegation, XDR_BOOL(NFS_SIGNAL_AVAILABLE), NFS_BITMAP(NFS_NOTIFY_MASK), XDR_STRUCT(nfs_time4),
	  XDR_STRUCT(nfs_time4), NFS_ATTRIBUTE_MASK, NFS_ATTRIBUTE_MASK);
NFS4_RESULT(nfs4_get_dir_delegation, XDR_SWITCH(NFS_DELEGATION_STATUS, gdd_union));

/* pNFS: 18.40 to 18.44 */
NFS4_ARGS(nfs4_getdeviceinfo, DEVICEID, XDR_U32(NFS_LAYOUTTYPE), XDR_U32(NFS_MAXCOUNT), NFS_BITMAP(NFS_NOTIFY_MASK));
XDR_TYPE(device_info, NULL, XDR_U32(NFS_LAYOUTTYPE), XDR_OPAQUE(NFS_DEVINFO, 0), NFS_BITMAP(NFS_NOTIFY_MASK));
XDR_TYPE(too_small, NULL, XDR_U32(NFS_MAXCOUNT));
static const struct xdr_union device_union = {
	&xdr_void, 2, { { NFS4_OK, &device_info }, { NFS4ERR_TOOSMALL, &too_small } },
};
const struct xdr_item nfs4_getdeviceinfo_res[] = { XDR_STATUS(NFS_NFSSTAT4, NFS_STATUS, device_union), XDR_END };

NFS4_ARGS(nfs4_getdevicelist, XDR_U32(NFS_LAYOUTTYPE), XDR_U32(NFS_MAXCOUNT), XDR_U64(NFS_COOKIE4), XDR_U64(NFS_COOKIE_VERF4));
NFS4_RESULT(nfs4_getdevicelist, XDR_U64(NFS_COOKIE4), XDR_U64(NFS_COOKIE_VERF4), XDR_ARRAY(NFS_DEVICES, 0, nfs_device4),
	    XDR_BOOL(NFS_EOF));

XDR_TYPE(new_offset, NULL, XDR_U64(NFS_OFFSET4));
XDR_TYPE(new_size, NULL, XDR_U64(NFS_LENGTH4));
NFS4_ARGS(nfs4_layoutcommit, RANGE, XDR_BOOL(NFS_RECLAIM4), STATEID, XDR_OPTIONAL(NFS_NEWOFFSET, new_offset),
	  XDR_OPTIONAL(NFS_NEWTIME, nfs_time4), XDR_U32(NFS_LAYOUTTYPE), XDR_OPAQUE(NFS_LAYOUTUPDATE, 0));
NFS4_RESULT(nfs4_layoutcommit, XDR_OPTIONAL(NFS_NEWSIZE, new_size));

XDR_TYPE(layout, "Layout", RANGE, XDR_U32(NFS_IOMODE), XDR_U32(NFS_LAYOUTTYPE), XDR_OPAQUE(NFS_LAYOUT, 0));
XDR_TYPE(layouts, NULL, XDR_BOOL(NFS_RETCLOSE), STATEID, XDR_ARRAY(XDR_NO_ROW, 0, layout));
static const struct xdr_union layout_union = {
	&xdr_void, 2, { { NFS4_OK, &layouts }, { NFS4ERR_LAYOUTTRYLATER, &will_signal } },
};
NFS4_ARGS(nfs4_layoutget, XDR_BOOL(NFS_SIGNAL_AVAILABLE), XDR_U32(NFS_LAYOUTTYPE), XDR_U32(NFS_IOMODE), RANGE,
	  XDR_U64(NFS_MINLENGTH4), STATEID, XDR_U32(NFS_MAXCOUNT));
const struct xdr_item nfs4_layoutget_res[] = { XDR_STATUS(NFS_NFSSTAT4, NFS_STATUS, layout_union), XDR_END };

enum { LAYOUTRETURN4_FILE = 1 };
XDR_TYPE(return_file, NULL, RANGE, STATEID, XDR_OPAQUE(NFS_LAYOUT_BODY, 0));
static const struct xdr_union return_union = { &xdr_void, 1, { { LAYOUTRETURN4_FILE, &return_file } } };
NFS4_ARGS(nfs4_layoutreturn, XDR_BOOL(NFS_RECLAIM4), XDR_U32(NFS_LAYOUTTYPE), XDR_U32(NFS_IOMODE),
	  XDR_SWITCH(NFS_RETURNTYPE, return_union));
NFS4_RESULT(nfs4_layoutreturn, XDR_OPTIONAL(NFS_LRS_PRESENT, nfs_stateid4));

NFS4_ARGS(nfs4_secinfo_no_name, XDR_U32(NFS_SECINFO_STYLE));

/* SEQUENCE: 18.46 */
XDR_DETAIL(slot, 28, NULL, SESSIONID, XDR_U32(NFS_SEQID), XDR_U32(NFS_SLOTID), XDR_U32(NFS_HIGH_SLOTID));
NFS4_ARGS(nfs4_sequence, XDR_STRUCT(slot), XDR_BOOL(NFS_CACHETHIS));
NFS4_RESULT(nfs4_sequence, XDR_STRUCT(slot), XDR_U32(NFS_TARGET_SLOTID),
	    XDR_U32(NFS_SEQUENCE_FLAGS));

NFS4_ARGS(nfs4_set_ssv, XDR_OPAQUE(NFS_SSV, 0), XDR_OPAQUE(NFS_DIGEST, 0));
NFS4_RESULT(nfs4_set_ssv, XDR_OPAQUE(NFS_DIGEST, 0));

XDR_TYPE(status_code, NULL, XDR_U32(NFS_NFSSTAT4));
NFS4_ARGS(nfs4_test_stateid, XDR_ARRAY(XDR_NO_ROW, 0, nfs_stateid4));
NFS4_RESULT(nfs4_test_stateid, XDR_ARRAY(XDR_NO_ROW, 0, status_code));

enum { CLAIM_PREVIOUS = 1, CLAIM_FH = 4, CLAIM_DELEG_PREV_FH = 6 };
XDR_TYPE(claim_previous, NULL, XDR_U32(NFS_DELEGATE_TYPE));
static const struct xdr_union want_union = {
	NULL, 3, { { CLAIM_FH, &xdr_void }, { CLAIM_DELEG_PREV_FH, &xdr_void }, { CLAIM_PREVIOUS, &claim_previous } },
};
NFS4_ARGS(nfs4_want_delegation, XDR_U32(NFS_WANT), XDR_SWITCH(NFS_CLAIM_TYPE, want_union));
NFS4_RESULT(nfs4_want_delegation, XDR_STRUCT(nfs_open_delegation4));

NFS4_ARGS(nfs4_reclaim_complete, XDR_BOOL(NFS_RECLAIM_ONE_FS));
