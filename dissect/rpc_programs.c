/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/rpc_programs.h"

/* RFC 1833 (portmapper, rpcbind), RFC 1813 (NFS, MOUNT, NLM), XNFS by The Open Group (NSM), RFC 7530 (callback) */
enum program {
	PORTMAPPER = 100000,
	NFS = 100003,
	MOUNT = 100005,
	NLM = 100021,
	NSM = 100024,
	NFS_ACL = 100227,
	NFS_CALLBACK = 0x40000000,
};

const struct rtap_name rpc_program_names[] = {
	{ PORTMAPPER, "portmapper" },
	{ NFS, "NFS" },
	{ MOUNT, "MOUNT" },
	{ NLM, "NLM" },
	{ NSM, "NSM" },
	{ NFS_ACL, "NFSACL" },
	{ NFS_CALLBACK, "NFS callback" },
	{ 0, NULL },
};

static const struct rtap_name portmapper_2[] = {
	{ 0, "NULL" }, { 1, "SET" }, { 2, "UNSET" }, { 3, "GETPORT" }, { 4, "DUMP" }, { 5, "CALLIT" }, { 0, NULL },
};

static const struct rtap_name rpcbind_3[] = {
	{ 0, "NULL" }, { 1, "SET" }, { 2, "UNSET" }, { 3, "GETADDR" }, { 4, "DUMP" }, { 5, "CALLIT" }, { 6, "GETTIME" },
	{ 7, "UADDR2TADDR" }, { 8, "TADDR2UADDR" }, { 0, NULL },
};

static const struct rtap_name rpcbind_4[] = {
	{ 0, "NULL" }, { 1, "SET" }, { 2, "UNSET" }, { 3, "GETADDR" }, { 4, "DUMP" }, { 5, "BCAST" }, { 6, "GETTIME" },
	{ 7, "UADDR2TADDR" }, { 8, "TADDR2UADDR" }, { 9, "GETVERSADDR" }, { 10, "INDIRECT" }, { 11, "GETADDRLIST" },
	{ 12, "GETSTAT" }, { 0, NULL },
};

static const struct rtap_name nfs_2[] = {
	{ 0, "NULL" }, { 1, "GETATTR" }, { 2, "SETATTR" }, { 3, "ROOT" }, { 4, "LOOKUP" }, { 5, "READLINK" }, { 6, "READ" },
	{ 7, "WRITECACHE" }, { 8, "WRITE" }, { 9, "CREATE" }, { 10, "REMOVE" }, { 11, "RENAME" }, { 12, "LINK" },
	{ 13, "SYMLINK" }, { 14, "MKDIR" }, { 15, "RMDIR" }, { 16, "READDIR" }, { 17, "STATFS" }, { 0, NULL },
};

static const struct rtap_name nfs_3[] = {
	{ 0, "NULL" }, { 1, "GETATTR" }, { 2, "SETATTR" }, { 3, "LOOKUP" }, { 4, "ACCESS" }, { 5, "READLINK" }, { 6, "READ" },
	{ 7, "WRITE" }, { 8, "CREATE" }, { 9, "MKDIR" }, { 10, "SYMLINK" }, { 11, "MKNOD" }, { 12, "REMOVE" }, { 13, "RMDIR" },
	{ 14, "RENAME" }, { 15, "LINK" }, { 16, "READDIR" }, { 17, "READDIRPLUS" }, { 18, "FSSTAT" }, { 19, "FSINFO" },
	{ 20, "PATHCONF" }, { 21, "COMMIT" }, { 0, NULL },
};

static const struct rtap_name nfs_4[] = { { 0, "NULL" }, { 1, "COMPOUND" }, { 0, NULL } };

static const struct rtap_name mount[] = {
	{ 0, "NULL" }, { 1, "MNT" }, { 2, "DUMP" }, { 3, "UMNT" }, { 4, "UMNTALL" }, { 5, "EXPORT" }, { 0, NULL },
};

static const struct rtap_name nlm[] = {
	{ 0, "NULL" }, { 1, "TEST" }, { 2, "LOCK" }, { 3, "CANCEL" }, { 4, "UNLOCK" }, { 5, "GRANTED" }, { 6, "TEST_MSG" },
	{ 7, "LOCK_MSG" }, { 8, "CANCEL_MSG" }, { 9, "UNLOCK_MSG" }, { 10, "GRANTED_MSG" }, { 11, "TEST_RES" },
	{ 12, "LOCK_RES" }, { 13, "CANCEL_RES" }, { 14, "UNLOCK_RES" }, { 15, "GRANTED_RES" }, { 20, "SHARE" },
	{ 21, "UNSHARE" }, { 22, "NM_LOCK" }, { 23, "FREE_ALL" }, { 0, NULL },
};

static const struct rtap_name nsm[] = {
	{ 0, "NULL" }, { 1, "STAT" }, { 2, "MON" }, { 3, "UNMON" }, { 4, "UNMON_ALL" }, { 5, "SIMU_CRASH" }, { 6, "NOTIFY" },
	{ 0, NULL },
};

static const struct rtap_name nfs_acl_2[] = {
	{ 0, "NULL" }, { 1, "GETACL" }, { 2, "SETACL" }, { 3, "GETATTR" }, { 4, "ACCESS" }, { 0, NULL },
};

static const struct rtap_name nfs_acl_3[] = { { 0, "NULL" }, { 1, "GETACL" }, { 2, "SETACL" }, { 0, NULL } };

static const struct rtap_name nfs_callback[] = { { 0, "CB_NULL" }, { 1, "CB_COMPOUND" }, { 0, NULL } };

static const struct {
	uint32_t program, first_version, last_version;
	const struct rtap_name *names;
} programs[] = {
	{ PORTMAPPER, 2, 2, portmapper_2 }, { PORTMAPPER, 3, 3, rpcbind_3 }, { PORTMAPPER, 4, 4, rpcbind_4 },
	{ NFS, 2, 2, nfs_2 }, { NFS, 3, 3, nfs_3 }, { NFS, 4, 4, nfs_4 },
	{ MOUNT, 1, 3, mount },
	{ NLM, 1, 4, nlm },
	{ NSM, 1, 1, nsm },
	{ NFS_ACL, 2, 2, nfs_acl_2 }, { NFS_ACL, 3, 3, nfs_acl_3 },
	{ NFS_CALLBACK, 1, 4, nfs_callback },
};

const struct rtap_name *rpc_procedure_names(uint32_t program, uint32_t version)
{
	for (unsigned i = 0; i < sizeof programs / sizeof programs[0]; i++)
		if (programs[i].program == program && version >= programs[i].first_version && version <= programs[i].last_version)
			return programs[i].names;
	return NULL;
}
