/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NFS: the table of its fields and the names of their values, for versions 3 and 4 and the callback. The numbers are those of
 * RFC 1813, 2.6 and section 3; RFC 7863 (with what it takes over of RFC 5662 and 7531); RFC 8276, 8.3 and 8.6; RFC 8275, section 5;
 * RFC 9754, section 3.
 */
#include "config.h"

#include "dissect/rpc/nfs.h"
#include "dissect/rpc/rpc_programs.h"

const struct rtap_name nfs_status3_names[] = {
	{ 0, "NFS3_OK" }, { 1, "NFS3ERR_PERM" }, { 2, "NFS3ERR_NOENT" }, { 5, "NFS3ERR_IO" }, { 6, "NFS3ERR_NXIO" },
	{ 13, "NFS3ERR_ACCES" }, { 17, "NFS3ERR_EXIST" }, { 18, "NFS3ERR_XDEV" }, { 19, "NFS3ERR_NODEV" },
	{ 20, "NFS3ERR_NOTDIR" }, { 21, "NFS3ERR_ISDIR" }, { 22, "NFS3ERR_INVAL" }, { 27, "NFS3ERR_FBIG" },
	{ 28, "NFS3ERR_NOSPC" }, { 30, "NFS3ERR_ROFS" }, { 31, "NFS3ERR_MLINK" }, { 63, "NFS3ERR_NAMETOOLONG" },
	{ 66, "NFS3ERR_NOTEMPTY" }, { 69, "NFS3ERR_DQUOT" }, { 70, "NFS3ERR_STALE" }, { 71, "NFS3ERR_REMOTE" },
	{ 10001, "NFS3ERR_BADHANDLE" }, { 10002, "NFS3ERR_NOT_SYNC" }, { 10003, "NFS3ERR_BAD_COOKIE" },
	{ 10004, "NFS3ERR_NOTSUPP" }, { 10005, "NFS3ERR_TOOSMALL" }, { 10006, "NFS3ERR_SERVERFAULT" },
	{ 10007, "NFS3ERR_BADTYPE" }, { 10008, "NFS3ERR_JUKEBOX" }, { 0, NULL },
};

const struct rtap_name nfs_nfsstat4_names[] = {
	{ 0, "NFS4_OK" }, { 1, "NFS4ERR_PERM" }, { 2, "NFS4ERR_NOENT" }, { 5, "NFS4ERR_IO" }, { 6, "NFS4ERR_NXIO" },
	{ 13, "NFS4ERR_ACCESS" }, { 17, "NFS4ERR_EXIST" }, { 18, "NFS4ERR_XDEV" }, { 20, "NFS4ERR_NOTDIR" },
	{ 21, "NFS4ERR_ISDIR" }, { 22, "NFS4ERR_INVAL" }, { 27, "NFS4ERR_FBIG" }, { 28, "NFS4ERR_NOSPC" },
	{ 30, "NFS4ERR_ROFS" }, { 31, "NFS4ERR_MLINK" }, { 63, "NFS4ERR_NAMETOOLONG" }, { 66, "NFS4ERR_NOTEMPTY" },
	{ 69, "NFS4ERR_DQUOT" }, { 70, "NFS4ERR_STALE" }, { 10001, "NFS4ERR_BADHANDLE" }, { 10003, "NFS4ERR_BAD_COOKIE" },
	{ 10004, "NFS4ERR_NOTSUPP" }, { 10005, "NFS4ERR_TOOSMALL" }, { 10006, "NFS4ERR_SERVERFAULT" },
	{ 10007, "NFS4ERR_BADTYPE" }, { 10008, "NFS4ERR_DELAY" }, { 10009, "NFS4ERR_SAME" }, { 10010, "NFS4ERR_DENIED" },
	{ 10011, "NFS4ERR_EXPIRED" }, { 10012, "NFS4ERR_LOCKED" }, { 10013, "NFS4ERR_GRACE" },
	{ 10014, "NFS4ERR_FHEXPIRED" }, { 10015, "NFS4ERR_SHARE_DENIED" }, { 10016, "NFS4ERR_WRONGSEC" },
	{ 10017, "NFS4ERR_CLID_INUSE" }, { 10018, "NFS4ERR_RESOURCE" }, { 10019, "NFS4ERR_MOVED" },
	{ 10020, "NFS4ERR_NOFILEHANDLE" }, { 10021, "NFS4ERR_MINOR_VERS_MISMATCH" }, { 10022, "NFS4ERR_STALE_CLIENTID" },
	{ 10023, "NFS4ERR_STALE_STATEID" }, { 10024, "NFS4ERR_OLD_STATEID" }, { 10025, "NFS4ERR_BAD_STATEID" },
	{ 10026, "NFS4ERR_BAD_SEQID" }, { 10027, "NFS4ERR_NOT_SAME" }, { 10028, "NFS4ERR_LOCK_RANGE" },
	{ 10029, "NFS4ERR_SYMLINK" }, { 10030, "NFS4ERR_RESTOREFH" }, { 10031, "NFS4ERR_LEASE_MOVED" },
	{ 10032, "NFS4ERR_ATTRNOTSUPP" }, { 10033, "NFS4ERR_NO_GRACE" }, { 10034, "NFS4ERR_RECLAIM_BAD" },
	{ 10035, "NFS4ERR_RECLAIM_CONFLICT" }, { 10036, "NFS4ERR_BADXDR" }, { 10037, "NFS4ERR_LOCKS_HELD" },
	{ 10038, "NFS4ERR_OPENMODE" }, { 10039, "NFS4ERR_BADOWNER" }, { 10040, "NFS4ERR_BADCHAR" },
	{ 10041, "NFS4ERR_BADNAME" }, { 10042, "NFS4ERR_BAD_RANGE" }, { 10043, "NFS4ERR_LOCK_NOTSUPP" },
	{ 10044, "NFS4ERR_OP_ILLEGAL" }, { 10045, "NFS4ERR_DEADLOCK" }, { 10046, "NFS4ERR_FILE_OPEN" },
	{ 10047, "NFS4ERR_ADMIN_REVOKED" }, { 10048, "NFS4ERR_CB_PATH_DOWN" }, { 10049, "NFS4ERR_BADIOMODE" },
	{ 10050, "NFS4ERR_BADLAYOUT" }, { 10051, "NFS4ERR_BAD_SESSION_DIGEST" }, { 10052, "NFS4ERR_BADSESSION" },
	{ 10053, "NFS4ERR_BADSLOT" }, { 10054, "NFS4ERR_COMPLETE_ALREADY" }, { 10055, "NFS4ERR_CONN_NOT_BOUND_TO_SESSION" },
	{ 10056, "NFS4ERR_DELEG_ALREADY_WANTED" }, { 10057, "NFS4ERR_BACK_CHAN_BUSY" }, { 10058, "NFS4ERR_LAYOUTTRYLATER" },
	{ 10059, "NFS4ERR_LAYOUTUNAVAILABLE" }, { 10060, "NFS4ERR_NOMATCHING_LAYOUT" }, { 10061, "NFS4ERR_RECALLCONFLICT" },
	{ 10062, "NFS4ERR_UNKNOWN_LAYOUTTYPE" }, { 10063, "NFS4ERR_SEQ_MISORDERED" }, { 10064, "NFS4ERR_SEQUENCE_POS" },
	{ 10065, "NFS4ERR_REQ_TOO_BIG" }, { 10066, "NFS4ERR_REP_TOO_BIG" }, { 10067, "NFS4ERR_REP_TOO_BIG_TO_CACHE" },
	{ 10068, "NFS4ERR_RETRY_UNCACHED_REP" }, { 10069, "NFS4ERR_UNSAFE_COMPOUND" }, { 10070, "NFS4ERR_TOO_MANY_OPS" },
	{ 10071, "NFS4ERR_OP_NOT_IN_SESSION" }, { 10072, "NFS4ERR_HASH_ALG_UNSUPP" }, { 10074, "NFS4ERR_CLIENTID_BUSY" },
	{ 10075, "NFS4ERR_PNFS_IO_HOLE" }, { 10076, "NFS4ERR_SEQ_FALSE_RETRY" }, { 10077, "NFS4ERR_BAD_HIGH_SLOT" },
	{ 10078, "NFS4ERR_DEADSESSION" }, { 10079, "NFS4ERR_ENCR_ALG_UNSUPP" }, { 10080, "NFS4ERR_PNFS_NO_LAYOUT" },
	{ 10081, "NFS4ERR_NOT_ONLY_OP" }, { 10082, "NFS4ERR_WRONG_CRED" }, { 10083, "NFS4ERR_WRONG_TYPE" },
	{ 10084, "NFS4ERR_DIRDELEG_UNAVAIL" }, { 10085, "NFS4ERR_REJECT_DELEG" }, { 10086, "NFS4ERR_RETURNCONFLICT" },
	{ 10087, "NFS4ERR_DELEG_REVOKED" }, { 10088, "NFS4ERR_PARTNER_NOTSUPP" }, { 10089, "NFS4ERR_PARTNER_NO_AUTH" },
	{ 10090, "NFS4ERR_UNION_NOTSUPP" }, { 10091, "NFS4ERR_OFFLOAD_DENIED" }, { 10092, "NFS4ERR_WRONG_LFS" },
	{ 10093, "NFS4ERR_BADLABEL" }, { 10094, "NFS4ERR_OFFLOAD_NO_REQS" }, { 10095, "NFS4ERR_NOXATTR" },
	{ 10096, "NFS4ERR_XATTR2BIG" }, { 0, NULL },
};

/* of either version: they agree where both have a number */
const struct rtap_name nfs_status_names[] = {
	{ 0, "OK" }, { 1, "ERR_PERM" }, { 2, "ERR_NOENT" }, { 5, "ERR_IO" }, { 6, "ERR_NXIO" }, { 13, "ERR_ACCESS" },
	{ 17, "ERR_EXIST" }, { 18, "ERR_XDEV" }, { 20, "ERR_NOTDIR" }, { 21, "ERR_ISDIR" }, { 22, "ERR_INVAL" },
	{ 27, "ERR_FBIG" }, { 28, "ERR_NOSPC" }, { 30, "ERR_ROFS" }, { 31, "ERR_MLINK" }, { 63, "ERR_NAMETOOLONG" },
	{ 66, "ERR_NOTEMPTY" }, { 69, "ERR_DQUOT" }, { 70, "ERR_STALE" }, { 10001, "ERR_BADHANDLE" },
	{ 10003, "ERR_BAD_COOKIE" }, { 10004, "ERR_NOTSUPP" }, { 10005, "ERR_TOOSMALL" }, { 10006, "ERR_SERVERFAULT" },
	{ 10007, "ERR_BADTYPE" }, { 10008, "ERR_DELAY" }, { 10009, "ERR_SAME" }, { 10010, "ERR_DENIED" },
	{ 10011, "ERR_EXPIRED" }, { 10012, "ERR_LOCKED" }, { 10013, "ERR_GRACE" }, { 10014, "ERR_FHEXPIRED" },
	{ 10015, "ERR_SHARE_DENIED" }, { 10016, "ERR_WRONGSEC" }, { 10017, "ERR_CLID_INUSE" }, { 10018, "ERR_RESOURCE" },
	{ 10019, "ERR_MOVED" }, { 10020, "ERR_NOFILEHANDLE" }, { 10021, "ERR_MINOR_VERS_MISMATCH" },
	{ 10022, "ERR_STALE_CLIENTID" }, { 10023, "ERR_STALE_STATEID" }, { 10024, "ERR_OLD_STATEID" },
	{ 10025, "ERR_BAD_STATEID" }, { 10026, "ERR_BAD_SEQID" }, { 10027, "ERR_NOT_SAME" }, { 10028, "ERR_LOCK_RANGE" },
	{ 10029, "ERR_SYMLINK" }, { 10030, "ERR_RESTOREFH" }, { 10031, "ERR_LEASE_MOVED" }, { 10032, "ERR_ATTRNOTSUPP" },
	{ 10033, "ERR_NO_GRACE" }, { 10034, "ERR_RECLAIM_BAD" }, { 10035, "ERR_RECLAIM_CONFLICT" }, { 10036, "ERR_BADXDR" },
	{ 10037, "ERR_LOCKS_HELD" }, { 10038, "ERR_OPENMODE" }, { 10039, "ERR_BADOWNER" }, { 10040, "ERR_BADCHAR" },
	{ 10041, "ERR_BADNAME" }, { 10042, "ERR_BAD_RANGE" }, { 10043, "ERR_LOCK_NOTSUPP" }, { 10044, "ERR_OP_ILLEGAL" },
	{ 10045, "ERR_DEADLOCK" }, { 10046, "ERR_FILE_OPEN" }, { 10047, "ERR_ADMIN_REVOKED" },
	{ 10048, "ERR_CB_PATH_DOWN" }, { 10049, "ERR_BADIOMODE" }, { 10050, "ERR_BADLAYOUT" },
	{ 10051, "ERR_BAD_SESSION_DIGEST" }, { 10052, "ERR_BADSESSION" }, { 10053, "ERR_BADSLOT" },
	{ 10054, "ERR_COMPLETE_ALREADY" }, { 10055, "ERR_CONN_NOT_BOUND_TO_SESSION" },
	{ 10056, "ERR_DELEG_ALREADY_WANTED" }, { 10057, "ERR_BACK_CHAN_BUSY" }, { 10058, "ERR_LAYOUTTRYLATER" },
	{ 10059, "ERR_LAYOUTUNAVAILABLE" }, { 10060, "ERR_NOMATCHING_LAYOUT" }, { 10061, "ERR_RECALLCONFLICT" },
	{ 10062, "ERR_UNKNOWN_LAYOUTTYPE" }, { 10063, "ERR_SEQ_MISORDERED" }, { 10064, "ERR_SEQUENCE_POS" },
	{ 10065, "ERR_REQ_TOO_BIG" }, { 10066, "ERR_REP_TOO_BIG" }, { 10067, "ERR_REP_TOO_BIG_TO_CACHE" },
	{ 10068, "ERR_RETRY_UNCACHED_REP" }, { 10069, "ERR_UNSAFE_COMPOUND" }, { 10070, "ERR_TOO_MANY_OPS" },
	{ 10071, "ERR_OP_NOT_IN_SESSION" }, { 10072, "ERR_HASH_ALG_UNSUPP" }, { 10074, "ERR_CLIENTID_BUSY" },
	{ 10075, "ERR_PNFS_IO_HOLE" }, { 10076, "ERR_SEQ_FALSE_RETRY" }, { 10077, "ERR_BAD_HIGH_SLOT" },
	{ 10078, "ERR_DEADSESSION" }, { 10079, "ERR_ENCR_ALG_UNSUPP" }, { 10080, "ERR_PNFS_NO_LAYOUT" },
	{ 10081, "ERR_NOT_ONLY_OP" }, { 10082, "ERR_WRONG_CRED" }, { 10083, "ERR_WRONG_TYPE" },
	{ 10084, "ERR_DIRDELEG_UNAVAIL" }, { 10085, "ERR_REJECT_DELEG" }, { 10086, "ERR_RETURNCONFLICT" },
	{ 10087, "ERR_DELEG_REVOKED" }, { 10088, "ERR_PARTNER_NOTSUPP" }, { 10089, "ERR_PARTNER_NO_AUTH" },
	{ 10090, "ERR_UNION_NOTSUPP" }, { 10091, "ERR_OFFLOAD_DENIED" }, { 10092, "ERR_WRONG_LFS" },
	{ 10093, "ERR_BADLABEL" }, { 10094, "ERR_OFFLOAD_NO_REQS" }, { 10095, "ERR_NOXATTR" }, { 10096, "ERR_XATTR2BIG" },
	{ 0, NULL },
};

const struct rtap_name nfs_opcode_names[] = {
	{ 3, "ACCESS" }, { 4, "CLOSE" }, { 5, "COMMIT" }, { 6, "CREATE" }, { 7, "DELEGPURGE" }, { 8, "DELEGRETURN" },
	{ 9, "GETATTR" }, { 10, "GETFH" }, { 11, "LINK" }, { 12, "LOCK" }, { 13, "LOCKT" }, { 14, "LOCKU" },
	{ 15, "LOOKUP" }, { 16, "LOOKUPP" }, { 17, "NVERIFY" }, { 18, "OPEN" }, { 19, "OPENATTR" }, { 20, "OPEN_CONFIRM" },
	{ 21, "OPEN_DOWNGRADE" }, { 22, "PUTFH" }, { 23, "PUTPUBFH" }, { 24, "PUTROOTFH" }, { 25, "READ" },
	{ 26, "READDIR" }, { 27, "READLINK" }, { 28, "REMOVE" }, { 29, "RENAME" }, { 30, "RENEW" }, { 31, "RESTOREFH" },
	{ 32, "SAVEFH" }, { 33, "SECINFO" }, { 34, "SETATTR" }, { 35, "SETCLIENTID" }, { 36, "SETCLIENTID_CONFIRM" },
	{ 37, "VERIFY" }, { 38, "WRITE" }, { 39, "RELEASE_LOCKOWNER" }, { 40, "BACKCHANNEL_CTL" },
	{ 41, "BIND_CONN_TO_SESSION" }, { 42, "EXCHANGE_ID" }, { 43, "CREATE_SESSION" }, { 44, "DESTROY_SESSION" },
	{ 45, "FREE_STATEID" }, { 46, "GET_DIR_DELEGATION" }, { 47, "GETDEVICEINFO" }, { 48, "GETDEVICELIST" },
	{ 49, "LAYOUTCOMMIT" }, { 50, "LAYOUTGET" }, { 51, "LAYOUTRETURN" }, { 52, "SECINFO_NO_NAME" }, { 53, "SEQUENCE" },
	{ 54, "SET_SSV" }, { 55, "TEST_STATEID" }, { 56, "WANT_DELEGATION" }, { 57, "DESTROY_CLIENTID" },
	{ 58, "RECLAIM_COMPLETE" }, { 59, "ALLOCATE" }, { 60, "COPY" }, { 61, "COPY_NOTIFY" }, { 62, "DEALLOCATE" },
	{ 63, "IO_ADVISE" }, { 64, "LAYOUTERROR" }, { 65, "LAYOUTSTATS" }, { 66, "OFFLOAD_CANCEL" },
	{ 67, "OFFLOAD_STATUS" }, { 68, "READ_PLUS" }, { 69, "SEEK" }, { 70, "WRITE_SAME" }, { 71, "CLONE" },
	{ 72, "GETXATTR" }, { 73, "SETXATTR" }, { 74, "LISTXATTRS" }, { 75, "REMOVEXATTR" }, { 10044, "ILLEGAL" },
	{ 0, NULL },
};

const struct rtap_name nfs_cb_opcode_names[] = {
	{ 3, "CB_GETATTR" }, { 4, "CB_RECALL" }, { 5, "CB_LAYOUTRECALL" }, { 6, "CB_NOTIFY" }, { 7, "CB_PUSH_DELEG" },
	{ 8, "CB_RECALL_ANY" }, { 9, "CB_RECALLABLE_OBJ_AVAIL" }, { 10, "CB_RECALL_SLOT" }, { 11, "CB_SEQUENCE" },
	{ 12, "CB_WANTS_CANCELLED" }, { 13, "CB_NOTIFY_LOCK" }, { 14, "CB_NOTIFY_DEVICEID" }, { 15, "CB_OFFLOAD" },
	{ 10044, "CB_ILLEGAL" }, { 0, NULL },
};

const struct rtap_name nfs_attribute_names[] = {
	{ 0, "SUPPORTED_ATTRS" }, { 1, "TYPE" }, { 2, "FH_EXPIRE_TYPE" }, { 3, "CHANGE" }, { 4, "SIZE" },
	{ 5, "LINK_SUPPORT" }, { 6, "SYMLINK_SUPPORT" }, { 7, "NAMED_ATTR" }, { 8, "FSID" }, { 9, "UNIQUE_HANDLES" },
	{ 10, "LEASE_TIME" }, { 11, "RDATTR_ERROR" }, { 12, "ACL" }, { 13, "ACLSUPPORT" }, { 14, "ARCHIVE" },
	{ 15, "CANSETTIME" }, { 16, "CASE_INSENSITIVE" }, { 17, "CASE_PRESERVING" }, { 18, "CHOWN_RESTRICTED" },
	{ 19, "FILEHANDLE" }, { 20, "FILEID" }, { 21, "FILES_AVAIL" }, { 22, "FILES_FREE" }, { 23, "FILES_TOTAL" },
	{ 24, "FS_LOCATIONS" }, { 25, "HIDDEN" }, { 26, "HOMOGENEOUS" }, { 27, "MAXFILESIZE" }, { 28, "MAXLINK" },
	{ 29, "MAXNAME" }, { 30, "MAXREAD" }, { 31, "MAXWRITE" }, { 32, "MIMETYPE" }, { 33, "MODE" }, { 34, "NO_TRUNC" },
	{ 35, "NUMLINKS" }, { 36, "OWNER" }, { 37, "OWNER_GROUP" }, { 38, "QUOTA_AVAIL_HARD" }, { 39, "QUOTA_AVAIL_SOFT" },
	{ 40, "QUOTA_USED" }, { 41, "RAWDEV" }, { 42, "SPACE_AVAIL" }, { 43, "SPACE_FREE" }, { 44, "SPACE_TOTAL" },
	{ 45, "SPACE_USED" }, { 46, "SYSTEM" }, { 47, "TIME_ACCESS" }, { 48, "TIME_ACCESS_SET" }, { 49, "TIME_BACKUP" },
	{ 50, "TIME_CREATE" }, { 51, "TIME_DELTA" }, { 52, "TIME_METADATA" }, { 53, "TIME_MODIFY" },
	{ 54, "TIME_MODIFY_SET" }, { 55, "MOUNTED_ON_FILEID" }, { 56, "DIR_NOTIF_DELAY" }, { 57, "DIRENT_NOTIF_DELAY" },
	{ 58, "DACL" }, { 59, "SACL" }, { 60, "CHANGE_POLICY" }, { 61, "FS_STATUS" }, { 62, "FS_LAYOUT_TYPES" },
	{ 63, "LAYOUT_HINT" }, { 64, "LAYOUT_TYPES" }, { 65, "LAYOUT_BLKSIZE" }, { 66, "LAYOUT_ALIGNMENT" },
	{ 67, "FS_LOCATIONS_INFO" }, { 68, "MDSTHRESHOLD" }, { 69, "RETENTION_GET" }, { 70, "RETENTION_SET" },
	{ 71, "RETENTEVT_GET" }, { 72, "RETENTEVT_SET" }, { 73, "RETENTION_HOLD" }, { 74, "MODE_SET_MASKED" },
	{ 75, "SUPPATTR_EXCLCREAT" }, { 76, "FS_CHARSET_CAP" }, { 77, "CLONE_BLKSIZE" }, { 78, "SPACE_FREED" },
	{ 79, "CHANGE_ATTR_TYPE" }, { 80, "SEC_LABEL" }, { 81, "MODE_UMASK" }, { 82, "XATTR_SUPPORT" }, { 83, "OFFLINE" },
	{ 0, NULL },
};

const struct rtap_name nfs_ftype3_names[] = {
	{ 1, "REG" }, { 2, "DIR" }, { 3, "BLK" }, { 4, "CHR" }, { 5, "LNK" }, { 6, "SOCK" }, { 7, "FIFO" }, { 0, NULL },
};

static const struct rtap_name nfs_ftype4_names[] = {
	{ 1, "REG" }, { 2, "DIR" }, { 3, "BLK" }, { 4, "CHR" }, { 5, "LNK" }, { 6, "SOCK" }, { 7, "FIFO" },
	{ 8, "ATTRDIR" }, { 9, "NAMEDATTR" }, { 0, NULL },
};

static const struct rtap_name nfs_stable_names[] = {
	{ 0, "UNSTABLE" }, { 1, "DATA_SYNC" }, { 2, "FILE_SYNC" }, { 0, NULL },
};

static const struct rtap_name nfs_createmode3_names[] = {
	{ 0, "UNCHECKED" }, { 1, "GUARDED" }, { 2, "EXCLUSIVE" }, { 0, NULL },
};

static const struct rtap_name nfs_createmode4_names[] = {
	{ 0, "UNCHECKED" }, { 1, "GUARDED" }, { 2, "EXCLUSIVE" }, { 3, "EXCLUSIVE4_1" }, { 0, NULL },
};

static const struct rtap_name nfs_opentype_names[] = {
	{ 0, "NOCREATE" }, { 1, "CREATE" }, { 0, NULL },
};

static const struct rtap_name nfs_claim_names[] = {
	{ 0, "NULL" }, { 1, "PREVIOUS" }, { 2, "DELEGATE_CUR" }, { 3, "DELEGATE_PREV" }, { 4, "FH" }, { 5, "DELEG_CUR_FH" },
	{ 6, "DELEG_PREV_FH" }, { 0, NULL },
};

static const struct rtap_name nfs_delegation_names[] = {
	{ 0, "NONE" }, { 1, "READ" }, { 2, "WRITE" }, { 3, "NONE_EXT" }, { 4, "READ_ATTRS" }, { 5, "WRITE_ATTRS" },
	{ 0, NULL },
};

static const struct rtap_name nfs_why_names[] = {
	{ 0, "NOT_WANTED" }, { 1, "CONTENTION" }, { 2, "RESOURCE" }, { 3, "NOT_SUPP_FTYPE" },
	{ 4, "WRITE_DELEG_NOT_SUPP_FTYPE" }, { 5, "NOT_SUPP_UPGRADE" }, { 6, "NOT_SUPP_DOWNGRADE" }, { 7, "CANCELLED" },
	{ 8, "IS_DIR" }, { 0, NULL },
};

static const struct rtap_name nfs_limit_names[] = {
	{ 1, "SIZE" }, { 2, "BLOCKS" }, { 0, NULL },
};

static const struct rtap_name nfs_ace_names[] = {
	{ 0, "ALLOWED" }, { 1, "DENIED" }, { 2, "AUDIT" }, { 3, "ALARM" }, { 0, NULL },
};

static const struct rtap_name nfs_locktype_names[] = {
	{ 1, "READ" }, { 2, "WRITE" }, { 3, "READW" }, { 4, "WRITEW" }, { 0, NULL },
};

static const struct rtap_name nfs_flavor_names[] = {
	{ 0, "AUTH_NONE" }, { 1, "AUTH_SYS" }, { 2, "AUTH_SHORT" }, { 3, "AUTH_DH" }, { 6, "RPCSEC_GSS" },
	{ 7, "AUTH_TLS" }, { 390003, "krb5" }, { 390004, "krb5i" }, { 390005, "krb5p" }, { 0, NULL },
};

static const struct rtap_name nfs_service_names[] = {
	{ 1, "none" }, { 2, "integrity" }, { 3, "privacy" }, { 0, NULL },
};

static const struct rtap_name nfs_secinfo_style_names[] = {
	{ 0, "CURRENT_FH" }, { 1, "PARENT" }, { 0, NULL },
};

static const struct rtap_name nfs_state_protect_names[] = {
	{ 0, "NONE" }, { 1, "MACH_CRED" }, { 2, "SSV" }, { 0, NULL },
};

static const struct rtap_name nfs_bind_names[] = {
	{ 1, "FORE" }, { 2, "BACK" }, { 3, "FORE_OR_BOTH" }, { 7, "BACK_OR_BOTH" }, { 0, NULL },
};

static const struct rtap_name nfs_gdd_names[] = {
	{ 0, "OK" }, { 1, "UNAVAIL" }, { 0, NULL },
};

static const struct rtap_name nfs_layouttype_names[] = {
	{ 1, "FILES" }, { 2, "OSD2_OBJECTS" }, { 3, "BLOCK_VOLUME" }, { 4, "FLEX_FILES" }, { 5, "SCSI" }, { 0, NULL },
};

static const struct rtap_name nfs_iomode_names[] = {
	{ 1, "READ" }, { 2, "RW" }, { 3, "ANY" }, { 0, NULL },
};

static const struct rtap_name nfs_returntype_names[] = {
	{ 1, "FILE" }, { 2, "FSID" }, { 3, "ALL" }, { 0, NULL },
};

static const struct rtap_name nfs_netloc_names[] = {
	{ 1, "NAME" }, { 2, "URL" }, { 3, "NETADDR" }, { 0, NULL },
};

static const struct rtap_name nfs_content_names[] = {
	{ 0, "DATA" }, { 1, "HOLE" }, { 0, NULL },
};

static const struct rtap_name nfs_setxattr_names[] = {
	{ 0, "EITHER" }, { 1, "CREATE" }, { 2, "REPLACE" }, { 0, NULL },
};

const struct rtap_name nfs_procedure3_names[] = {
	{ 0, "NULL" }, { 1, "GETATTR" }, { 2, "SETATTR" }, { 3, "LOOKUP" }, { 4, "ACCESS" }, { 5, "READLINK" }, { 6, "READ" },
	{ 7, "WRITE" }, { 8, "CREATE" }, { 9, "MKDIR" }, { 10, "SYMLINK" }, { 11, "MKNOD" }, { 12, "REMOVE" }, { 13, "RMDIR" },
	{ 14, "RENAME" }, { 15, "LINK" }, { 16, "READDIR" }, { 17, "READDIRPLUS" }, { 18, "FSSTAT" }, { 19, "FSINFO" },
	{ 20, "PATHCONF" }, { 21, "COMMIT" }, { 0, NULL },
};

const struct rtap_name nfs_procedure4_names[] = { { 0, "NULL" }, { 1, "COMPOUND" }, { 0, NULL } };

const struct rtap_name nfs_cb_procedure_names[] = { { 0, "CB_NULL" }, { 1, "CB_COMPOUND" }, { 0, NULL } };

const struct rtap_field nfs_fields[NFS_ROW_COUNT] = {
	NFS_HANDLE_ROWS(NFS_FIELD)
	NFS_ATTRIBUTE_ROWS(NFS_FIELD)
	[NFS_DATA] = { "nfs.data", "Data", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_REPEATS | RTAP_BULK, NULL, NULL, NULL },
	NFS_3_ROWS(NFS_FIELD)
	NFS_4_ROWS(NFS_FIELD)
	NFS_42_ROWS(NFS_FIELD)
	NFS_FATTR4_ROWS(NFS_FIELD)
};
