/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NFS version 3 as tables. RFC 1813, sections 2.5, 2.6 and 3.3.
 */
#include "config.h"

#include "dissect/rpc/nfs_handle.h"
#include "dissect/rpc/xdr_walk.h"

#define COOKIEVERFSIZE 8
#define CREATEVERFSIZE 8
#define WRITEVERFSIZE 8

enum { NFS3_OK = 0 };

#define HANDLE_AS(tag) NFS_HANDLE(NFS_HANDLE3_MAX, tag)
#define HANDLE HANDLE_AS(NFS_TAG_NONE)
#define NAME(tag) XDR_OPAQUE_AS(NFS_NAME, 0, tag)
#define EITHER(name, ok, fail) \
	static const struct xdr_union name##_union = { &(fail), 1, { { NFS3_OK, &(ok) } } }; \
	static const struct xdr_item name[] = { XDR_STATUS(NFS_STATUS3, NFS_STATUS, name##_union), XDR_END }
#define ITEMS(name, ...) static const struct xdr_item name[] = { __VA_ARGS__, XDR_END }

static const struct xdr_item fh3_items[] = { HANDLE, XDR_END };
const struct xdr_type nfs_fh3 = { NULL, fh3_items, 0 };

XDR_DETAIL(specdata3, 8, "Device", XDR_U32(NFS_SPECDATA1), XDR_U32(NFS_SPECDATA2));
XDR_DETAIL(atime, 8, NULL, XDR_U32(NFS_ATIME_SEC), XDR_U32(NFS_ATIME_NSEC));
XDR_DETAIL(mtime, 8, NULL, XDR_U32(NFS_MTIME_SEC), XDR_U32(NFS_MTIME_NSEC));
XDR_DETAIL(ctime, 8, NULL, XDR_U32(NFS_CTIME_SEC), XDR_U32(NFS_CTIME_NSEC));

static const struct xdr_item fattr3_items[] = {
	XDR_U32(NFS_FATTR3_TYPE), XDR_U32(NFS_MODE3), XDR_U32(NFS_FATTR3_NLINK), XDR_U32(NFS_FATTR3_UID), XDR_U32(NFS_FATTR3_GID),
	XDR_U64(NFS_FATTR3_SIZE), XDR_U64(NFS_FATTR3_USED), XDR_STRUCT(specdata3), XDR_U64(NFS_FATTR3_FSID),
	XDR_U64(NFS_FATTR3_FILEID), XDR_STRUCT(atime), XDR_STRUCT(mtime), XDR_STRUCT(ctime), XDR_END,
};
static const struct xdr_type fattr3 = { "Attributes", fattr3_items, 84 };

#define POST_OP_ATTR_AS(tag) XDR_OPTIONAL_AS(NFS_ATTRIBUTES_FOLLOW, fattr3, tag)
#define POST_OP_ATTR POST_OP_ATTR_AS(NFS_TAG_NONE)

static const struct xdr_item post_op_attr_items[] = { POST_OP_ATTR, XDR_END };
const struct xdr_type nfs_post_op_attr = { NULL, post_op_attr_items, 0 };

XDR_DETAIL(wcc_attr, 24, "Attributes Before", XDR_U64(NFS_WCC_SIZE), XDR_STRUCT(mtime), XDR_STRUCT(ctime));
#define WCC_DATA_AS(tag) XDR_OPTIONAL_AS(NFS_ATTRIBUTES_FOLLOW, wcc_attr, NFS_TAG_BEFORE), POST_OP_ATTR_AS(tag)
#define POST_OP_FH3_AS(tag) XDR_OPTIONAL_AS(NFS_HANDLE_FOLLOW, nfs_fh3, tag)
#define DIROPARGS3 HANDLE_AS(NFS_TAG_DIRECTORY), NAME(NFS_TAG_NONE)
XDR_TYPE(wcc_data, NULL, WCC_DATA_AS(NFS_TAG_NONE));

/* settable attributes: each only if the word before it says so */
XDR_DETAIL(set_mode, 4, NULL, XDR_U32(NFS_MODE3));
XDR_DETAIL(set_uid, 4, NULL, XDR_U32(NFS_UID3));
XDR_DETAIL(set_gid, 4, NULL, XDR_U32(NFS_GID3));
XDR_TYPE(set_size, NULL, XDR_U64(NFS_SET_SIZE));

enum { DONT_CHANGE, SET_TO_SERVER_TIME, SET_TO_CLIENT_TIME };

static const struct xdr_union set_atime = {
	NULL, 3, { { DONT_CHANGE, &xdr_void }, { SET_TO_SERVER_TIME, &xdr_void }, { SET_TO_CLIENT_TIME, &atime } },
};

static const struct xdr_union set_mtime = {
	NULL, 3, { { DONT_CHANGE, &xdr_void }, { SET_TO_SERVER_TIME, &xdr_void }, { SET_TO_CLIENT_TIME, &mtime } },
};

XDR_TYPE(sattr3, "New Attributes", XDR_OPTIONAL(NFS_SET_IT, set_mode), XDR_OPTIONAL(NFS_SET_IT, set_uid),
	 XDR_OPTIONAL(NFS_SET_IT, set_gid), XDR_OPTIONAL(NFS_SET_IT, set_size), XDR_SWITCH(NFS_SET_IT, set_atime),
	 XDR_SWITCH(NFS_SET_IT, set_mtime));

XDR_TYPE(dir_wcc, NULL, WCC_DATA_AS(NFS_TAG_DIRECTORY));
XDR_TYPE(dir_attributes, NULL, POST_OP_ATTR_AS(NFS_TAG_DIRECTORY));

/* 3.3.1, 3.3.4, 3.3.5, 3.3.18 to 3.3.20: nothing but the handle */
ITEMS(handle_args, HANDLE);

/* 3.3.1 GETATTR */
XDR_TYPE(getattr_ok, NULL, XDR_STRUCT(fattr3));
EITHER(getattr_res, getattr_ok, xdr_void);

/* 3.3.2 SETATTR */
XDR_DETAIL(sattrguard, 8, "Guard", XDR_STRUCT(ctime));
ITEMS(setattr_args, HANDLE, XDR_STRUCT(sattr3), XDR_OPTIONAL(NFS_SATTRGUARD3, sattrguard));
EITHER(wcc_res, wcc_data, wcc_data);

/* 3.3.3 LOOKUP */
ITEMS(diropargs_args, DIROPARGS3);
XDR_TYPE(lookup_ok, NULL, HANDLE_AS(NFS_TAG_OBJECT), POST_OP_ATTR_AS(NFS_TAG_OBJECT),
	 POST_OP_ATTR_AS(NFS_TAG_DIRECTORY));
EITHER(lookup_res, lookup_ok, dir_attributes);

/* 3.3.4 ACCESS */
ITEMS(access_args, HANDLE, XDR_U32(NFS_ACCESS_CHECK));
XDR_TYPE(access_ok, NULL, POST_OP_ATTR, XDR_U32(NFS_ACCESS_RIGHTS));
EITHER(access_res, access_ok, nfs_post_op_attr);

/* 3.3.5 READLINK */
XDR_TYPE(readlink_ok, NULL, POST_OP_ATTR, XDR_DATA(NFS_READLINK_DATA, XDR_NO_ROW, XDR_DDP_READLINK));
EITHER(readlink_res, readlink_ok, nfs_post_op_attr);

/* 3.3.6 READ */
ITEMS(read_args, HANDLE, XDR_U64(NFS_OFFSET3), XDR_U32(NFS_COUNT3));
XDR_TYPE(read_ok, NULL, POST_OP_ATTR, XDR_U32(NFS_COUNT3), XDR_BOOL(NFS_READ_EOF),
	 XDR_DATA(NFS_DATA, XDR_NO_ROW, XDR_DDP_READ));
EITHER(read_res, read_ok, nfs_post_op_attr);

/* 3.3.7 WRITE */
ITEMS(write_args, HANDLE, XDR_U64(NFS_OFFSET3), XDR_U32(NFS_COUNT3), XDR_U32(NFS_WRITE_STABLE),
      XDR_DATA(NFS_DATA, XDR_NO_ROW, XDR_DDP_WRITE));
XDR_TYPE(write_ok, NULL, WCC_DATA_AS(NFS_TAG_NONE), XDR_U32(NFS_COUNT3), XDR_U32(NFS_WRITE_COMMITTED),
	 XDR_FIXED(NFS_VERIFIER, WRITEVERFSIZE));
EITHER(write_res, write_ok, wcc_data);

/* 3.3.8 CREATE */
XDR_TYPE(create_attributes, NULL, XDR_STRUCT(sattr3));
XDR_TYPE(create_verifier, NULL, XDR_FIXED(NFS_VERIFIER, CREATEVERFSIZE));

enum { UNCHECKED, GUARDED, EXCLUSIVE };

static const struct xdr_union createhow = {
	NULL, 3, { { UNCHECKED, &create_attributes }, { GUARDED, &create_attributes }, { EXCLUSIVE, &create_verifier } },
};

ITEMS(create_args, DIROPARGS3, XDR_SWITCH(NFS_CREATEMODE, createhow));
XDR_TYPE(create_ok, NULL, POST_OP_FH3_AS(NFS_TAG_OBJECT), POST_OP_ATTR_AS(NFS_TAG_OBJECT),
	 WCC_DATA_AS(NFS_TAG_DIRECTORY));
EITHER(create_res, create_ok, dir_wcc);

/* 3.3.9 MKDIR */
ITEMS(mkdir_args, DIROPARGS3, XDR_STRUCT(sattr3));

/* 3.3.10 SYMLINK */
ITEMS(symlink_args, DIROPARGS3, XDR_STRUCT(sattr3), XDR_DATA(NFS_SYMLINK_TO, XDR_NO_ROW, XDR_DDP_SYMLINK));

/* 3.3.11 MKNOD */
XDR_TYPE(device, NULL, XDR_STRUCT(sattr3), XDR_STRUCT(specdata3));

enum { NF3BLK = 3, NF3CHR = 4, NF3SOCK = 6, NF3FIFO = 7 };

static const struct xdr_union mknoddata = {
	&xdr_void, 4, { { NF3CHR, &device }, { NF3BLK, &device }, { NF3SOCK, &create_attributes }, { NF3FIFO, &create_attributes } },
};

ITEMS(mknod_args, DIROPARGS3, XDR_SWITCH(NFS_TYPE, mknoddata));

/* 3.3.12 REMOVE, 3.3.13 RMDIR */
EITHER(remove_res, dir_wcc, dir_wcc);

/* 3.3.14 RENAME */
XDR_TYPE(from_args, "From", HANDLE_AS(NFS_TAG_FROM), NAME(NFS_TAG_FROM));
XDR_TYPE(to_args, "To", HANDLE_AS(NFS_TAG_TO), NAME(NFS_TAG_TO));
ITEMS(rename_args, XDR_STRUCT(from_args), XDR_STRUCT(to_args));
XDR_TYPE(rename_wcc, NULL, WCC_DATA_AS(NFS_TAG_FROM), WCC_DATA_AS(NFS_TAG_TO));
EITHER(rename_res, rename_wcc, rename_wcc);

/* 3.3.15 LINK */
ITEMS(link_args, HANDLE_AS(NFS_TAG_OBJECT), DIROPARGS3);
XDR_TYPE(link_done, NULL, POST_OP_ATTR_AS(NFS_TAG_OBJECT), WCC_DATA_AS(NFS_TAG_DIRECTORY));
EITHER(link_res, link_done, link_done);

/* 3.3.16 READDIR */
ITEMS(readdir_args, HANDLE_AS(NFS_TAG_DIRECTORY), XDR_U64(NFS_COOKIE3), XDR_FIXED(NFS_VERIFIER, COOKIEVERFSIZE),
      XDR_U32(NFS_COUNT3));
XDR_TYPE(entry3, "Entry", XDR_U64(NFS_ENTRY3_FILEID), XDR_OPAQUE_AS(NFS_ENTRY3_NAME, 0, NFS_TAG_ENTRY), XDR_U64(NFS_ENTRY3_COOKIE));
XDR_TYPE(readdir_ok, NULL, POST_OP_ATTR_AS(NFS_TAG_DIRECTORY), XDR_FIXED(NFS_VERIFIER, COOKIEVERFSIZE), XDR_LIST(XDR_NO_ROW, entry3),
	 XDR_U32(NFS_READDIR_EOF));
EITHER(readdir_res, readdir_ok, dir_attributes);

/* 3.3.17 READDIRPLUS */
ITEMS(readdirplus_args, HANDLE_AS(NFS_TAG_DIRECTORY), XDR_U64(NFS_COOKIE3), XDR_FIXED(NFS_VERIFIER, COOKIEVERFSIZE),
      XDR_U32(NFS_DIRCOUNT3), XDR_U32(NFS_MAXCOUNT3));
XDR_TYPE(entryplus3, "Entry", XDR_U64(NFS_ENTRYPLUS_FILEID), XDR_OPAQUE_AS(NFS_ENTRYPLUS_NAME, 0, NFS_TAG_ENTRY),
	 XDR_U64(NFS_ENTRYPLUS_COOKIE), POST_OP_ATTR_AS(NFS_TAG_ENTRY), POST_OP_FH3_AS(NFS_TAG_ENTRY));
XDR_TYPE(readdirplus_ok, NULL, POST_OP_ATTR_AS(NFS_TAG_DIRECTORY), XDR_FIXED(NFS_VERIFIER, COOKIEVERFSIZE),
	 XDR_LIST(XDR_NO_ROW, entryplus3), XDR_U32(NFS_READDIR_EOF));
EITHER(readdirplus_res, readdirplus_ok, dir_attributes);

/* 3.3.18 FSSTAT */
XDR_TYPE(fsstat_ok, NULL, POST_OP_ATTR, XDR_U64(NFS_FSSTAT_TBYTES), XDR_U64(NFS_FSSTAT_FBYTES),
	 XDR_U64(NFS_FSSTAT_ABYTES), XDR_U64(NFS_FSSTAT_TFILES), XDR_U64(NFS_FSSTAT_FFILES), XDR_U64(NFS_FSSTAT_AFILES),
	 XDR_U32(NFS_FSSTAT_INVARSEC));
EITHER(fsstat_res, fsstat_ok, nfs_post_op_attr);

/* 3.3.19 FSINFO */
XDR_TYPE(fsinfo_ok, NULL, POST_OP_ATTR, XDR_U32(NFS_FSINFO_RTMAX), XDR_U32(NFS_FSINFO_RTPREF),
	 XDR_U32(NFS_FSINFO_RTMULT), XDR_U32(NFS_FSINFO_WTMAX), XDR_U32(NFS_FSINFO_WTPREF), XDR_U32(NFS_FSINFO_WTMULT),
	 XDR_U32(NFS_FSINFO_DTPREF), XDR_U64(NFS_FSINFO_MAXFILESIZE), XDR_U32(NFS_DTIME_SEC), XDR_U32(NFS_DTIME_NSEC),
	 XDR_U32(NFS_FSINFO_PROPERTIES));
EITHER(fsinfo_res, fsinfo_ok, nfs_post_op_attr);

/* 3.3.20 PATHCONF */
XDR_TYPE(pathconf_ok, NULL, POST_OP_ATTR, XDR_U32(NFS_PATHCONF_LINKMAX), XDR_U32(NFS_PATHCONF_NAME_MAX),
	 XDR_BOOL(NFS_PATHCONF_NO_TRUNC), XDR_BOOL(NFS_PATHCONF_CHOWN), XDR_BOOL(NFS_PATHCONF_CASE_INSENSITIVE),
	 XDR_BOOL(NFS_PATHCONF_CASE_PRESERVING));
EITHER(pathconf_res, pathconf_ok, nfs_post_op_attr);

/* 3.3.21 COMMIT */
XDR_TYPE(commit_ok, NULL, WCC_DATA_AS(NFS_TAG_NONE), XDR_FIXED(NFS_VERIFIER, WRITEVERFSIZE));
EITHER(commit_res, commit_ok, wcc_data);

static const struct xdr_procedure procedures[] = {
	{ NULL, NULL },
	{ handle_args, getattr_res },
	{ setattr_args, wcc_res },
	{ diropargs_args, lookup_res },
	{ access_args, access_res },
	{ handle_args, readlink_res },
	{ read_args, read_res },
	{ write_args, write_res },
	{ create_args, create_res },
	{ mkdir_args, create_res },
	{ symlink_args, create_res },
	{ mknod_args, create_res },
	{ diropargs_args, remove_res },
	{ diropargs_args, remove_res },
	{ rename_args, rename_res },
	{ link_args, link_res },
	{ readdir_args, readdir_res },
	{ readdirplus_args, readdirplus_res },
	{ handle_args, fsstat_res },
	{ handle_args, fsinfo_res },
	{ handle_args, pathconf_res },
	{ read_args, commit_res },
};

static const struct rpc_summary_row summary[] = {
	{ NFS_FHANDLE, " ", RPC_SUMMARY_HANDLE }, { NFS_NAME, " ", RPC_SUMMARY_NAME }, { NFS_OFFSET3, " ", RPC_SUMMARY_OFFSET },
	{ NFS_COUNT3, " ", RPC_SUMMARY_LENGTH },
	{ NFS_SYMLINK_TO, " to ", RPC_SUMMARY_PLAIN }, { NFS_READLINK_DATA, " ", RPC_SUMMARY_PLAIN }, { NFS_SET_SIZE, " size ", RPC_SUMMARY_PLAIN },
	{ XDR_NO_ROW, NULL, RPC_SUMMARY_PLAIN },
};

const struct xdr_program nfs3_program = {
	.protocol = PROTOCOL_NFS,
	.fields = nfs_fields,
	.procedure_row = NFS_PROCEDURE_V3,
	.minor_row = XDR_NO_ROW,
	.count = sizeof procedures / sizeof procedures[0],
	.procedures = procedures,
	.summary = summary,
};
