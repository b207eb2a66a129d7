/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs' XDR tables: calls and replies laid out by hand from the standards.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "dissect/rpc/nfs.h"
#include "dissect/rpc/nfs4.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/xdr_walk.h"

enum { CALL, REPLY };

#define FH "00000004 61626364 "             /* handle "abcd" */
#define NAME "00000003 78797a00 "           /* "xyz" */
#define STATEID "00000001 0102030405060708090a0b0c "
#define SESSION "000102030405060708090a0b0c0d0e0f "
#define SEQUENCE_CALL "00000035 " SESSION "00000009 00000000 00000000 00000001 "
#define SEQUENCE_REPLY "00000035 00000000 " SESSION "00000009 00000000 0000001d 0000001d 00000000 "
#define PUTFH_CALL "00000016 " FH
#define PUTFH_REPLY "00000016 00000000 "
#define V41 "00000000 00000001 "            /* no tag, minor version 1 */
#define V42 "00000000 00000002 "
#define V4_OK "00000000 00000000 "          /* status, no tag */
#define ATTRIBUTES3 "00000001 000001ed 00000002 00000000 00000000 0000000000001000 0000000000002000 0000000100000002 " \
	"0000000000000009 0000000000004e1f 6b000001 00000002 6b000003 00000004 6b000005 00000006 "
#define NO_CHANGES "00000000 00000000 00000000 00000000 00000000 00000000 " /* sattr3 */

static const struct {
	const char *what;
	uint32_t program, version, procedure;
	int direction;
	const char *body;  /* in hexadecimal */
	const char *field; /* reported with this value: number, or text where it is in quotes */
	const char *value;
	const char *operations; /* names, with the status of replies */
} messages[] = {
	{ "GETATTR", 100003, 3, 1, CALL, FH, "nfs.fh.hash", "3984772369", "GETATTR" },
	{ "GETATTR", 100003, 3, 1, REPLY, "00000000 " ATTRIBUTES3, "nfs.fattr3.size", "4096", "GETATTR=NFS3_OK" },
	{ "SETATTR of the size", 100003, 3, 2, CALL,
	  FH "00000000 00000000 00000000 00000001 0000000100000000 00000001 00000002 00000007 00000008 00000001 00000001 00000002",
	  "nfs.set_size", "4294967296", "SETATTR" },
	{ "SETATTR", 100003, 3, 2, REPLY, "00000000 00000000 00000000", "nfs.attributes_follow", "0", "SETATTR=NFS3_OK" },
	{ "LOOKUP", 100003, 3, 3, CALL, FH NAME, "nfs.name", "\"xyz\"", "LOOKUP" },
	{ "LOOKUP that fails", 100003, 3, 3, REPLY, "00000002 00000001 " ATTRIBUTES3, "nfs.status3", "2", "LOOKUP=NFS3ERR_NOENT" },
	{ "ACCESS", 100003, 3, 4, CALL, FH "0000003f", "nfs.access_check", "63", "ACCESS" },
	{ "READLINK", 100003, 3, 5, REPLY, "00000000 00000000 " NAME, "nfs.readlink.data", "\"xyz\"", "READLINK=NFS3_OK" },
	{ "READ", 100003, 3, 6, CALL, FH "0000000100000000 00001000", "nfs.offset3", "4294967296", "READ" },
	{ "READ", 100003, 3, 6, REPLY, "00000000 00000000 00000005 00000001 00000005 68656c6c6f000000", "nfs.data", "\"hello\"",
	  "READ=NFS3_OK" },
	{ "WRITE", 100003, 3, 7, CALL, FH "0000000000000007 00000005 00000002 00000005 68656c6c6f000000", "nfs.count3", "5", "WRITE" },
	{ "WRITE", 100003, 3, 7, REPLY, "00000000 00000000 00000000 00000005 00000002 0102030405060708", "nfs.write.committed", "2",
	  "WRITE=NFS3_OK" },
	{ "exclusive CREATE", 100003, 3, 8, CALL, FH NAME "00000002 4142434445464748", "nfs.verifier", "\"ABCDEFGH\"", "CREATE" },
	{ "MKDIR", 100003, 3, 9, REPLY, "00000000 00000001 " FH "00000000 00000001 0000000000001000 00000001 00000002 00000003 00000004 00000000",
	  "nfs.wcc_attr.size", "4096", "MKDIR=NFS3_OK" },
	{ "SYMLINK", 100003, 3, 10, CALL, FH NAME NO_CHANGES "00000002 2e2e0000", "nfs.symlink.to", "\"..\"", "SYMLINK" },
	{ "MKNOD of a device", 100003, 3, 11, CALL, FH NAME "00000004 " NO_CHANGES "00000008 00000001", "nfs.specdata1", "8", "MKNOD" },
	{ "RENAME", 100003, 3, 14, CALL, FH NAME FH "00000001 61000000", "nfs.name", "\"xyz\"", "RENAME" },
	{ "READDIR", 100003, 3, 16, REPLY,
	  "00000000 00000000 0000000000000000 00000001 0000000000000005 " NAME "0000000000000006 00000000 00000001",
	  "nfs.readdir.entry3.name", "\"xyz\"", "READDIR=NFS3_OK" },
	{ "READDIRPLUS", 100003, 3, 17, REPLY,
	  "00000000 00000000 0000000000000000 00000001 0000000000000005 " NAME "0000000000000006 00000001 " ATTRIBUTES3 "00000001 " FH
	  "00000000 00000001", "nfs.readdirplus.entry.fileid", "5", "READDIRPLUS=NFS3_OK" },
	{ "FSINFO", 100003, 3, 19, REPLY,
	  "00000000 00000000 00100000 00100000 00001000 00100000 00100000 00001000 00100000 00000fffffffffff 00000001 00000000 0000001b",
	  "nfs.fsinfo.properties", "27", "FSINFO=NFS3_OK" },
	{ "COMMIT", 100003, 3, 21, CALL, FH "0000000000000007 00000005", "nfs.count3", "5", "COMMIT" },

	{ "COMPOUND with READ", 100003, 4, 1, CALL,
	  V41 "00000003 " SEQUENCE_CALL PUTFH_CALL "00000019 " STATEID "0000000000001000 00000200", "nfs.offset4", "4096", "SEQUENCE PUTFH READ" },
	{ "COMPOUND with READ", 100003, 4, 1, REPLY,
	  V4_OK "00000003 " SEQUENCE_REPLY PUTFH_REPLY "00000019 00000000 00000001 00000005 68656c6c6f000000", "nfs.read.data_length", "5",
	  "=NFS4_OK SEQUENCE=NFS4_OK PUTFH=NFS4_OK READ=NFS4_OK" },
	{ "COMPOUND that fails", 100003, 4, 1, REPLY, "00000046 00000000 00000002 " SEQUENCE_REPLY "00000016 00000046", "nfs.nfsstat4", "70",
	  "=NFS4ERR_STALE SEQUENCE=NFS4_OK PUTFH=NFS4ERR_STALE" },
	{ "WRITE and GETATTR", 100003, 4, 1, CALL,
	  V42 "00000003 " PUTFH_CALL "00000026 " STATEID "0000000000000000 00000002 00000003 61626300 00000009 00000002 00000018 00300000",
	  "nfs.attr_mask", "24", "PUTFH WRITE GETATTR" },
	{ "OPEN that creates", 100003, 4, 1, CALL,
	  V41 "00000001 00000012 00000000 00000403 00000000 0000000000000001 00000002 6f770000 00000001 00000000 00000002 00000000 00000002 "
	  "00000004 000001a4 00000000 " NAME, "nfs.open4.share_access", "3", "OPEN" },
	{ "OPEN with a delegation", 100003, 4, 1, REPLY,
	  V4_OK "00000001 00000012 00000000 " STATEID "00000001 0000000000000001 0000000000000002 00000024 00000000 00000002 " STATEID
	  "00000000 00000001 0000000000000000 00000000 00000000 00000000 00000000", "nfs.changeid4.after", "2", "=NFS4_OK OPEN=NFS4_OK" },
	{ "GETATTR", 100003, 4, 1, REPLY,
	  V4_OK "00000001 00000009 00000000 00000002 0010001a 00000002 00000020 00000002 0000000000000007 0000000000001000 000000000000002a 000001ed",
	  "nfs.fattr4.fileid", "42", "=NFS4_OK GETATTR=NFS4_OK" },
	{ "GETATTR with an attribute of the future", 100003, 4, 1, REPLY,
	  V4_OK "00000002 00000009 00000000 00000004 00000002 00000000 00000000 80000000 00000008 00000001 deadbeef 00000018 00000000",
	  "nfs.nfs_ftype4", "1", "=NFS4_OK GETATTR=NFS4_OK PUTROOTFH=NFS4_OK" },
	{ "CREATE of a link", 100003, 4, 1, CALL, V41 "00000001 00000006 00000005 00000002 2e2e0000 " NAME "00000000 00000000",
	  "nfs.symlink.linktext", "\"..\"", "CREATE" },
	{ "READDIR", 100003, 4, 1, REPLY,
	  V4_OK "00000001 0000001a 00000000 0000000000000000 00000001 0000000000000005 " NAME "00000001 00000002 00000004 00000001 00000000 00000001",
	  "nfs.entry_name", "\"xyz\"", "=NFS4_OK READDIR=NFS4_OK" },
	{ "LOCK denied", 100003, 4, 1, REPLY,
	  "0000271a 00000000 00000001 0000000c 0000271a 0000000000000000 ffffffffffffffff 00000002 0000000000000001 00000002 6f770000",
	  "nfs.length4", "18446744073709551615", "=NFS4ERR_DENIED LOCK=NFS4ERR_DENIED" },
	{ "EXCHANGE_ID", 100003, 4, 1, CALL,
	  V41 "00000001 0000002a 0000000000000001 00000002 63690000 00000101 00000000 00000001 00000003 6f726700 00000001 6e000000 0000000000000000 "
	  "00000000", "nfs.nii_domain4", "\"org\"", "EXCHANGE_ID" },
	{ "CREATE_SESSION", 100003, 4, 1, CALL,
	  V41 "00000001 0000002b 0000000000000001 00000001 00000003 00000000 00100000 00100000 00001000 00000008 00000040 00000000 "
	  "00000000 00001000 00001000 00000000 00000002 00000010 00000001 00000020 40000000 00000001 00000001 00000007 00000001 61000000 "
	  "00000000 00000000 00000001 00000005", "nfs.cb_program", "1073741824", "CREATE_SESSION" },
	{ "LAYOUTGET", 100003, 4, 1, REPLY,
	  V4_OK "00000001 00000032 00000000 00000001 " STATEID "00000001 0000000000000000 0000000000001000 00000001 00000001 00000004 01020304",
	  "nfs.layouttype", "1", "=NFS4_OK LAYOUTGET=NFS4_OK" },
	{ "COPY", 100003, 4, 1, CALL,
	  V42 "00000001 0000003c " STATEID STATEID "0000000000000001 0000000000000002 0000000000000003 00000001 00000001 00000000", "nfs.length4",
	  "3", "COPY" },
	{ "READ_PLUS", 100003, 4, 1, REPLY,
	  V4_OK "00000001 00000044 00000000 00000001 00000002 00000000 0000000000000000 00000005 68656c6c6f000000 00000001 0000000000000005 "
	  "0000000000001000", "nfs.content.type", "0", "=NFS4_OK READ_PLUS=NFS4_OK" },
	{ "SETXATTR", 100003, 4, 1, CALL, V42 "00000001 00000049 00000001 " NAME "00000002 61620000", "nfs.xattr.key", "\"xyz\"", "SETXATTR" },
	{ "GETXATTR", 100003, 4, 1, REPLY, V4_OK "00000001 00000048 00000000 00000002 61620000", "nfs.data", "\"ab\"",
	  "=NFS4_OK GETXATTR=NFS4_OK" },
	{ "LISTXATTRS", 100003, 4, 1, REPLY, V4_OK "00000001 0000004a 00000000 0000000000000002 00000001 " NAME "00000001", "nfs.lisxtattr.cookie",
	  "2", "=NFS4_OK LISTXATTRS=NFS4_OK" },
	{ "an illegal operation", 100003, 4, 1, REPLY, "0000273c 00000000 00000001 0000273c 0000273c", "nfs.opcode", "10044",
	  "=NFS4ERR_OP_ILLEGAL ILLEGAL=NFS4ERR_OP_ILLEGAL" },

	{ "CB_RECALL", 0x40000000, 1, 1, CALL, "00000000 00000000 00000001 00000001 00000004 " STATEID "00000000 " FH, "nfs.callback.ident", "1",
	  "CB_RECALL" },
	{ "CB_SEQUENCE", 0x40000000, 1, 1, REPLY, V4_OK "00000001 0000000b 00000000 " SESSION "00000001 00000000 00000000 00000000",
	  "nfs.seqid", "1",
	  "=NFS4_OK CB_SEQUENCE=NFS4_OK" },

	{ "MNT", 100005, 3, 1, CALL, "00000004 2f737276", "mount.path", "\"/srv\"", "MNT" },
	{ "MNT", 100005, 3, 1, REPLY, "00000000 " FH "00000002 00000001 0005f373", "mount.flavor", "1", "MNT=OK" },
	{ "MNT refused", 100005, 3, 1, REPLY, "0000000d", "mount.status", "13", "MNT=ERR_ACCESS" },
	{ "MNT of version 1", 100005, 1, 1, REPLY, "00000000 4142434445464748494a4b4c4d4e4f504142434445464748494a4b4c4d4e4f50", "nfs.fhandle",
	  "\"ABCDEFGHIJKLMNOPABCDEFGHIJKLMNOP\"", "MNT=OK" },
	{ "EXPORT", 100005, 3, 5, REPLY, "00000001 00000004 2f737276 00000001 00000001 2a000000 00000000 00000000", "mount.export.group", "\"*\"",
	  "EXPORT" },

	{ "LOCK", 100021, 4, 2, CALL,
	  "00000001 63000000 00000000 00000001 00000003 766d4200 " FH "00000002 6f770000 00000007 0000000000000032 0000000000000064 00000000 00000003",
	  "nlm.lock.l_offset64", "50", "LOCK" },
	{ "TEST denied", 100021, 4, 1, REPLY, "00000001 63000000 00000001 00000001 00000007 00000002 6f770000 0000000000000000 0000000000000000",
	  "nlm.lock.svid", "7", "TEST=DENIED" },
	{ "LOCK of version 1", 100021, 1, 2, CALL,
	  "00000001 63000000 00000000 00000001 00000003 766d4200 " FH "00000002 6f770000 00000007 00000032 00000064 00000000 00000003",
	  "nlm.lock.l_len", "100", "LOCK" },
	{ "MON", 100024, 1, 2, CALL, NAME "00000003 766d4200 000186b5 00000003 00000010 " SESSION, "stat.my_id.prog", "100021", "MON" },
	{ "NOTIFY", 100024, 1, 6, CALL, NAME "00000005", "stat.state", "5", "NOTIFY" },
	{ "GETPORT", 100000, 2, 3, CALL, "000186a5 00000003 00000006 00000000", "portmap.prog", "100005", "GETPORT" },
	{ "GETPORT", 100000, 2, 3, REPLY, "00004e50", "portmap.port", "20048", "GETPORT" },
	{ "DUMP", 100000, 2, 4, REPLY, "00000001 000186a5 00000003 00000006 00004e50 00000000", "portmap.port", "20048", "DUMP" },
	{ "GETADDR", 100000, 4, 3, CALL, "000186a3 00000003 00000003 74637000 00000000 00000000", "portmap.rpcb.netid", "\"tcp\"", "GETADDR" },
	{ "GETACL", 100227, 3, 1, CALL, FH "0000000f", "nfsacl.mask", "15", "GETACL" },
	{ "GETACL", 100227, 3, 1, REPLY,
	  "00000000 00000001 " ATTRIBUTES3 "0000000f 00000001 00000001 00000001 00000000 00000006 00000000 00000000", "nfsacl.aclent.perm", "6",
	  "GETACL=OK" },
};

static size_t from_hex(const char *text, uint8_t *stream)
{
	size_t length = 0;

	for (unsigned byte; *text; text++) {
		if (*text == ' ')
			continue;
		cr_assert_eq(sscanf(text, "%2x", &byte), 1);
		stream[length++] = (uint8_t)byte;
		text++;
	}
	return length;
}

struct scribe {
	struct xdr_sink sink;
	const char *field;
	char value[64], operations[256];
	bool found;
};

static void take_value(struct xdr_sink *sink, const struct xdr_value *decoded)
{
	struct scribe *scribe = (struct scribe *)sink;

	cr_assert_not_null(sink->fields[decoded->row].name, "row %u", decoded->row);
	if (scribe->found || !scribe->field || strcmp(sink->fields[decoded->row].name, scribe->field))
		return;
	scribe->found = true;
	if (decoded->data.bytes)
		snprintf(scribe->value, sizeof scribe->value, "\"%.*s\"", (int)decoded->data.length, (const char *)decoded->data.bytes);
	else
		snprintf(scribe->value, sizeof scribe->value, "%llu", (unsigned long long)decoded->number);
}

static void append(struct scribe *scribe, const char *before, const char *text)
{
	size_t used = strlen(scribe->operations);

	snprintf(scribe->operations + used, sizeof scribe->operations - used, "%s%s", before, text ? text : "?");
}

static void take_operation(struct xdr_sink *sink, uint32_t number, const char *name, uint64_t offset)
{
	struct scribe *scribe = (struct scribe *)sink;

	(void)number;
	(void)offset;
	append(scribe, scribe->operations[0] ? " " : "", name);
}

static void take_status(struct xdr_sink *sink, uint32_t status, const char *name)
{
	(void)status;
	append((struct scribe *)sink, "=", name);
}

static enum result walk(const struct rtap_rpc_facts *facts, struct xdr_extent *extents, unsigned count, struct scribe *scribe,
			uint64_t *left)
{
	struct xdr xdr;
	enum result result;

	scribe->sink = (struct xdr_sink){ .value = take_value, .operation = take_operation, .status = take_status, .hashes = true };
	xdr_init(&xdr, extents, count, count);
	result = rpc_body_walk(rpc_program_of_body(facts), facts, &xdr, &scribe->sink);
	*left = xdr_left(&xdr);
	return result;
}

static struct rtap_rpc_facts facts_of(uint32_t program, uint32_t version, uint32_t procedure, int direction)
{
	return (struct rtap_rpc_facts){
		.present = true, .is_reply = direction == REPLY, .program = program, .version = version, .procedure = procedure,
		.program_known = true, .has_body = true, .body_length = UINT32_MAX, .is_callback = program == 0x40000000,
	};
}

TestSuite(nfs, .timeout = HANG_SECONDS);

Test(nfs, every_message_is_walked_to_its_end)
{
	for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
		struct rtap_rpc_facts facts = facts_of(messages[i].program, messages[i].version, messages[i].procedure, messages[i].direction);
		struct scribe scribe = { .field = messages[i].field };
		uint8_t body[1024];
		struct xdr_extent extent = { XDR_BYTES, body, 0, from_hex(messages[i].body, body) };
		uint64_t left;

		cr_expect_eq(walk(&facts, &extent, 1, &scribe, &left), OK, "%s %d", messages[i].what, messages[i].direction);
		cr_expect_eq(left, 0, "%s %d: %u left", messages[i].what, messages[i].direction, (unsigned)left);
		cr_expect_str_eq(scribe.value, messages[i].value, "%s %d: %s", messages[i].what, messages[i].direction, messages[i].field);
		cr_expect_str_eq(scribe.operations, messages[i].operations, "%s", messages[i].what);
	}
}

/* Truncated bodies are in a heap block of their size, so that a sanitizer detects every read beyond it. */
Test(nfs, every_cut_of_a_message_is_noticed)
{
	for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
		struct rtap_rpc_facts facts = facts_of(messages[i].program, messages[i].version, messages[i].procedure, messages[i].direction);
		uint8_t body[1024];
		size_t length = from_hex(messages[i].body, body);

		for (size_t cut = 0; cut < length; cut++) {
			uint8_t *block = malloc(cut + 1);
			struct xdr_extent extents[] = { { XDR_BYTES, block, 0, cut }, { XDR_HOLE, NULL, 0, length - cut } };
			struct scribe scribe = { .field = NULL };
			uint64_t left;

			memcpy(block, body, cut);
			cr_expect_eq(walk(&facts, extents, 1, &scribe, &left), MALFORMED, "%s cut to %zu", messages[i].what, cut);
			/* a hole that holds nothing but the bytes of an opaque hides nothing */
			cr_expect_neq(walk(&facts, extents, 2, &scribe, &left), MALFORMED, "%s captured to %zu", messages[i].what, cut);
			free(block);
		}
	}
}

static const struct {
	const char *what;
	uint32_t program, version, procedure;
	int direction;
	const char *body;
} hostile[] = {
	{ "a handle of 65 bytes", 100003, 3, 1, CALL, "00000041 61626364" },
	{ "a handle of 2^32 - 1 bytes", 100003, 3, 1, CALL, "ffffffff 61626364" },
	{ "a name of 2^32 - 4 bytes", 100003, 3, 3, CALL, FH "fffffffc 61626364" },
	{ "data of 2^31 bytes", 100003, 3, 7, CALL, FH "0000000000000007 00000005 00000002 80000000 68656c6c6f000000" },
	{ "a create mode of 3", 100003, 3, 8, CALL, FH NAME "00000003 4142434445464748" },
	{ "a list that says 2", 100003, 3, 16, REPLY, "00000000 00000000 0000000000000000 00000002" },
	{ "2^32 - 1 operations", 100003, 4, 1, CALL, V41 "ffffffff 00000018" },
	{ "two operations where one is", 100003, 4, 1, CALL, V41 "00000002 00000018" },
	{ "an operation of the future", 100003, 4, 1, CALL, V41 "00000001 00000063 00000000" },
	{ "operation 2", 100003, 4, 1, CALL, V41 "00000001 00000002 00000000" },
	{ "a mask of 2^30 words", 100003, 4, 1, CALL, V41 "00000001 00000009 40000000 00000018" },
	{ "attributes beyond their block", 100003, 4, 1, REPLY,
	  V4_OK "00000001 00000009 00000000 00000001 00000018 00000008 0000000000000007 0000000000000007" },
	{ "a block beyond the message", 100003, 4, 1, REPLY, V4_OK "00000001 00000009 00000000 00000001 00000008 00000010 0000000000000007" },
	{ "a handle of 129 bytes", 100003, 4, 1, CALL, V41 "00000001 00000016 00000081 61626364" },
	{ "17 groups", 100003, 4, 1, CALL,
	  V41 "00000001 00000028 40000000 00000001 00000001 00000007 00000001 61000000 00000000 00000000 00000011 00000005" },
	{ "two implementations", 100003, 4, 1, CALL,
	  V41 "00000001 0000002a 0000000000000001 00000002 63690000 00000101 00000000 00000002 00000000 00000000" },
	{ "an ACL of 1025 entries", 100227, 3, 2, CALL, FH "0000000f 00000401 00000401 00000001 00000000 00000006" },
	{ "a path of 1025 bytes", 100005, 3, 1, CALL, "00000401 2f737276" },
};

Test(nfs, wrong_lengths_and_counts_are_malformed)
{
	for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
		struct rtap_rpc_facts facts = facts_of(hostile[i].program, hostile[i].version, hostile[i].procedure, hostile[i].direction);
		struct scribe scribe = { .field = NULL };
		uint8_t body[1024];
		struct xdr_extent extent = { XDR_BYTES, body, 0, from_hex(hostile[i].body, body) };
		uint64_t left;

		cr_expect_eq(walk(&facts, &extent, 1, &scribe, &left), MALFORMED, "%s", hostile[i].what);
	}
}

static const struct {
	uint32_t program, first, last, procedures;
} programs[] = {
	{ 100000, 2, 4, 13 }, { 100003, 3, 4, 22 }, { 100005, 1, 3, 6 }, { 100021, 1, 4, 24 }, { 100024, 1, 1, 7 },
	{ 100227, 2, 3, 5 }, { 0x40000000, 1, 4, 2 },
};

/* Monotonous streams lead into the first and into undefined arms, and count and nest as far as they can. */
Test(nfs, every_procedure_of_every_program_survives_monotonous_streams)
{
	static const uint8_t patterns[][4] = { { 0, 0, 0, 0 }, { 0, 0, 0, 1 }, { 0, 0, 0, 9 }, { 255, 255, 255, 255 }, { 0, 0, 1, 0 } };
	static uint8_t body[4096];

	for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
		for (uint32_t version = programs[i].first; version <= programs[i].last; version++)
			for (uint32_t procedure = 0; procedure <= programs[i].procedures; procedure++)
				for (unsigned kind = 0; kind < 10; kind++) {
					struct rtap_rpc_facts facts = facts_of(programs[i].program, version, procedure, (int)kind & 1);
					struct scribe scribe = { .field = NULL };
					struct xdr_extent extent = { XDR_BYTES, body, 0, sizeof body };
					uint64_t left;

					cr_assert_not_null(rpc_program_of_body(&facts), "%u v%u", facts.program, version);
					for (size_t at = 0; at < sizeof body; at += 4)
						memcpy(body + at, patterns[kind / 2], 4);
					cr_expect_leq((int)walk(&facts, &extent, 1, &scribe, &left), MALFORMED);
				}
}

static void value_passed_by(struct xdr_sink *sink, const struct xdr_value *decoded)
{
	(void)sink;
	(void)decoded;
}

/* Small numbers, which are what booleans, counts, lengths and arms are made of. */
static void fill_with_small_numbers(uint8_t *body, size_t length, uint32_t *seed)
{
	static const uint8_t numbers[] = { 0, 0, 0, 1, 1, 1, 1, 2, 3, 4, 5, 8, 16, 32, 64, 200 };

	memset(body, 0, length);
	for (size_t at = 3; at < length; at += 4) {
		*seed = *seed * 1664525 + 1013904223;
		body[at] = numbers[*seed >> 28];
	}
}

/* Brief walks, and walks without a visitor, must skip in one step exactly the items that a walk item by item accepts. */
Test(nfs, a_brief_walk_ends_where_one_that_reports_all_does)
{
	uint8_t body[256];
	uint32_t seed = 1;
	unsigned ends[3] = { 0 };

	/* attributes of NFSv4 are passed over without a look */
	for (size_t i = 0; i < sizeof programs / sizeof programs[0] - 1; i++)
		for (uint32_t version = programs[i].first; version <= programs[i].last - (programs[i].program == 100003); version++)
			for (uint32_t procedure = 0; procedure < programs[i].procedures; procedure++)
				for (unsigned kind = 0; kind < 500; kind++) {
					struct rtap_rpc_facts facts = facts_of(programs[i].program, version, procedure, (int)kind & 1);
					uint64_t captured = sizeof body - kind % 97;
					struct xdr_extent extents[2] = { { XDR_BYTES, body, 0, captured }, { XDR_HOLE, NULL, 0, kind % 3 ? 0 : 64 } };
					struct xdr_sink all = { .value = value_passed_by }, none = { .unwanted = UINT64_MAX }, brief = none;
					struct xdr decoded, silent, passed;
					enum result result;

					brief.brief = true;
					fill_with_small_numbers(body, sizeof body, &seed);
					xdr_init(&decoded, extents, 2, 2);
					silent = passed = decoded;
					result = rpc_body_walk(rpc_program_of_body(&facts), &facts, &decoded, &all);
					ends[result]++;
					cr_assert_eq(rpc_body_walk(rpc_program_of_body(&facts), &facts, &silent, &none), result, "%u v%u %u", facts.program, version, procedure);
					cr_assert_eq(rpc_body_walk(rpc_program_of_body(&facts), &facts, &passed, &brief), result, "%u v%u %u", facts.program, version, procedure);
					if (result == OK)
						cr_assert(silent.position == decoded.position && passed.position == decoded.position);
				}
	cr_expect(ends[OK] > 500 && ends[TRUNCATED] > 500 && ends[MALFORMED] > 500, "%u %u %u", ends[OK], ends[TRUNCATED], ends[MALFORMED]);
}

/* The reports of a walk of a body with an operation of a COMPOUND, and its end: brief, with and without a visitor. */
static enum result walk_briefly(const struct rtap_rpc_facts *facts, struct xdr_extent *extents, bool silent, struct scribe *scribe,
				uint64_t *position)
{
	struct xdr xdr;
	enum result result;

	*scribe = (struct scribe){
		.sink = { .value = silent ? NULL : value_passed_by, .operation = take_operation, .status = take_status, .brief = true },
	};
	xdr_init(&xdr, extents, 2, 2);
	result = rpc_body_walk(rpc_program_of_body(facts), facts, &xdr, &scribe->sink);
	*position = xdr.position;
	return result;
}

Test(nfs, a_walk_for_operations_only_reports_those_that_any_other_does)
{
	uint8_t body[256];
	uint32_t seed = 1;
	unsigned ends[3] = { 0 };

	for (uint32_t number = 0; number <= NFS4_OPERATIONS; number++)
		for (unsigned kind = 0; kind < 600; kind++) {
			bool is_callback = kind % 3 == 2, is_reply = kind % 2;
			struct rtap_rpc_facts facts = facts_of(is_callback ? 0x40000000 : 100003, is_callback ? 1 : 4, 1, is_reply ? REPLY : CALL);
			uint64_t captured = kind % 97 + 160, split = kind % 5 ? captured : kind % 160;
			struct xdr_extent extents[2] = { { XDR_BYTES, body, 0, split }, { XDR_BYTES, body + split, 0, captured - split } };
			uint64_t decoded, silent;
			struct scribe all, some;
			enum result result;

			/* status or tag, tag or minor version, the callback's number, two operations: this one first */
			fill_with_small_numbers(body, sizeof body, &seed);
			memset(body, 0, 8);
			body[is_callback && !is_reply ? 15 : 11] = 2;
			body[is_callback && !is_reply ? 19 : 15] = (uint8_t)number;
			if (kind % 7 == 0)
				extents[1].kind = XDR_HOLE;
			result = walk_briefly(&facts, extents, false, &all, &decoded);
			ends[result]++;
			cr_assert_eq(walk_briefly(&facts, extents, true, &some, &silent), result, "operation %u, %u", number, kind);
			cr_assert_str_eq(some.operations, all.operations, "operation %u, %u", number, kind);
			cr_assert(silent == decoded, "operation %u, %u: %llu, %llu", number, kind, (unsigned long long)silent, (unsigned long long)decoded);
		}
	cr_expect(ends[OK] > 500 && ends[TRUNCATED] > 200 && ends[MALFORMED] > 500, "%u %u %u", ends[OK], ends[TRUNCATED], ends[MALFORMED]);
}

/* As a message does that shows the one operation and its status. */
static void take_first_status(struct xdr_sink *sink, uint32_t status, const char *name)
{
	take_status(sink, status, name);
	sink->stop = true;
}

static void check_outline(const struct rtap_rpc_facts *facts, const uint8_t *body, uint64_t length, unsigned *outlines)
{
	struct xdr_extent extent = { XDR_BYTES, (uint8_t *)(uintptr_t)body, 0, length };
	struct scribe walked = { .sink = { .operation = take_operation, .status = take_first_status } }, outlined = { .field = NULL };
	struct rtap_item operation;
	enum rpc_outline outline = rpc_body_outline(rpc_program_of_body(facts), facts, body, length, &operation);
	struct xdr xdr;

	/* arguments have no status; NLM has calls that hold results */
	if (!facts->is_reply)
		walked.sink.status = NULL;
	outlines[outline]++;
	if (outline == RPC_OUTLINE_WALK)
		return;
	if (outline == RPC_OUTLINE_ONE)
		append(&outlined, "", operation.name);
	if (outline == RPC_OUTLINE_ONE && operation.has_status)
		append(&outlined, "=", operation.status_name);
	xdr_init(&xdr, &extent, 1, 1);
	rpc_body_walk(rpc_program_of_body(facts), facts, &xdr, &walked.sink);
	cr_assert_str_eq(outlined.operations, walked.operations, "%u v%u %u", facts->program, facts->version, facts->procedure);
}

Test(nfs, a_body_without_a_walk_has_the_same_reports_as_a_walk)
{
	uint8_t body[64];
	uint32_t seed = 1;

	for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
		for (uint32_t version = programs[i].first; version <= programs[i].last; version++)
			for (uint32_t procedure = 0; procedure <= programs[i].procedures; procedure++) {
				unsigned outlines[3] = { 0 };

				for (unsigned kind = 0; kind < 60; kind++) {
					struct rtap_rpc_facts facts = facts_of(programs[i].program, version, procedure, (int)kind & 1);

					fill_with_small_numbers(body, sizeof body, &seed);
					facts.has_body = kind % 5;
					check_outline(&facts, body, kind % 7 ? sizeof body : kind / 7, outlines);
				}
				cr_expect_gt(outlines[RPC_OUTLINE_NONE], 0);
				/* only a COMPOUND's operations stand in it */
				if (programs[i].program == 100003 && version == 3)
					cr_expect(outlines[RPC_OUTLINE_ONE] > 40 && outlines[RPC_OUTLINE_WALK] < 5, "%u", procedure);
			}
}

Test(nfs, operations_of_compounds_are_named_by_their_numbers)
{
	static const struct { const struct rtap_name *names; uint32_t count; } tables[] = {
		{ nfs_opcode_names, NFS4_OPERATIONS }, { nfs_cb_opcode_names, NFS_CB_OFFLOAD + 1 },
	};

	for (size_t i = 0; i < 2; i++)
		for (uint32_t number = (uint32_t)tables[i].names->value; number < tables[i].count; number++)
			cr_expect_eq(tables[i].names[number - tables[i].names->value].value, number);
}

static void check_program_text(uint32_t program, uint32_t version, bool is_callback, const char *expected)
{
	const struct rtap_rpc_facts facts = { .program = program, .version = version, .is_callback = is_callback };
	char text[64];
	struct line line;

	line_init(&line, text, sizeof text - 1);
	rpc_line_program(&facts, &line);
	*line.next = 0;
	cr_expect_str_eq(text, expected);
}

Test(nfs, the_text_of_a_program_is_its_name_and_version)
{
	char expected[64];

	for (const struct rtap_name *name = rpc_program_names; name->name; name++)
		for (unsigned version = 0; version < 7; version++) {
			snprintf(expected, sizeof expected, "%s v%u", name->name, version);
			check_program_text((uint32_t)name->value, version, false, expected);
		}
	check_program_text(0x40001234, 1, true, "NFS callback v4");
	check_program_text(300000, 1, false, "program 300000 v1");
}

/* Numbers of the items that are offered for binding. */
struct binder {
	struct xdr_sink sink;
	char offered[128];
};

static void note_eligible(struct xdr_sink *sink, struct xdr *xdr, enum xdr_ddp ddp, uint64_t offset, uint32_t length)
{
	struct binder *binder = (struct binder *)sink;
	size_t used = strlen(binder->offered);

	cr_expect_eq(xdr->position, offset);
	snprintf(binder->offered + used, sizeof binder->offered - used, "%d@%u+%u ", ddp, (unsigned)offset, length);
}

static const struct {
	const char *what;
	uint32_t version, procedure;
	int direction;
	const char *body, *offered;
} eligible[] = {
	{ "READ", 3, 6, REPLY, "00000000 00000000 00000005 00000001 00000005 68656c6c6f000000", "1@20+5 " },
	{ "READ of nothing", 3, 6, REPLY, "00000000 00000000 00000000 00000001 00000000", "" },
	{ "READ that fails", 3, 6, REPLY, "00000005 00000000", "" },
	{ "READLINK", 3, 5, REPLY, "00000000 00000000 " NAME, "2@12+3 " },
	{ "WRITE", 3, 7, CALL, FH "0000000000000007 00000005 00000002 00000005 68656c6c6f000000", "3@28+5 " },
	{ "SYMLINK", 3, 10, CALL, FH NAME NO_CHANGES "00000002 2e2e0000", "4@44+2 " },
	{ "LOOKUP", 3, 3, CALL, FH NAME, "" },
	{ "two READs and a READLINK", 4, 1, REPLY,
	  V4_OK "00000003 00000019 00000000 00000001 00000001 61000000 0000001b 00000000 00000002 2e2e0000 00000019 00000000 00000001 00000004 61626364",
	  "1@28+1 2@44+2 1@64+4 " },
	{ "CREATE of a link, WRITE", 4, 1, CALL,
	  V41 "00000002 00000006 00000005 00000002 2e2e0000 " NAME "00000000 00000000 00000026 " STATEID "0000000000000000 00000002 00000003 61626300",
	  "4@24+2 3@80+3 " },
	{ "READ_PLUS", 4, 1, REPLY,
	  V4_OK "00000001 00000044 00000000 00000001 00000002 00000000 0000000000000000 00000005 68656c6c6f000000 00000001 0000000000000005 "
	  "0000000000001000", "5@44+5 " },
	{ "WRITE_SAME", 4, 1, CALL,
	  V42 "00000001 00000046 " STATEID "00000002 0000000000000000 0000000000000200 0000000000000001 0000000000000000 00000000 0000000000000000 "
	  "00000002 61620000", "" },
};

Test(nfs, exactly_the_ddp_eligible_items_are_offered_in_order)
{
	for (size_t i = 0; i < sizeof eligible / sizeof eligible[0]; i++) {
		struct rtap_rpc_facts facts = facts_of(100003, eligible[i].version, eligible[i].procedure, eligible[i].direction);
		struct binder binder = { .sink.eligible = note_eligible };
		uint8_t body[512];
		struct xdr_extent extent = { XDR_BYTES, body, 0, from_hex(eligible[i].body, body) };
		struct xdr xdr;

		xdr_init(&xdr, &extent, 1, 1);
		cr_expect_eq(rpc_body_walk(rpc_program_of_body(&facts), &facts, &xdr, &binder.sink), OK, "%s", eligible[i].what);
		cr_expect_eq(xdr_left(&xdr), 0, "%s", eligible[i].what);
		cr_expect_str_eq(binder.offered, eligible[i].offered, "%s", eligible[i].what);
	}
}

Test(nfs, operations_of_all_minor_versions_have_tables_and_names)
{
	for (uint32_t number = NFS4_ACCESS; number <= NFS4_REMOVEXATTR; number++) {
		struct rtap_rpc_facts facts = facts_of(100003, 4, 1, CALL);
		uint8_t body[16] = { 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, (uint8_t)number };
		struct xdr_extent extents[] = { { XDR_BYTES, body, 0, sizeof body }, { XDR_HOLE, NULL, 0, 4096 } };
		struct scribe scribe = { .field = NULL };
		uint64_t left;

		cr_expect_neq(walk(&facts, extents, 2, &scribe, &left), MALFORMED, "operation %u", number);
		cr_expect_str_neq(scribe.operations, "?", "operation %u", number);
	}
}

/* Bytes that items of fixed length take; 0 if one has not. None of them may be a row of the summary. */
static uint32_t fixed_length(const struct xdr_item *items, const struct rpc_summary_row *summary)
{
	uint32_t length = 0;

	for (; items->kind != XDR_KIND_END; items++) {
		uint32_t more = items->kind == XDR_KIND_U32 || items->kind == XDR_KIND_BOOL ? 4 :
				items->kind == XDR_KIND_U64 ? 8 : items->kind == XDR_KIND_FIXED ? (items->bound + 3) / 4 * 4 :
				items->kind == XDR_KIND_STRUCT ? fixed_length(items->type->items, summary) : 0;

		if (!more)
			return 0;
		for (const struct rpc_summary_row *row = summary; row->row != XDR_NO_ROW; row++)
			cr_expect_neq(row->row, items->row, "row %u is shown, and stands in a detail", items->row);
		length += more;
	}
	return length;
}

static unsigned check_details(const struct xdr_item *items, const struct rpc_summary_row *summary, unsigned depth);

static unsigned check_type(const struct xdr_type *type, const struct rpc_summary_row *summary, unsigned depth)
{
	if (!type || depth > 16)
		return 0;
	if (!type->detail)
		return check_details(type->items, summary, depth + 1);
	cr_expect_eq(fixed_length(type->items, summary), type->detail, "%s", type->label ? type->label : "a detail without a label");
	return 1;
}

/* The number of details. */
static unsigned check_details(const struct xdr_item *items, const struct rpc_summary_row *summary, unsigned depth)
{
	unsigned found = 0;

	for (; items && items->kind != XDR_KIND_END; items++) {
		switch ((enum xdr_kind)items->kind) {
		case XDR_KIND_STRUCT:
		case XDR_KIND_OPTIONAL:
		case XDR_KIND_LIST:
		case XDR_KIND_ARRAY:
			found += check_type(items->type, summary, depth);
			break;
		case XDR_KIND_SWITCH:
		case XDR_KIND_STATUS:
			found += check_type(items->arms->otherwise, summary, depth);
			for (uint32_t i = 0; i < items->arms->count; i++)
				found += check_type(items->arms->arms[i].type, summary, depth);
			break;
		default:
			break;
		}
	}
	return found;
}

Test(nfs, items_skipped_by_summaries_have_the_length_of_their_type)
{
	static const struct { uint32_t program, version; } versions[] = {
		{ RPC_PROGRAM_NFS, 3 }, { RPC_PROGRAM_NFSACL, 2 }, { RPC_PROGRAM_NFSACL, 3 }, { RPC_PROGRAM_MOUNT, 3 },
		{ RPC_PROGRAM_NLM, 4 }, { RPC_PROGRAM_NFS_CALLBACK, 1 },
	};
	unsigned found = 0;

	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
		const struct xdr_program *tables = rpc_program_find(versions[i].program, versions[i].version)->tables;

		for (uint32_t j = 0; j < tables->count; j++) {
			found += check_details(tables->procedures[j].call, tables->summary, 0);
			found += check_details(tables->procedures[j].reply, tables->summary, 0);
		}
	}
	for (uint32_t i = 0; i < NFS4_OPERATIONS; i++) {
		found += check_details(nfs4_operations[i].call, nfs4_program.summary, 0);
		found += check_details(nfs4_operations[i].reply, nfs4_program.summary, 0);
	}
	cr_expect_gt(found, 40);
}
