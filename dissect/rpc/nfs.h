/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values reported by walks over NFS and related programs: the rows of their field tables, which identify a value
 * (struct xdr_value, `row`), and the tags that give its subject (`tag`). Field names are Wireshark's if it has one.
 *
 * The first rows are the same in all tables that have them (nfs, nfsacl, mount, nlm), so that types can be shared.
 */
#ifndef DISSECT_RPC_NFS_H
#define DISSECT_RPC_NFS_H

#include "dissect/rpc/rpc_body.h"
#include "dissect/rpc/xdr_walk.h"

/*
 * Numbers passed to the sink's `operation`: NFSv3 procedures (RFC 1813, section 3.3), NFSv4 operations (RFC 7863, RFC 8276) and
 * NFSv4 callback operations.
 */
enum nfs3_procedure {
	NFS3_NULL, NFS3_GETATTR, NFS3_SETATTR, NFS3_LOOKUP, NFS3_ACCESS, NFS3_READLINK, NFS3_READ, NFS3_WRITE,
	NFS3_CREATE, NFS3_MKDIR, NFS3_SYMLINK, NFS3_MKNOD, NFS3_REMOVE, NFS3_RMDIR, NFS3_RENAME, NFS3_LINK,
	NFS3_READDIR, NFS3_READDIRPLUS, NFS3_FSSTAT, NFS3_FSINFO, NFS3_PATHCONF, NFS3_COMMIT,
};

enum nfs4_operation {
	NFS4_ACCESS = 3, NFS4_CLOSE = 4, NFS4_COMMIT = 5, NFS4_CREATE = 6, NFS4_DELEGPURGE = 7,
	NFS4_DELEGRETURN = 8, NFS4_GETATTR = 9, NFS4_GETFH = 10, NFS4_LINK = 11, NFS4_LOCK = 12, NFS4_LOCKT = 13,
	NFS4_LOCKU = 14, NFS4_LOOKUP = 15, NFS4_LOOKUPP = 16, NFS4_NVERIFY = 17, NFS4_OPEN = 18, NFS4_OPENATTR = 19,
	NFS4_OPEN_CONFIRM = 20, NFS4_OPEN_DOWNGRADE = 21, NFS4_PUTFH = 22, NFS4_PUTPUBFH = 23, NFS4_PUTROOTFH = 24,
	NFS4_READ = 25, NFS4_READDIR = 26, NFS4_READLINK = 27, NFS4_REMOVE = 28, NFS4_RENAME = 29, NFS4_RENEW = 30,
	NFS4_RESTOREFH = 31, NFS4_SAVEFH = 32, NFS4_SECINFO = 33, NFS4_SETATTR = 34, NFS4_SETCLIENTID = 35,
	NFS4_SETCLIENTID_CONFIRM = 36, NFS4_VERIFY = 37, NFS4_WRITE = 38, NFS4_RELEASE_LOCKOWNER = 39,
	NFS4_BACKCHANNEL_CTL = 40, NFS4_BIND_CONN_TO_SESSION = 41, NFS4_EXCHANGE_ID = 42, NFS4_CREATE_SESSION = 43,
	NFS4_DESTROY_SESSION = 44, NFS4_FREE_STATEID = 45, NFS4_GET_DIR_DELEGATION = 46, NFS4_GETDEVICEINFO = 47,
	NFS4_GETDEVICELIST = 48, NFS4_LAYOUTCOMMIT = 49, NFS4_LAYOUTGET = 50, NFS4_LAYOUTRETURN = 51,
	NFS4_SECINFO_NO_NAME = 52, NFS4_SEQUENCE = 53, NFS4_SET_SSV = 54, NFS4_TEST_STATEID = 55,
	NFS4_WANT_DELEGATION = 56, NFS4_DESTROY_CLIENTID = 57, NFS4_RECLAIM_COMPLETE = 58, NFS4_ALLOCATE = 59,
	NFS4_COPY = 60, NFS4_COPY_NOTIFY = 61, NFS4_DEALLOCATE = 62, NFS4_IO_ADVISE = 63, NFS4_LAYOUTERROR = 64,
	NFS4_LAYOUTSTATS = 65, NFS4_OFFLOAD_CANCEL = 66, NFS4_OFFLOAD_STATUS = 67, NFS4_READ_PLUS = 68,
	NFS4_SEEK = 69, NFS4_WRITE_SAME = 70, NFS4_CLONE = 71, NFS4_GETXATTR = 72, NFS4_SETXATTR = 73,
	NFS4_LISTXATTRS = 74, NFS4_REMOVEXATTR = 75, NFS4_ILLEGAL = 10044,
};

enum nfs_cb_operation {
	NFS_CB_GETATTR = 3, NFS_CB_RECALL = 4, NFS_CB_LAYOUTRECALL = 5, NFS_CB_NOTIFY = 6, NFS_CB_PUSH_DELEG = 7,
	NFS_CB_RECALL_ANY = 8, NFS_CB_RECALLABLE_OBJ_AVAIL = 9, NFS_CB_RECALL_SLOT = 10, NFS_CB_SEQUENCE = 11,
	NFS_CB_WANTS_CANCELLED = 12, NFS_CB_NOTIFY_LOCK = 13, NFS_CB_NOTIFY_DEVICEID = 14, NFS_CB_OFFLOAD = 15,
	NFS_CB_ILLEGAL = 10044,
};

/* Subject of a value, if an operation has several of a kind. 0: the operation's own object, or unspecified. */
enum nfs_tag {
	NFS_TAG_NONE,
	NFS_TAG_DIRECTORY,  /* the directory of the operation: its handle and attributes */
	NFS_TAG_OBJECT,     /* the object found, created or modified, if there is also a directory */
	NFS_TAG_FROM,       /* RENAME, COPY, CLONE: the source (directory, name, stateid, offset, attributes) */
	NFS_TAG_TO,         /* the same for the target */
	NFS_TAG_BEFORE,     /* attributes before the operation (wcc_data) */
	NFS_TAG_ENTRY,      /* of one entry of a directory listing */
	NFS_TAG_CONFLICT,   /* LOCK, LOCKT: the conflicting lock */
};

/* X(row, name, label, width in bits, enum rtap_show, value names) */

/* A file handle. nfs.fh.hash, the CRC-32 (zlib) of the handle, is reported only if the sink requests hashes. */
#define NFS_HANDLE_ROWS(X) \
	X(NFS_FH_LENGTH, "nfs.fh.length", "Handle Length", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FH_HASH, "nfs.fh.hash", "Handle Hash", 32, RTAP_HEX, RTAP_IGNORED, NULL) \
	X(NFS_FHANDLE, "nfs.fhandle", "File Handle", 0, RTAP_BYTES, RTAP_IS_HANDLE, NULL)

/* NFSv3 status and attributes: RFC 1813, 2.6. */
#define NFS_ATTRIBUTE_ROWS(X) \
	X(NFS_STATUS3, "nfs.status3", "Status", 32, RTAP_DEC, RTAP_IGNORED, nfs_status3_names) \
	X(NFS_STATUS, "nfs.status", "Status", 32, RTAP_DEC, RTAP_IGNORED, nfs_status_names) \
	X(NFS_ATTRIBUTES_FOLLOW, "nfs.attributes_follow", "Attributes Follow", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FATTR3_TYPE, "nfs.fattr3.type", "Type", 32, RTAP_DEC, 0, nfs_ftype3_names) \
	X(NFS_MODE3, "nfs.mode3", "Mode", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FATTR3_NLINK, "nfs.fattr3.nlink", "Links", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FATTR3_UID, "nfs.fattr3.uid", "UID", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FATTR3_GID, "nfs.fattr3.gid", "GID", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FATTR3_SIZE, "nfs.fattr3.size", "Size", 64, RTAP_DEC, 0, NULL) \
	X(NFS_FATTR3_USED, "nfs.fattr3.used", "Used", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_SPECDATA1, "nfs.specdata1", "Major Device Number", 32, RTAP_DEC, 0, NULL) \
	X(NFS_SPECDATA2, "nfs.specdata2", "Minor Device Number", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FATTR3_FSID, "nfs.fattr3.fsid", "File System", 64, RTAP_HEX, RTAP_IGNORED, NULL) \
	X(NFS_FATTR3_FILEID, "nfs.fattr3.fileid", "File ID", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_ATIME_SEC, "nfs.atime.sec", "Access Time, Seconds", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_ATIME_NSEC, "nfs.atime.nsec", "Access Time, Nanoseconds", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_MTIME_SEC, "nfs.mtime.sec", "Modification Time, Seconds", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_MTIME_NSEC, "nfs.mtime.nsec", "Modification Time, Nanoseconds", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_CTIME_SEC, "nfs.ctime.sec", "Change Time, Seconds", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_CTIME_NSEC, "nfs.ctime.nsec", "Change Time, Nanoseconds", 32, RTAP_DEC, RTAP_IGNORED, NULL)

/* NFSv3: RFC 1813, section 3. */
#define NFS_3_ROWS(X) \
	X(NFS_PROCEDURE_V3, "nfs.procedure_v3", "Procedure", 32, RTAP_DEC, RTAP_IGNORED, nfs_procedure3_names) \
	X(NFS_HANDLE_FOLLOW, "nfs.handle_follow", "Handle Follows", 32, RTAP_DEC, RTAP_COMPARED, NULL) \
	X(NFS_WCC_SIZE, "nfs.wcc_attr.size", "Size Before", 64, RTAP_DEC, 0, NULL) \
	X(NFS_NAME, "nfs.name", "Name", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_SET_IT, "nfs.set_it", "Set It", 32, RTAP_DEC, 0, NULL) \
	X(NFS_SET_SIZE, "nfs.set_size", "New Size", 64, RTAP_DEC, 0, NULL) \
	X(NFS_UID3, "nfs.uid3", "New UID", 32, RTAP_DEC, 0, NULL) \
	X(NFS_GID3, "nfs.gid3", "New GID", 32, RTAP_DEC, 0, NULL) \
	X(NFS_SATTRGUARD3, "nfs.sattrguard3", "Guard", 32, RTAP_DEC, 0, NULL) \
	X(NFS_ACCESS_CHECK, "nfs.access_check", "Access Asked For", 32, RTAP_HEX8, 0, NULL) \
	X(NFS_ACCESS_SUPPORTED, "nfs.access_supported", "Access Known", 32, RTAP_HEX8, 0, NULL) \
	X(NFS_ACCESS_RIGHTS, "nfs.access_rights", "Access Granted", 32, RTAP_HEX8, 0, NULL) \
	X(NFS_READLINK_DATA, "nfs.readlink.data", "Link Target", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_OFFSET3, "nfs.offset3", "Offset", 64, RTAP_DEC, 0, NULL) \
	X(NFS_COUNT3, "nfs.count3", "Count", 32, RTAP_DEC, 0, NULL) \
	X(NFS_READ_EOF, "nfs.read.eof", "End of File", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_READ_LENGTH, "nfs.read.data_length", "Bytes Read", 32, RTAP_DEC, 0, NULL) \
	X(NFS_WRITE_LENGTH, "nfs.write.data_length", "Bytes to Write", 32, RTAP_DEC, 0, NULL) \
	X(NFS_WRITE_STABLE, "nfs.write.stable", "Stable", 32, RTAP_DEC, 0, nfs_stable_names) \
	X(NFS_WRITE_COMMITTED, "nfs.write.committed", "Committed", 32, RTAP_DEC, 0, nfs_stable_names) \
	X(NFS_VERIFIER, "nfs.verifier", "Verifier", 0, RTAP_BYTES, RTAP_IS_VERIFIER, NULL) \
	X(NFS_CREATEMODE, "nfs.createmode", "Create Mode", 32, RTAP_DEC, 0, nfs_createmode3_names) \
	X(NFS_SYMLINK_TO, "nfs.symlink.to", "Link Target", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_TYPE, "nfs.type", "Type", 32, RTAP_DEC, 0, nfs_ftype3_names) \
	X(NFS_COOKIE3, "nfs.cookie3", "Cookie", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_DIRCOUNT3, "nfs.count3_dircount", "Directory Count", 32, RTAP_DEC, 0, NULL) \
	X(NFS_MAXCOUNT3, "nfs.count3_maxcount", "Maximum Count", 32, RTAP_DEC, 0, NULL) \
	X(NFS_ENTRY3_FILEID, "nfs.readdir.entry3.fileid", "File ID", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_ENTRY3_NAME, "nfs.readdir.entry3.name", "Name", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_ENTRY3_COOKIE, "nfs.readdir.entry3.cookie", "Cookie", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_ENTRYPLUS_FILEID, "nfs.readdirplus.entry.fileid", "File ID", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_ENTRYPLUS_NAME, "nfs.readdirplus.entry.name", "Name", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_ENTRYPLUS_COOKIE, "nfs.readdirplus.entry.cookie", "Cookie", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_READDIR_EOF, "nfs.readdir.eof", "End of Directory", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FSSTAT_TBYTES, "nfs.fsstat3_resok.tbytes", "Total Bytes", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FSSTAT_FBYTES, "nfs.fsstat3_resok.fbytes", "Free Bytes", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FSSTAT_ABYTES, "nfs.fsstat3_resok.abytes", "Available Bytes", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FSSTAT_TFILES, "nfs.fsstat3_resok.tfiles", "Total Files", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FSSTAT_FFILES, "nfs.fsstat3_resok.ffiles", "Free Files", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FSSTAT_AFILES, "nfs.fsstat3_resok.afiles", "Available Files", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FSSTAT_INVARSEC, "nfs.fsstat.invarsec", "Seconds Without Change", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FSINFO_RTMAX, "nfs.fsinfo.rtmax", "Maximum READ", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FSINFO_RTPREF, "nfs.fsinfo.rtpref", "Preferred READ", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FSINFO_RTMULT, "nfs.fsinfo.rtmult", "READ Multiple", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FSINFO_WTMAX, "nfs.fsinfo.wtmax", "Maximum WRITE", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FSINFO_WTPREF, "nfs.fsinfo.wtpref", "Preferred WRITE", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FSINFO_WTMULT, "nfs.fsinfo.wtmult", "WRITE Multiple", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FSINFO_DTPREF, "nfs.fsinfo.dtpref", "Preferred READDIR", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FSINFO_MAXFILESIZE, "nfs.fsinfo.maxfilesize", "Maximum File Size", 64, RTAP_DEC, 0, NULL) \
	X(NFS_DTIME_SEC, "nfs.dtime.sec", "Time Granularity, Seconds", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_DTIME_NSEC, "nfs.dtime.nsec", "Time Granularity, Nanoseconds", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FSINFO_PROPERTIES, "nfs.fsinfo.properties", "Properties", 32, RTAP_HEX, 0, NULL) \
	X(NFS_PATHCONF_LINKMAX, "nfs.pathconf.linkmax", "Maximum Links", 32, RTAP_DEC, 0, NULL) \
	X(NFS_PATHCONF_NAME_MAX, "nfs.pathconf.name_max", "Maximum Name", 32, RTAP_DEC, 0, NULL) \
	X(NFS_PATHCONF_NO_TRUNC, "nfs.pathconf.no_trunc", "No Truncation", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_PATHCONF_CHOWN, "nfs.pathconf.chown_restricted", "Change of Owner Restricted", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_PATHCONF_CASE_INSENSITIVE, "nfs.pathconf.case_insensitive", "Case Insensitive", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_PATHCONF_CASE_PRESERVING, "nfs.pathconf.case_preserving", "Case Preserving", 1, RTAP_BOOL, 0, NULL)

/* NFSv4.0 to 4.2: RFC 7531, 5662, 7863, and 8276. */
#define NFS_4_ROWS(X) \
	X(NFS_PROCEDURE_V4, "nfs.procedure_v4", "Procedure", 32, RTAP_DEC, RTAP_IGNORED, nfs_procedure4_names) \
	X(NFS_CB_PROCEDURE, "nfs.cb_procedure", "Callback Procedure", 32, RTAP_DEC, 0, nfs_cb_procedure_names) \
	X(NFS_TAG, "nfs.tag", "Tag", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_MINORVERSION, "nfs.minorversion", "Minor Version", 32, RTAP_DEC, 0, NULL) \
	X(NFS_OPS_COUNT, "nfs.ops.count", "Operations", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_OPCODE, "nfs.opcode", "Operation", 32, RTAP_DEC, RTAP_IGNORED, nfs_opcode_names) \
	X(NFS_MAIN_OPCODE, "nfs.main_opcode", "Main Operation", 32, RTAP_DEC, RTAP_IGNORED, nfs_opcode_names) \
	X(NFS_CB_OPCODE, "nfs.cb.operation", "Callback Operation", 32, RTAP_DEC, 0, nfs_cb_opcode_names) \
	X(NFS_NFSSTAT4, "nfs.nfsstat4", "Status", 32, RTAP_DEC, RTAP_IGNORED, nfs_nfsstat4_names) \
	X(NFS_STATEID, "nfs.stateid", "State ID", 0, RTAP_BYTES, RTAP_IS_STATE, NULL) \
	X(NFS_STATEID_HASH, "nfs.stateid.hash", "State ID Hash", 16, RTAP_HEX, RTAP_IGNORED, NULL) \
	X(NFS_STATEID_SEQID, "nfs.stateid.seqid", "State ID Sequence", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_STATEID_OTHER, "nfs.stateid.other", "State ID Other", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_STATEID_OTHER_HASH, "nfs.stateid.other_hash", "State ID Other Hash", 32, RTAP_HEX, RTAP_IGNORED, NULL) \
	X(NFS_SEQID, "nfs.seqid", "Sequence", 32, RTAP_HEX, RTAP_IGNORED, NULL) \
	X(NFS_LOCK_SEQID, "nfs.lock_seqid", "Lock Sequence", 32, RTAP_HEX, RTAP_IGNORED, NULL) \
	X(NFS_CLIENTID, "nfs.clientid", "Client ID", 64, RTAP_HEX, RTAP_IS_CLIENT, NULL) \
	X(NFS_VERIFIER4, "nfs.verifier4", "Verifier", 64, RTAP_HEX, RTAP_IS_VERIFIER, NULL) \
	X(NFS_COMPONENT_COUNT, "nfs.pathname.component.count", "Components", 32, RTAP_DEC, 0, NULL) \
	X(NFS_COMPONENT, "nfs.pathname.component", "Name", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_ENTRY_NAME, "nfs.entry_name", "Name", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_LINKTEXT, "nfs.symlink.linktext", "Link Target", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_OFFSET4, "nfs.offset4", "Offset", 64, RTAP_DEC, 0, NULL) \
	X(NFS_LENGTH4, "nfs.length4", "Length", 64, RTAP_DEC, 0, NULL) \
	X(NFS_COUNT4, "nfs.count4", "Count", 32, RTAP_DEC, 0, NULL) \
	X(NFS_EOF, "nfs.eof", "End of File", 32, RTAP_DEC, 0, NULL) \
	X(NFS_STABLE_HOW4, "nfs.stable_how4", "Stable", 32, RTAP_DEC, 0, nfs_stable_names) \
	X(NFS_COOKIE4, "nfs.cookie4", "Cookie", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_COOKIE_VERF4, "nfs.cookie_verf4", "Cookie Verifier", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_DIRCOUNT, "nfs.dircount", "Directory Count", 32, RTAP_DEC, 0, NULL) \
	X(NFS_MAXCOUNT, "nfs.maxcount", "Maximum Count", 32, RTAP_DEC, 0, NULL) \
	X(NFS_VALUE_FOLLOWS, "nfs.value_follows", "Value Follows", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_DIRLIST_EOF, "nfs.dirlist4.eof", "End of Directory", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_CHANGE_ATOMIC, "nfs.change_info.atomic", "Atomic", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_CHANGE_BEFORE, "nfs.changeid4.before", "Change Before", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_CHANGE_AFTER, "nfs.changeid4.after", "Change After", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_TIME_SECONDS, "nfs.nfstime4.seconds", "Seconds", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_TIME_NSECONDS, "nfs.nfstime4.nseconds", "Nanoseconds", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FTYPE4, "nfs.nfs_ftype4", "Type", 32, RTAP_DEC, 0, nfs_ftype4_names) \
	X(NFS_NETID, "nfs.r_netid", "Network ID", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_UADDR, "nfs.r_addr", "Universal Address", 0, RTAP_TEXT, RTAP_IGNORED, NULL) \
	X(NFS_CLIENT_ID, "nfs.nfs_client_id4.id", "Client", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_CB_PROGRAM, "nfs.cb_program", "Callback Program", 32, RTAP_HEX, RTAP_IGNORED, NULL) \
	X(NFS_CALLBACK_IDENT, "nfs.callback.ident", "Callback Identifier", 32, RTAP_HEX, RTAP_IGNORED, NULL) \
	X(NFS_SHARE_ACCESS, "nfs.open4.share_access", "Share Access", 32, RTAP_DEC, 0, NULL) \
	X(NFS_SHARE_DENY, "nfs.open4.share_deny", "Share Deny", 32, RTAP_DEC, 0, NULL) \
	X(NFS_OPEN_OWNER, "nfs.open_owner4", "Open Owner", 0, RTAP_BYTES, RTAP_IS_OWNER, NULL) \
	X(NFS_LOCK_OWNER, "nfs.lock_owner4", "Lock Owner", 0, RTAP_BYTES, RTAP_IS_OWNER, NULL) \
	X(NFS_OPENTYPE, "nfs.open.opentype", "Open Type", 32, RTAP_DEC, 0, nfs_opentype_names) \
	X(NFS_CREATEMODE4, "nfs.createmode4", "Create Mode", 32, RTAP_DEC, 0, nfs_createmode4_names) \
	X(NFS_CLAIM_TYPE, "nfs.open.claim_type", "Claim Type", 32, RTAP_DEC, 0, nfs_claim_names) \
	X(NFS_DELEGATE_TYPE, "nfs.delegate_type", "Delegation Type", 32, RTAP_DEC, 0, nfs_delegation_names) \
	X(NFS_DELEGATION_TYPE, "nfs.open.delegation_type", "Delegation Type", 32, RTAP_DEC, 0, nfs_delegation_names) \
	X(NFS_WHY_NO_DELEGATION, "nfs.open.why_no_delegation", "Why No Delegation", 32, RTAP_DEC, 0, nfs_why_names) \
	X(NFS_DELEGATION_PROMISE, "nfs.open.delegation_promise", "Delegation When Possible", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_RECALL, "nfs.recall", "Recall", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_LIMIT_BY, "nfs.open.limit_by", "Space Limit", 32, RTAP_DEC, 0, nfs_limit_names) \
	X(NFS_FILESIZE, "nfs.filesize", "File Size", 64, RTAP_DEC, 0, NULL) \
	X(NFS_NUM_BLOCKS, "nfs.num_blocks", "Blocks", 32, RTAP_DEC, 0, NULL) \
	X(NFS_BYTES_PER_BLOCK, "nfs.bytes_per_block", "Bytes per Block", 32, RTAP_DEC, 0, NULL) \
	X(NFS_RFLAGS, "nfs.open_rflags", "Result Flags", 32, RTAP_HEX, 0, NULL) \
	X(NFS_CREATEDIR, "nfs.openattr4.createdir", "Create Directory", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_ACE_TYPE, "nfs.acetype4", "ACE Type", 32, RTAP_DEC, 0, nfs_ace_names) \
	X(NFS_ACE_FLAGS, "nfs.aceflags4", "ACE Flags", 32, RTAP_HEX, 0, NULL) \
	X(NFS_ACE_MASK, "nfs.acemask4", "ACE Mask", 32, RTAP_HEX, 0, NULL) \
	X(NFS_WHO, "nfs.who", "Who", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_ACES, "nfs.num_aces", "ACEs", 32, RTAP_DEC, 0, NULL) \
	X(NFS_ACL_FLAGS, "nfs.acl.flags", "ACL Flags", 32, RTAP_DEC, 0, NULL) \
	X(NFS_LOCKTYPE4, "nfs.locktype4", "Lock Type", 32, RTAP_DEC, 0, nfs_locktype_names) \
	X(NFS_LOCK_RECLAIM, "nfs.lock.reclaim", "Reclaim", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_NEW_LOCK_OWNER, "nfs.lock.locker.new_lock_owner", "New Lock Owner", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_SECINFO_FLAVOR, "nfs.secinfo.flavor", "Flavor", 32, RTAP_DEC, 0, nfs_flavor_names) \
	X(NFS_SECINFO_OID, "nfs.secinfo.flavor_info.rpcsec_gss_info.oid", "OID", 0, RTAP_BYTES, RTAP_COMPARED, NULL) \
	X(NFS_SECINFO_QOP, "nfs.secinfo.flavor_info.rpcsec_gss_info.qop", "Quality of Protection", 32, RTAP_DEC, 0, NULL) \
	X(NFS_SECINFO_SERVICE, "nfs.secinfo.rpcsec_gss_info.service", "Service", 32, RTAP_DEC, 0, nfs_service_names) \
	X(NFS_SECINFO_STYLE, "nfs.secinfo.style", "Style", 32, RTAP_DEC, 0, nfs_secinfo_style_names) \
	X(NFS_SESSIONID, "nfs.session_id4", "Session ID", 0, RTAP_BYTES, RTAP_IS_SESSION, NULL) \
	X(NFS_SLOTID, "nfs.slotid", "Slot", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_HIGH_SLOTID, "nfs.high_slotid", "Highest Slot", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_TARGET_SLOTID, "nfs.target_high_slotid", "Target Highest Slot", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_CACHETHIS, "nfs.cachethis4", "Cache This", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_SEQUENCE_FLAGS, "nfs.sequence.flags", "Status Flags", 32, RTAP_HEX, RTAP_IGNORED, NULL) \
	X(NFS_EXCHANGE_CALL_FLAGS, "nfs.exchange_id.call_flags", "Flags", 32, RTAP_HEX, 0, NULL) \
	X(NFS_EXCHANGE_REPLY_FLAGS, "nfs.exchange_id.reply_flags", "Flags", 32, RTAP_HEX, 0, NULL) \
	X(NFS_STATE_PROTECT, "nfs.exchange_id.state_protect", "State Protection", 32, RTAP_DEC, 0, nfs_state_protect_names) \
	X(NFS_OP_MASK, "nfs.op_mask", "Operations Mask", 32, RTAP_HEX, 0, NULL) \
	X(NFS_HASH_ALG, "nfs.prot_info4_hash_alg", "Hash Algorithm", 32, RTAP_HEX, RTAP_COMPARED, NULL) \
	X(NFS_ENCR_ALG, "nfs.prot_info4_encr_alg", "Encryption Algorithm", 32, RTAP_HEX, 0, NULL) \
	X(NFS_SSV_LENGTH, "nfs.prot_info4_svv_length", "SSV Length", 32, RTAP_HEX, 0, NULL) \
	X(NFS_SPI_WINDOW, "nfs.prot_info4_spi_window", "Window", 32, RTAP_HEX, 0, NULL) \
	X(NFS_STATE_PROTECT_WINDOW, "nfs.state_protect_window", "Window", 32, RTAP_HEX, 0, NULL) \
	X(NFS_STATE_PROTECT_HANDLES, "nfs.state_protect_num_gss_handles", "GSS Handles", 32, RTAP_HEX, RTAP_COMPARED, NULL) \
	X(NFS_ALGORITHM, "nfs.state_protect.algorithm", "Algorithm OID", 0, RTAP_BYTES, RTAP_COMPARED, NULL) \
	X(NFS_NII_DOMAIN, "nfs.nii_domain4", "Implementer", 0, RTAP_TEXT, RTAP_IGNORED, NULL) \
	X(NFS_NII_NAME, "nfs.nii_name4", "Implementation", 0, RTAP_TEXT, RTAP_IGNORED, NULL) \
	X(NFS_MINORID, "nfs.minorid4", "Server Minor ID", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_MAJORID, "nfs.majorid4", "Server Major ID", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_SCOPE, "nfs.scope", "Server Scope", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_SESSION_FLAGS, "nfs.create_session_flags", "Flags", 32, RTAP_HEX, RTAP_COMPARED, NULL) \
	X(NFS_PADSIZE, "nfs.padsize4", "Header Padding", 32, RTAP_DEC, 0, NULL) \
	X(NFS_MAXREQSIZE, "nfs.maxreqsize4", "Maximum Request", 32, RTAP_DEC, 0, NULL) \
	X(NFS_MAXRESPSIZE, "nfs.maxrespsize4", "Maximum Response", 32, RTAP_DEC, 0, NULL) \
	X(NFS_MAXRESPCACHED, "nfs.maxrespsizecached4", "Maximum Cached Response", 32, RTAP_DEC, 0, NULL) \
	X(NFS_MAXOPS, "nfs.maxops4", "Maximum Operations", 32, RTAP_DEC, 0, NULL) \
	X(NFS_MAXREQS, "nfs.maxreqs4", "Maximum Requests", 32, RTAP_DEC, 0, NULL) \
	X(NFS_RDMA_IRD, "nfs.rdmachanattrs4", "RDMA Channel Attributes", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FLAVOR4, "nfs.flavor4", "Flavor", 32, RTAP_DEC, 0, nfs_flavor_names) \
	X(NFS_STAMP4, "nfs.stamp4", "Stamp", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_MACHINENAME4, "nfs.machinename4", "Machine Name", 0, RTAP_TEXT, RTAP_IGNORED, NULL) \
	X(NFS_UID4, "nfs.uid4", "UID", 32, RTAP_DEC, 0, NULL) \
	X(NFS_GID4, "nfs.gid4", "GID", 32, RTAP_DEC, 0, NULL) \
	X(NFS_SERVICE4, "nfs.service4", "Service", 32, RTAP_DEC, 0, nfs_service_names) \
	X(NFS_GSSHANDLE, "nfs.gsshandle4", "GSS Handle", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_BIND_CALL_DIR, "nfs.bctsa_dir", "Direction", 32, RTAP_HEX, 0, nfs_bind_names) \
	X(NFS_BIND_CALL_RDMA, "nfs.bctsa_use_conn_in_rdma_mode", "RDMA Mode", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_BIND_REPLY_DIR, "nfs.bctsr_dir", "Direction", 32, RTAP_HEX, 0, nfs_bind_names) \
	X(NFS_BIND_REPLY_RDMA, "nfs.bctsr_use_conn_in_rdma_mode", "RDMA Mode", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_RECLAIM_ONE_FS, "nfs.reclaim_one_fs4", "Reclaim One File System", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_WANT, "nfs.want", "Wanted", 32, RTAP_HEX, 0, NULL) \
	X(NFS_SIGNAL_AVAILABLE, "nfs.layoutavail", "Signal When Available", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_NOTIFY_MASK, "nfs.notify_mask", "Notifications", 32, RTAP_HEX, 0, NULL) \
	X(NFS_NOTIFY_VALUES, "nfs.notify_values", "Notification", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_DELEGATION_STATUS, "nfs.dir_delegation.status", "Directory Delegation", 32, RTAP_DEC, 0, nfs_gdd_names) \
	X(NFS_DEVICEID, "nfs.deviceid", "Device ID", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_DEVICES, "nfs.devicenum4", "Devices", 32, RTAP_DEC, 0, NULL) \
	X(NFS_DEVINFO, "nfs.devinfo", "Device Address", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_LAYOUTTYPE, "nfs.layouttype", "Layout Type", 32, RTAP_DEC, 0, nfs_layouttype_names) \
	X(NFS_IOMODE, "nfs.iomode", "I/O Mode", 32, RTAP_DEC, 0, nfs_iomode_names) \
	X(NFS_MINLENGTH4, "nfs.minlength4", "Minimum Length", 64, RTAP_DEC, 0, NULL) \
	X(NFS_LAYOUT, "nfs.layout", "Layout", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_LAYOUTUPDATE, "nfs.layoutupdate", "Layout Update", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_LAYOUT_BODY, "nfs.lrf_body_content", "Layout Data", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_RETURNTYPE, "nfs.returntype", "Return Type", 32, RTAP_DEC, 0, nfs_returntype_names) \
	X(NFS_RETCLOSE, "nfs.retclose4", "Return on Close", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_LRS_PRESENT, "nfs.lrs_present", "State ID Present", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_RECLAIM4, "nfs.reclaim4", "Reclaim", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_NEWTIME, "nfs.newtime", "New Time", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_NEWOFFSET, "nfs.newoffset", "New Offset", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_NEWSIZE, "nfs.newsize", "New Size", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_SSV, "nfs.ssv", "SSV", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_DIGEST, "nfs.digest", "Digest", 0, RTAP_BYTES, 0, NULL)

/* Mostly of NFSv4.2, and callbacks. */
#define NFS_42_ROWS(X) \
	X(NFS_CONSECUTIVE, "nfs.consecutive", "Consecutive", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_SYNCHRONOUS, "nfs.synchronous", "Synchronous", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_SOURCE_SERVERS, "nfs.source_servers", "Source Servers", 32, RTAP_DEC, 0, NULL) \
	X(NFS_NETLOCTYPE, "nfs.netloctype", "Location Type", 32, RTAP_DEC, 0, nfs_netloc_names) \
	X(NFS_NL_NAME, "nfs.nl_name", "Location Name", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_NL_URL, "nfs.nl_url", "Location URL", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_CALLBACK_IDS, "nfs.callback_ids", "Callback State IDs", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_OFFLOAD_STATUSES, "nfs.num_offload_status", "Offload Statuses", 32, RTAP_DEC, 0, NULL) \
	X(NFS_OFFLOAD_STATUS, "nfs.offload_status", "Offload Status", 32, RTAP_DEC, 0, nfs_nfsstat4_names) \
	X(NFS_BYTES_COPIED, "nfs.bytes_copied", "Bytes Copied", 64, RTAP_DEC, 0, NULL) \
	X(NFS_CONTENT_TYPE, "nfs.content.type", "Content Type", 32, RTAP_DEC, 0, nfs_content_names) \
	X(NFS_DATA_CONTENT, "nfs.data_content", "Content Sought", 32, RTAP_DEC, 0, nfs_content_names) \
	X(NFS_HINT_MASK, "nfs.hint.mask", "Hints", 32, RTAP_HEX, 0, NULL) \
	X(NFS_IO_COUNT, "nfs.io_count", "Operations", 64, RTAP_DEC, 0, NULL) \
	X(NFS_IO_BYTES, "nfs.io_bytes", "Bytes", 64, RTAP_DEC, 0, NULL) \
	X(NFS_DEVICE_ERRORS, "nfs.device_error_count", "Device Errors", 32, RTAP_DEC, 0, NULL) \
	X(NFS_ADB_BLOCK_SIZE, "nfs.adb.block.size", "Block Size", 64, RTAP_DEC, 0, NULL) \
	X(NFS_ADB_BLOCK_COUNT, "nfs.adb.block.count", "Blocks", 64, RTAP_DEC, 0, NULL) \
	X(NFS_ADB_RELOFF_NUM, "nfs.adb.block.reloff_num", "Offset of the Block Number", 64, RTAP_DEC, 0, NULL) \
	X(NFS_ADB_BLOCK_NUM, "nfs.adb.block.num", "First Block Number", 32, RTAP_DEC, 0, NULL) \
	X(NFS_ADB_PATTERN_RELOFF, "nfs.adb.pattern.reloff", "Offset of the Pattern", 64, RTAP_DEC, 0, NULL) \
	X(NFS_ADB_PATTERN, "nfs.adb.pattern", "Pattern", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_XATTR_KEY, "nfs.xattr.key", "Attribute Name", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_SETXATTR_OPTIONS, "nfs.setxattr.options", "Options", 32, RTAP_DEC, 0, nfs_setxattr_names) \
	X(NFS_LISTXATTR_COOKIE, "nfs.lisxtattr.cookie", "Cookie", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_LISTXATTR_MAXCOUNT, "nfs.lisxtattr.maxcount", "Maximum Count", 32, RTAP_DEC, 0, NULL) \
	X(NFS_LISTXATTR_NAMES, "nfs.listxattr.names.count", "Names", 32, RTAP_DEC, 0, NULL) \
	X(NFS_LISTXATTR_EOF, "nfs.lisxtattr.eof", "End of Names", 32, RTAP_DEC, 0, NULL) \
	X(NFS_TRUNCATE, "nfs.truncate", "Truncate", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_RECALLTYPE, "nfs.recalltype", "Recall Type", 32, RTAP_DEC, 0, nfs_returntype_names) \
	X(NFS_CLORACHANGED, "nfs.clorachanged", "Changed", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_OBJECTS_TO_KEEP, "nfs.cb.objects_to_keep", "Objects to Keep", 32, RTAP_DEC, 0, NULL) \
	X(NFS_RECALL_MASK, "nfs.cb.type_mask", "Object Types", 32, RTAP_HEX, 0, NULL) \
	X(NFS_WANTS_CANCELLED, "nfs.cb.wants_cancelled", "Wants Cancelled", 1, RTAP_BOOL, 0, NULL)

/* Attributes of NFSv4: RFC 7530, section 5; RFC 8881, section 5; RFC 7862, section 12. */
#define NFS_FATTR4_ROWS(X) \
	X(NFS_ATTR_MASK, "nfs.attr_mask", "Attribute Mask", 32, RTAP_HEX, 0, NULL) \
	X(NFS_ATTR_COUNT, "nfs.attr_count", "Attributes", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_ATTR, "nfs.attr", "Attribute", 32, RTAP_DEC, RTAP_IGNORED, nfs_attribute_names) \
	X(NFS_CHANGEID4, "nfs.changeid4", "Change", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FH_EXPIRE, "nfs.fattr4_fh_expire_type", "Handle Expiry", 32, RTAP_HEX, 0, NULL) \
	X(NFS_SIZE4, "nfs.fattr4.size", "Size", 64, RTAP_DEC, 0, NULL) \
	X(NFS_LINK_SUPPORT, "nfs.fattr4_link_support", "Hard Links", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_SYMLINK_SUPPORT, "nfs.fattr4_symlink_support", "Symbolic Links", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_NAMED_ATTR, "nfs.fattr4_named_attr", "Named Attributes", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_FSID_MAJOR, "nfs.fsid4.major", "File System, Major", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FSID_MINOR, "nfs.fsid4.minor", "File System, Minor", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_UNIQUE_HANDLES, "nfs.fattr4_unique_handles", "Unique Handles", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_LEASE_TIME, "nfs.fattr4.lease_time", "Lease Time", 32, RTAP_DEC, RTAP_COMPARED, NULL) \
	X(NFS_ACLSUPPORT, "nfs.fattr4.aclsupport", "ACL Support", 32, RTAP_DEC, 0, NULL) \
	X(NFS_ARCHIVE, "nfs.fattr4_archive", "Archive", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_CANSETTIME, "nfs.fattr4_cansettime", "Can Set Time", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_CASE_INSENSITIVE, "nfs.fattr4_case_insensitive", "Case Insensitive", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_CASE_PRESERVING, "nfs.fattr4_case_preserving", "Case Preserving", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_CHOWN_RESTRICTED, "nfs.fattr4_chown_restricted", "Change of Owner Restricted", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_FILEID4, "nfs.fattr4.fileid", "File ID", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FILES_AVAIL, "nfs.fattr4.files_avail", "Files Available", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FILES_FREE, "nfs.fattr4.files_free", "Files Free", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FILES_TOTAL, "nfs.fattr4.files_total", "Files Total", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_SERVER, "nfs.server", "Server", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_HIDDEN, "nfs.fattr4_hidden", "Hidden", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_HOMOGENEOUS, "nfs.fattr4_homogeneous", "Homogeneous", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_MAXFILESIZE4, "nfs.fattr4.maxfilesize", "Maximum File Size", 64, RTAP_DEC, 0, NULL) \
	X(NFS_MAXLINK, "nfs.fattr4.maxlink", "Maximum Links", 32, RTAP_DEC, 0, NULL) \
	X(NFS_MAXNAME, "nfs.fattr4.maxname", "Maximum Name", 32, RTAP_DEC, 0, NULL) \
	X(NFS_MAXREAD, "nfs.fattr4.maxread", "Maximum READ", 64, RTAP_DEC, 0, NULL) \
	X(NFS_MAXWRITE, "nfs.fattr4.maxwrite", "Maximum WRITE", 64, RTAP_DEC, 0, NULL) \
	X(NFS_MIMETYPE, "nfs.fattr4_mimetype", "MIME Type", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_MODE4, "nfs.mode", "Mode", 32, RTAP_DEC, 0, NULL) \
	X(NFS_MODE_MASK, "nfs.mode_mask", "Mode Bits to Set", 32, RTAP_DEC, 0, NULL) \
	X(NFS_NO_TRUNC, "nfs.fattr4_no_trunc", "No Truncation", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_NUMLINKS, "nfs.fattr4.numlinks", "Links", 32, RTAP_DEC, 0, NULL) \
	X(NFS_OWNER, "nfs.fattr4_owner", "Owner", 0, RTAP_TEXT, RTAP_COMPARED, NULL) \
	X(NFS_OWNER_GROUP, "nfs.fattr4_owner_group", "Owner Group", 0, RTAP_TEXT, RTAP_COMPARED, NULL) \
	X(NFS_QUOTA_HARD, "nfs.fattr4.quota_hard", "Quota, Hard", 64, RTAP_DEC, 0, NULL) \
	X(NFS_QUOTA_SOFT, "nfs.fattr4.quota_soft", "Quota, Soft", 64, RTAP_DEC, 0, NULL) \
	X(NFS_QUOTA_USED, "nfs.fattr4.quota_used", "Quota Used", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_SPACE_AVAIL, "nfs.fattr4.space_avail", "Space Available", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_SPACE_FREE, "nfs.fattr4.space_free", "Space Free", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_SPACE_TOTAL, "nfs.fattr4.space_total", "Space Total", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_SPACE_USED, "nfs.fattr4.space_used", "Space Used", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_SYSTEM, "nfs.fattr4_system", "System", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_MOUNTED_ON, "nfs.fattr4.mounted_on_fileid", "Mounted on File ID", 64, RTAP_HEX, RTAP_IGNORED, NULL) \
	X(NFS_CHANGE_POLICY_MAJOR, "nfs.fattr4.change_policy.major", "Change Policy, Major", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_CHANGE_POLICY_MINOR, "nfs.fattr4.change_policy.minor", "Change Policy, Minor", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_FS_ABSENT, "nfs.fattr4.fs_status.absent", "File System Absent", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_FS_STATUS_TYPE, "nfs.fattr4.fs_status.type", "File System Status", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FS_SOURCE, "nfs.fattr4.fs_status.source", "Source", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_FS_CURRENT, "nfs.fattr4.fs_status.current", "Current", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_FS_AGE, "nfs.fattr4.fs_status.age", "Age", 32, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_LAYOUT_BLKSIZE, "nfs.fattr4.layout_blksize", "Layout Block Size", 32, RTAP_DEC, 0, NULL) \
	X(NFS_LAYOUT_ALIGNMENT, "nfs.fattr4.layout_alignment", "Layout Alignment", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FS_CURRENCY, "nfs.fattr4.fs_locations_info.currency", "Currency", 32, RTAP_DEC, 0, NULL) \
	X(NFS_FS_INFO, "nfs.fattr4.fs_locations_info.info", "Location Information", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_FS_FLAGS, "nfs.fattr4.fs_locations_info.flags", "Location Flags", 32, RTAP_HEX, 0, NULL) \
	X(NFS_FS_VALID_FOR, "nfs.fattr4.fs_locations_info.valid_for", "Valid For", 32, RTAP_DEC, RTAP_COMPARED, NULL) \
	X(NFS_THRESHOLD_MASK, "nfs.fattr4.threshold_item.hint_mask", "Thresholds", 32, RTAP_HEX, 0, NULL) \
	X(NFS_THRESHOLDS, "nfs.fattr4.threshold_item.values", "Threshold Values", 0, RTAP_BYTES, 0, NULL) \
	X(NFS_RETENTION_DURATION, "nfs.fattr4.retention.duration", "Retention", 64, RTAP_DEC, 0, NULL) \
	X(NFS_RETENTION_ENABLE, "nfs.fattr4.retention.enable", "Retention Enabled", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_RETENTION_HOLD, "nfs.fattr4.retention.hold", "Retention Hold", 64, RTAP_HEX, 0, NULL) \
	X(NFS_CHARSET_CAP, "nfs.fattr4.fs_charset_cap", "Character Set", 32, RTAP_HEX, 0, NULL) \
	X(NFS_CLONE_BLKSIZE, "nfs.fattr4.clone_block_size", "Clone Block Size", 32, RTAP_DEC, 0, NULL) \
	X(NFS_SPACE_FREED, "nfs.fattr4.space_freed", "Space Freed", 64, RTAP_DEC, RTAP_IGNORED, NULL) \
	X(NFS_CHANGE_ATTR_TYPE, "nfs.fattr4.change_attr_type", "Kind of Change Attribute", 32, RTAP_DEC, 0, NULL) \
	X(NFS_LABEL_FORMAT, "nfs.fattr4.security_label.lfs", "Label Format", 32, RTAP_DEC, 0, NULL) \
	X(NFS_LABEL_POLICY, "nfs.fattr4.security_label.pi", "Label Policy", 32, RTAP_DEC, 0, NULL) \
	X(NFS_LABEL, "nfs.fattr4.security_label.context", "Label", 0, RTAP_TEXT, 0, NULL) \
	X(NFS_UMASK, "nfs.fattr4.umask", "Umask", 32, RTAP_DEC, 0, NULL) \
	X(NFS_XATTR_SUPPORT, "nfs.fattr4_xattr_support", "Extended Attributes", 1, RTAP_BOOL, 0, NULL) \
	X(NFS_OFFLINE, "nfs.fattr4_offline", "Offline", 1, RTAP_BOOL, 0, NULL)

#define NFS_ROW_NUMBER(row, name, label, width, show, flags, names) row,
enum nfs_row {
	NFS_HANDLE_ROWS(NFS_ROW_NUMBER)
	NFS_HANDLE_ROW_COUNT,
	NFS_BEFORE_ATTRIBUTES = NFS_HANDLE_ROW_COUNT - 1, /* so that the next row follows the handle's */
	NFS_ATTRIBUTE_ROWS(NFS_ROW_NUMBER)
	NFS_ATTRIBUTE_ROW_COUNT,
	NFS_DATA = NFS_ATTRIBUTE_ROW_COUNT, /* of READ, WRITE and similar operations: reported only if requested */
	NFS_3_ROWS(NFS_ROW_NUMBER)
	NFS_4_ROWS(NFS_ROW_NUMBER)
	NFS_42_ROWS(NFS_ROW_NUMBER)
	NFS_FATTR4_ROWS(NFS_ROW_NUMBER)
	NFS_ROW_COUNT,
};

/* For an initialiser: a row's field. Values come from a walk and may occur many times in one message. */
#define NFS_FIELD(row, name, label, width, show, flags, names) \
	[row] = { name, label, 0, width, show, RTAP_UNPLACED | RTAP_REPEATS | (flags), names, NULL, NULL },

extern const struct rtap_field nfs_fields[NFS_ROW_COUNT];

extern const struct rtap_name nfs_procedure3_names[23], nfs_procedure4_names[3], nfs_cb_procedure_names[3];
extern const struct rtap_name nfs_status3_names[], nfs_status_names[], nfs_ftype3_names[], nfs_nfsstat4_names[];
extern const struct rtap_name nfs_opcode_names[], nfs_cb_opcode_names[], nfs_attribute_names[];

/* Programs: 100003 versions 3 and 4, and the NFSv4 callback. */
extern const struct xdr_program nfs3_program, nfs4_program, nfs_callback_program;

/* NFSv3 types shared with other programs. */
extern const struct xdr_type nfs_fh3, nfs_post_op_attr;

#endif
