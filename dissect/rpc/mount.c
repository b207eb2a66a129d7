/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MOUNT versions 1 to 3 as tables. RFC 1094, appendix A; RFC 1813, appendix I.
 */
#include "config.h"

#include "dissect/rpc/nfs.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/xdr_walk.h"

#define MOUNT_ROWS(X) \
	X(MOUNT_PROCEDURE_V1, "mount.procedure_v1", "Procedure", 32, RTAP_DEC, 0, mount_procedure_names) \
	X(MOUNT_PROCEDURE_V2, "mount.procedure_v2", "Procedure", 32, RTAP_DEC, 0, mount_procedure_names) \
	X(MOUNT_PROCEDURE_V3, "mount.procedure_v3", "Procedure", 32, RTAP_DEC, 0, mount_procedure_names) \
	X(MOUNT_STATUS, "mount.status", "Status", 32, RTAP_DEC, 0, status_names) \
	X(MOUNT_PATH, "mount.path", "Path", 0, RTAP_TEXT, 0, NULL) \
	X(MOUNT_FLAVORS, "mount.flavors", "Flavors", 32, RTAP_DEC, 0, NULL) \
	X(MOUNT_FLAVOR, "mount.flavor", "Flavor", 32, RTAP_DEC, 0, flavor_names) \
	X(MOUNT_HOSTNAME, "mount.dump.hostname", "Host Name", 0, RTAP_TEXT, 0, NULL) \
	X(MOUNT_DIRECTORY, "mount.dump.directory", "Directory", 0, RTAP_TEXT, 0, NULL) \
	X(MOUNT_EXPORT_DIRECTORY, "mount.export.directory", "Directory", 0, RTAP_TEXT, 0, NULL) \
	X(MOUNT_EXPORT_GROUP, "mount.export.group", "Group", 0, RTAP_TEXT, 0, NULL)

enum {
	MOUNT_BEFORE_OWN = NFS_HANDLE_ROW_COUNT - 1,
	MOUNT_ROWS(NFS_ROW_NUMBER)
};

enum { MNT_OK = 0 };

static const struct rtap_name status_names[] = {
	{ MNT_OK, "OK" }, { 1, "ERR_PERM" }, { 2, "ERR_NOENT" }, { 5, "ERR_IO" }, { 13, "ERR_ACCESS" }, { 20, "ERR_NOTDIR" },
	{ 22, "ERR_INVAL" }, { 63, "ERR_NAMETOOLONG" }, { 10004, "ERR_NOTSUPP" }, { 10006, "ERR_SERVERFAULT" }, { 0, NULL },
};

static const struct rtap_name flavor_names[] = {
	{ 0, "AUTH_NONE" }, { 1, "AUTH_SYS" }, { 2, "AUTH_SHORT" }, { 3, "AUTH_DH" }, { 6, "RPCSEC_GSS" }, { 7, "AUTH_TLS" },
	{ 390003, "krb5" }, { 390004, "krb5i" }, { 390005, "krb5p" }, { 0, NULL },
};

static const struct rtap_name mount_procedure_names[] = {
	{ 0, "NULL" }, { 1, "MNT" }, { 2, "DUMP" }, { 3, "UMNT" }, { 4, "UMNTALL" }, { 5, "EXPORT" }, { 0, NULL },
};

static const struct rtap_field fields[] = {
	NFS_HANDLE_ROWS(NFS_FIELD)
	MOUNT_ROWS(NFS_FIELD)
};

#define FHSIZE 32
#define PATH_MAX_LENGTH 1024
#define NAME_MAX_LENGTH 255

static enum result handle1(struct xdr_walk *walk, const struct xdr_item *item)
{
	static const struct xdr_item bytes[] = { XDR_FIXED(NFS_FHANDLE, FHSIZE), XDR_END };

	(void)item;
	return xdr_walk_items(walk, bytes);
}

static const struct xdr_item path_args[] = { XDR_OPAQUE(MOUNT_PATH, PATH_MAX_LENGTH), XDR_END };

XDR_TYPE(mnt1_ok, NULL, XDR_HOOK_OF(FIXED, FHSIZE, handle1, 0));
static const struct xdr_union mnt1_union = { &xdr_void, 1, { { MNT_OK, &mnt1_ok } } };
static const struct xdr_item mnt1_res[] = { XDR_STATUS(MOUNT_STATUS, XDR_NO_ROW, mnt1_union), XDR_END };

XDR_TYPE(flavor, NULL, XDR_U32(MOUNT_FLAVOR));
XDR_TYPE(mnt3_ok, NULL, XDR_STRUCT(nfs_fh3), XDR_ARRAY(MOUNT_FLAVORS, 0, flavor));
static const struct xdr_union mnt3_union = { &xdr_void, 1, { { MNT_OK, &mnt3_ok } } };
static const struct xdr_item mnt3_res[] = { XDR_STATUS(MOUNT_STATUS, XDR_NO_ROW, mnt3_union), XDR_END };

XDR_TYPE(mounted, "Mount", XDR_OPAQUE(MOUNT_HOSTNAME, NAME_MAX_LENGTH), XDR_OPAQUE(MOUNT_DIRECTORY, PATH_MAX_LENGTH));
static const struct xdr_item dump_res[] = { XDR_LIST(XDR_NO_ROW, mounted), XDR_END };

XDR_TYPE(group, NULL, XDR_OPAQUE(MOUNT_EXPORT_GROUP, NAME_MAX_LENGTH));
XDR_TYPE(exported, "Export", XDR_OPAQUE(MOUNT_EXPORT_DIRECTORY, PATH_MAX_LENGTH), XDR_LIST(XDR_NO_ROW, group));
static const struct xdr_item export_res[] = { XDR_LIST(XDR_NO_ROW, exported), XDR_END };

static const struct xdr_procedure procedures1[] = {
	{ NULL, NULL }, { path_args, mnt1_res }, { NULL, dump_res }, { path_args, NULL }, { NULL, NULL }, { NULL, export_res },
};

static const struct xdr_procedure procedures3[] = {
	{ NULL, NULL }, { path_args, mnt3_res }, { NULL, dump_res }, { path_args, NULL }, { NULL, NULL }, { NULL, export_res },
};

static const struct rpc_summary_row summary[] = { { MOUNT_PATH, " ", RPC_SUMMARY_PLAIN }, { XDR_NO_ROW, NULL, RPC_SUMMARY_PLAIN } };

#define TABLES(version_row, table) { \
	.protocol = PROTOCOL_MOUNT, .fields = fields, .procedure_row = version_row, .minor_row = XDR_NO_ROW, \
	.count = sizeof table / sizeof table[0], .procedures = table, .summary = summary }

static const struct xdr_program mount1_program = TABLES(MOUNT_PROCEDURE_V1, procedures1);
static const struct xdr_program mount2_program = TABLES(MOUNT_PROCEDURE_V2, procedures1);
static const struct xdr_program mount3_program = TABLES(MOUNT_PROCEDURE_V3, procedures3);

const struct rpc_program mount_programs[] = {
	RPC_PROGRAM(RPC_PROGRAM_MOUNT, 1, 1, "MOUNT v1", mount_procedure_names, &mount1_program),
	RPC_PROGRAM(RPC_PROGRAM_MOUNT, 2, 2, "MOUNT v2", mount_procedure_names, &mount2_program),
	RPC_PROGRAM(RPC_PROGRAM_MOUNT, 3, 3, "MOUNT v3", mount_procedure_names, &mount3_program),
	RPC_PROGRAM_END,
};

const struct protocol mount_protocol = {
	.table = { "mount", "Mount Service", "RFC 1813, appendix I", 0, FIELDS(fields) },
	.scope = SCOPE_CALL,
	.visit = rpc_body_visit,
	.summary = rpc_body_summary,
	.programs = mount_programs,
};
