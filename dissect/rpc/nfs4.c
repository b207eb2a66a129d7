/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NFS versions 4.0 to 4.2: COMPOUND and the operations of 4.0 as tables. RFC 7531 and 7863 (types), RFC 7530, section 16
 * (operations). A minor version only adds operations, so that one table serves all; it is in nfs4_operations.c.
 */
#include "config.h"

#include "dissect/rpc/nfs4.h"
#include "dissect/rpc/nfs4_types.h"
#include "dissect/rpc/xdr_walk.h"

static const struct nfs_compound compound = { nfs4_operations, nfs_opcode_names, NFS4_OPERATIONS, NFS_OPCODE, NFS_MAIN_OPCODE };

uint8_t nfs4_tier(uint32_t number)
{
	uint8_t tier = number < NFS4_OPERATIONS ? nfs4_operations[number].tier : 0;

	return tier ? tier : 1;
}

static enum result walk_operations(struct xdr_walk *walk, const struct xdr_item *item)
{
	(void)item;
	return nfs_walk_compound(walk, &compound);
}

static const struct xdr_item compound_args[] = {
	XDR_OPAQUE(NFS_TAG, 0), XDR_U32(NFS_MINORVERSION), XDR_HOOK(walk_operations), XDR_END,
};

static const struct xdr_union nothing_more = { &xdr_void, 0, { { 0, NULL } } };

static const struct xdr_item compound_res[] = {
	XDR_STATUS(NFS_NFSSTAT4, NFS_STATUS, nothing_more), XDR_OPAQUE(NFS_TAG, 0), XDR_HOOK(walk_operations), XDR_END,
};

static const struct xdr_procedure procedures[] = { { NULL, NULL }, { compound_args, compound_res } };

/* RFC 8881, 16.2.3.1 */
static enum rpc_handle_effect handle_effect(uint32_t number)
{
	switch (number) {
	case NFS4_PUTROOTFH:
		return RPC_HANDLE_ROOT;
	case NFS4_SAVEFH:
		return RPC_HANDLE_SAVE;
	case NFS4_RESTOREFH:
		return RPC_HANDLE_RESTORE;
	case NFS4_LOOKUP:
	case NFS4_LOOKUPP:
	case NFS4_OPEN:
	case NFS4_CREATE:
	case NFS4_OPENATTR:
	case NFS4_PUTPUBFH:
	case NFS4_SECINFO:
	case NFS4_SECINFO_NO_NAME:
		return RPC_HANDLE_REPLACED;
	case NFS4_LINK:
	case NFS4_COPY:
	case NFS4_CLONE:
		return RPC_HANDLE_OF_SAVED;
	default:
		return RPC_HANDLE_KEPT;
	}
}

static const struct rpc_summary_row summary[] = {
	{ NFS_FHANDLE, " ", RPC_SUMMARY_HANDLE }, { NFS_COMPONENT, " ", RPC_SUMMARY_NAME }, { NFS_XATTR_KEY, " ", RPC_SUMMARY_PLAIN },
	{ NFS_OFFSET4, " ", RPC_SUMMARY_OFFSET }, { NFS_LENGTH4, " length ", RPC_SUMMARY_LENGTH },
	{ NFS_COUNT4, " ", RPC_SUMMARY_LENGTH }, { NFS_READ_LENGTH, " ", RPC_SUMMARY_LENGTH },
	{ NFS_WRITE_LENGTH, " ", RPC_SUMMARY_LENGTH }, { NFS_LINKTEXT, " ", RPC_SUMMARY_PLAIN }, { XDR_NO_ROW, NULL, RPC_SUMMARY_PLAIN },
};

const struct xdr_program nfs4_program = {
	.protocol = PROTOCOL_NFS,
	.fields = nfs_fields,
	.procedure_row = NFS_PROCEDURE_V4,
	.minor_row = NFS_MINORVERSION,
	.count = sizeof procedures / sizeof procedures[0],
	.procedures = procedures,
	.summary = summary,
	.handle_effect = handle_effect,
	.tier = nfs4_tier,
};
