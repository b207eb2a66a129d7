/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NFSv4's callback: CB_COMPOUND and its operations as tables. RFC 7863; RFC 7530, section 17 (4.0), RFC 8881, section 20 (4.1),
 * RFC 7862, section 16 (4.2).
 */
#include "config.h"

#include "dissect/rpc/nfs4.h"
#include "dissect/rpc/nfs4_attributes.h"
#include "dissect/rpc/nfs4_types.h"
#include "dissect/rpc/nfs_handle.h"
#include "dissect/rpc/xdr_walk.h"

enum { NFS4_OK = 0 };

#define STATEID NFS_STATEID4(NFS_TAG_NONE)
#define HANDLE NFS_HANDLE4(NFS_TAG_NONE)
#define SESSIONID XDR_FIXED(NFS_SESSIONID, 16)
#define ARGS(name, ...) static NFS4_ARGS(name, __VA_ARGS__)
#define RESULT(name, ...) \
	XDR_TYPE(name##_ok, NULL, __VA_ARGS__); \
	static const struct xdr_union name##_union = { &xdr_void, 1, { { NFS4_OK, &name##_ok } } }; \
	static const struct xdr_item name##_res[] = { XDR_STATUS(NFS_NFSSTAT4, NFS_STATUS, name##_union), XDR_END }

ARGS(getattr, HANDLE, NFS_ATTRIBUTE_MASK);
RESULT(getattr, NFS_FATTR4);

ARGS(recall, STATEID, XDR_BOOL(NFS_TRUNCATE), HANDLE);

enum { LAYOUTRECALL4_FILE = 1, LAYOUTRECALL4_FSID, LAYOUTRECALL4_ALL };
XDR_TYPE(recall_file, NULL, HANDLE, XDR_U64(NFS_OFFSET4), XDR_U64(NFS_LENGTH4), STATEID);
static const struct xdr_union recall_union = {
	NULL, 3, { { LAYOUTRECALL4_FILE, &recall_file }, { LAYOUTRECALL4_FSID, &nfs_fsid4 }, { LAYOUTRECALL4_ALL, &xdr_void } },
};
ARGS(layoutrecall, XDR_U32(NFS_LAYOUTTYPE), XDR_U32(NFS_IOMODE), XDR_BOOL(NFS_CLORACHANGED),
     XDR_SWITCH(NFS_RECALLTYPE, recall_union));

XDR_TYPE(notify, "Change", NFS_BITMAP(NFS_NOTIFY_MASK), XDR_OPAQUE(NFS_NOTIFY_VALUES, 0));
ARGS(notify, STATEID, HANDLE, XDR_ARRAY(XDR_NO_ROW, 0, notify));
ARGS(push_deleg, HANDLE, XDR_STRUCT(nfs_open_delegation4));
ARGS(recall_any, XDR_U32(NFS_OBJECTS_TO_KEEP), NFS_BITMAP(NFS_RECALL_MASK));
ARGS(recall_slot, XDR_U32(NFS_TARGET_SLOTID));

XDR_TYPE(referring_call, NULL, XDR_U32(NFS_SEQID), XDR_U32(NFS_SLOTID));
XDR_TYPE(referring_calls, "Referring Calls", SESSIONID, XDR_ARRAY(XDR_NO_ROW, 0, referring_call));
ARGS(sequence, SESSIONID, XDR_U32(NFS_SEQID), XDR_U32(NFS_SLOTID), XDR_U32(NFS_HIGH_SLOTID), XDR_BOOL(NFS_CACHETHIS),
     XDR_ARRAY(XDR_NO_ROW, 0, referring_calls));
RESULT(sequence, SESSIONID, XDR_U32(NFS_SEQID), XDR_U32(NFS_SLOTID), XDR_U32(NFS_HIGH_SLOTID), XDR_U32(NFS_TARGET_SLOTID));

ARGS(wants_cancelled, XDR_BOOL(NFS_WANTS_CANCELLED), XDR_BOOL(NFS_WANTS_CANCELLED));
ARGS(notify_lock, HANDLE, XDR_STRUCT(nfs_state_owner4));
ARGS(notify_deviceid, XDR_ARRAY(XDR_NO_ROW, 0, notify));

XDR_TYPE(offload_failed, NULL, XDR_U64(NFS_BYTES_COPIED));
static const struct xdr_union offload_union = { &offload_failed, 1, { { NFS4_OK, &nfs_write_response4 } } };
ARGS(offload, HANDLE, STATEID, XDR_SWITCH(NFS_OFFLOAD_STATUS, offload_union));

static const struct nfs_operation operations[] = {
	[NFS_CB_GETATTR] = { 1, getattr_args, getattr_res },
	[NFS_CB_RECALL] = { 1, recall_args, NULL },
	[NFS_CB_LAYOUTRECALL] = { 1, layoutrecall_args, NULL },
	[NFS_CB_NOTIFY] = { 1, notify_args, NULL },
	[NFS_CB_PUSH_DELEG] = { 1, push_deleg_args, NULL },
	[NFS_CB_RECALL_ANY] = { 1, recall_any_args, NULL },
	[NFS_CB_RECALLABLE_OBJ_AVAIL] = { 1, recall_any_args, NULL },
	[NFS_CB_RECALL_SLOT] = { 1, recall_slot_args, NULL },
	[NFS_CB_SEQUENCE] = { 4, sequence_args, sequence_res },
	[NFS_CB_WANTS_CANCELLED] = { 1, wants_cancelled_args, NULL },
	[NFS_CB_NOTIFY_LOCK] = { 1, notify_lock_args, NULL },
	[NFS_CB_NOTIFY_DEVICEID] = { 1, notify_deviceid_args, NULL },
	[NFS_CB_OFFLOAD] = { 1, offload_args, NULL },
};

static const struct nfs_compound compound = {
	operations, nfs_cb_opcode_names, sizeof operations / sizeof operations[0], NFS_CB_OPCODE, XDR_NO_ROW,
};

static uint8_t tier_of(uint32_t number)
{
	uint8_t tier = number < sizeof operations / sizeof operations[0] ? operations[number].tier : 0;

	return tier ? tier : 1;
}

static enum result walk_operations(struct xdr_walk *walk, const struct xdr_item *item)
{
	(void)item;
	return nfs_walk_compound(walk, &compound);
}

static const struct xdr_item compound_args[] = {
	XDR_OPAQUE(NFS_TAG, 0), XDR_U32(NFS_MINORVERSION), XDR_U32(NFS_CALLBACK_IDENT), XDR_HOOK(walk_operations), XDR_END,
};

static const struct xdr_union nothing_more = { &xdr_void, 0, { { 0, NULL } } };

static const struct xdr_item compound_res[] = {
	XDR_STATUS(NFS_NFSSTAT4, NFS_STATUS, nothing_more), XDR_OPAQUE(NFS_TAG, 0), XDR_HOOK(walk_operations), XDR_END,
};

static const struct xdr_procedure procedures[] = { { NULL, NULL }, { compound_args, compound_res } };

static const struct rpc_summary_row summary[] = {
	{ NFS_OFFSET4, " ", RPC_SUMMARY_OFFSET }, { NFS_LENGTH4, " length ", RPC_SUMMARY_LENGTH }, { XDR_NO_ROW, NULL, RPC_SUMMARY_PLAIN },
};

/* The callback program's version is unrelated to the minor version, which alone determines the operations. */
const struct xdr_program nfs_callback_program = {
	.protocol = PROTOCOL_NFS,
	.fields = nfs_fields,
	.procedure_row = NFS_CB_PROCEDURE,
	.minor_row = NFS_MINORVERSION,
	.count = sizeof procedures / sizeof procedures[0],
	.procedures = procedures,
	.summary = summary,
	.tier = tier_of,
};
