/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The arguments and results of NFSv4.2's operations: RFC 7862, section 15; and of those on extended attributes: RFC 8276, 8.4.
 */
#include "config.h"

#include "dissect/rpc/nfs4.h"
#include "dissect/rpc/nfs4_types.h"
#include "dissect/rpc/xdr_walk.h"

enum { NFS4_OK = 0, NFS4ERR_OFFLOAD_NO_REQS = 10094 };

#define STATEID NFS_STATEID4(NFS_TAG_NONE)
#define RANGE XDR_U64(NFS_OFFSET4), XDR_U64(NFS_LENGTH4)
#define OFFSET_AS(tag) { XDR_KIND_U64, tag, 0, NFS_OFFSET4, XDR_NO_ROW, 0, { NULL } }
#define COPY_RANGE NFS_STATEID4(NFS_TAG_FROM), NFS_STATEID4(NFS_TAG_TO), OFFSET_AS(NFS_TAG_FROM), OFFSET_AS(NFS_TAG_TO), \
	XDR_U64(NFS_LENGTH4)

/* ALLOCATE, DEALLOCATE */
NFS4_ARGS(nfs4_range, STATEID, RANGE);

enum { NL4_NAME = 1, NL4_URL, NL4_NETADDR };
XDR_TYPE(location_name, NULL, XDR_OPAQUE(NFS_NL_NAME, 0));
XDR_TYPE(location_url, NULL, XDR_OPAQUE(NFS_NL_URL, 0));
static const struct xdr_union netloc_union = {
	NULL, 3, { { NL4_NAME, &location_name }, { NL4_URL, &location_url }, { NL4_NETADDR, &nfs_netaddr4 } },
};
XDR_TYPE(netloc, NULL, XDR_SWITCH(NFS_NETLOCTYPE, netloc_union));

/* COPY: 15.2 */
XDR_TYPE(requirements, NULL, XDR_BOOL(NFS_CONSECUTIVE), XDR_BOOL(NFS_SYNCHRONOUS));
XDR_TYPE(copied, NULL, XDR_STRUCT(nfs_write_response4), XDR_STRUCT(requirements));
static const struct xdr_union copy_union = { &xdr_void, 2, { { NFS4_OK, &copied }, { NFS4ERR_OFFLOAD_NO_REQS, &requirements } } };
NFS4_ARGS(nfs4_copy, COPY_RANGE, XDR_BOOL(NFS_CONSECUTIVE), XDR_BOOL(NFS_SYNCHRONOUS), XDR_ARRAY(NFS_SOURCE_SERVERS, 0, netloc));
const struct xdr_item nfs4_copy_res[] = { XDR_STATUS(NFS_NFSSTAT4, NFS_STATUS, copy_union), XDR_END };

NFS4_ARGS(nfs4_clone, COPY_RANGE);

NFS4_ARGS(nfs4_copy_notify, STATEID, XDR_STRUCT(netloc));
NFS4_RESULT(nfs4_copy_notify, XDR_STRUCT(nfs_time4), STATEID, XDR_ARRAY(NFS_SOURCE_SERVERS, 0, netloc));

XDR_TYPE(offload_status, NULL, XDR_U32(NFS_OFFLOAD_STATUS));
NFS4_RESULT(nfs4_offload_status, XDR_U64(NFS_LENGTH4), XDR_ARRAY(NFS_OFFLOAD_STATUSES, 1, offload_status));

NFS4_ARGS(nfs4_io_advise, STATEID, RANGE, NFS_BITMAP(NFS_HINT_MASK));
NFS4_RESULT(nfs4_io_advise, NFS_BITMAP(NFS_HINT_MASK));

XDR_TYPE(device_error, NULL, XDR_STRUCT(nfs_device4), XDR_U32(NFS_NFSSTAT4), XDR_U32(NFS_OPCODE));
NFS4_ARGS(nfs4_layouterror, RANGE, STATEID, XDR_ARRAY(NFS_DEVICE_ERRORS, 0, device_error));

XDR_TYPE(io_info, NULL, XDR_U64(NFS_IO_COUNT), XDR_U64(NFS_IO_BYTES));
NFS4_ARGS(nfs4_layoutstats, RANGE, STATEID, XDR_STRUCT(io_info), XDR_STRUCT(io_info), XDR_STRUCT(nfs_device4),
	  XDR_U32(NFS_LAYOUTTYPE), XDR_OPAQUE(NFS_LAYOUTUPDATE, 0));

/* READ_PLUS: 15.10 */
enum { NFS4_CONTENT_DATA, NFS4_CONTENT_HOLE };
XDR_TYPE(content_data, NULL, XDR_U64(NFS_OFFSET4), XDR_DATA(NFS_DATA, NFS_READ_LENGTH, XDR_DDP_READ_PLUS));
XDR_TYPE(content_hole, NULL, RANGE);
static const struct xdr_union content_union = {
	&xdr_void, 2, { { NFS4_CONTENT_DATA, &content_data }, { NFS4_CONTENT_HOLE, &content_hole } },
};
XDR_TYPE(content, "Content", XDR_SWITCH(NFS_CONTENT_TYPE, content_union));
NFS4_RESULT(nfs4_read_plus, XDR_BOOL(NFS_EOF), XDR_ARRAY(XDR_NO_ROW, 0, content));

NFS4_ARGS(nfs4_seek, STATEID, XDR_U64(NFS_OFFSET4), XDR_U32(NFS_DATA_CONTENT));
NFS4_RESULT(nfs4_seek, XDR_BOOL(NFS_EOF), XDR_U64(NFS_OFFSET4));

NFS4_ARGS(nfs4_write_same, STATEID, XDR_U32(NFS_STABLE_HOW4), XDR_U64(NFS_OFFSET4), XDR_U64(NFS_ADB_BLOCK_SIZE),
	  XDR_U64(NFS_ADB_BLOCK_COUNT), XDR_U64(NFS_ADB_RELOFF_NUM), XDR_U32(NFS_ADB_BLOCK_NUM), XDR_U64(NFS_ADB_PATTERN_RELOFF),
	  XDR_OPAQUE(NFS_ADB_PATTERN, 0));
NFS4_RESULT(nfs4_write_same, XDR_STRUCT(nfs_write_response4));

NFS4_ARGS(nfs4_xattr_name, XDR_OPAQUE(NFS_XATTR_KEY, 0));
NFS4_RESULT(nfs4_getxattr, XDR_DATA(NFS_DATA, XDR_NO_ROW, XDR_DDP_GETXATTR));
NFS4_ARGS(nfs4_setxattr, XDR_U32(NFS_SETXATTR_OPTIONS), XDR_OPAQUE(NFS_XATTR_KEY, 0),
	  XDR_DATA(NFS_DATA, XDR_NO_ROW, XDR_DDP_SETXATTR));
NFS4_RESULT(nfs4_setxattr, NFS4_CHANGE_INFO);
XDR_TYPE(xattr_name, NULL, XDR_OPAQUE(NFS_XATTR_KEY, 0));
NFS4_ARGS(nfs4_listxattrs, XDR_U64(NFS_LISTXATTR_COOKIE), XDR_U32(NFS_LISTXATTR_MAXCOUNT));
NFS4_RESULT(nfs4_listxattrs, XDR_U64(NFS_LISTXATTR_COOKIE), XDR_ARRAY(NFS_LISTXATTR_NAMES, 0, xattr_name),
	    XDR_BOOL(NFS_LISTXATTR_EOF));
