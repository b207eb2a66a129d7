/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include <criterion/criterion.h>

#include "tests/files_kit.h"

TestSuite(export_nfs4, .init = files_begin, .fini = files_end, .timeout = HANG_SECONDS);

/* NFSv4. */
static void write4(const char *handle, uint64_t offset, const char *text)
{
	kit_compound(&kit);
	kit_putfh(&kit, handle);
	kit_operation(&kit, NFS4_WRITE);
	kit_stateid(&kit.call);
	kit_u64(&kit.call, offset);
	kit_u32(&kit.call, 2);
	kit_text(&kit.call, text);
	kit_u32(&kit.reply, (uint32_t)strlen(text));
	kit_u32(&kit.reply, 2);
	kit_u64(&kit.reply, 0);
	end_and_run();
}

static void lay_open4(const char *in, const char *name, const char *handle, bool cuts)
{
	kit_compound(&kit);
	kit_putfh(&kit, in);
	kit_operation(&kit, NFS4_OPEN);
	kit_u32(&kit.call, 0);
	kit_u32(&kit.call, 3);
	kit_u32(&kit.call, 0);
	kit_u64(&kit.call, 1);
	kit_text(&kit.call, "owner");
	kit_u32(&kit.call, 1);
	kit_u32(&kit.call, 0);
	if (cuts) {
		kit_u32(&kit.call, 1);
		kit_u32(&kit.call, 0x10);
		kit_u32(&kit.call, 8);
		kit_u64(&kit.call, 0);
	} else {
		kit_u32(&kit.call, 0);
		kit_u32(&kit.call, 0);
	}
	kit_u32(&kit.call, 0);
	kit_text(&kit.call, name);
	kit_stateid(&kit.reply);
	kit_u32(&kit.reply, 1);
	kit_u64(&kit.reply, 1);
	kit_u64(&kit.reply, 2);
	kit_u32(&kit.reply, 0);
	kit_u32(&kit.reply, 0);
	kit_u32(&kit.reply, 0);
	kit_getfh(&kit, handle);
	kit_end(&kit);
}

static void open4(const char *in, const char *name, const char *handle, bool cuts)
{
	lay_open4(in, name, handle, cuts);
	run();
}

/* "root" is the root's handle. */
static void root4(void)
{
	kit_compound(&kit);
	kit_operation(&kit, NFS4_PUTROOTFH);
	kit_getfh(&kit, "root");
	end_and_run();
}

Test(export_nfs4, who_is_the_client_goes_by_the_program_not_by_the_connection)
{
	write_of("f", 0, "hello", 5, 5);
	kit.exchange.reverse = true;
	run();
	EXPECT_TEXT("by-handle/76d32be0", "hello");
}

Test(export_nfs4, nfs4_paths_go_by_compounds)
{
	root4();
	kit_compound(&kit);
	kit_operation(&kit, NFS4_PUTROOTFH);
	kit_lookup(&kit, "a");
	kit_getfh(&kit, "a");
	kit_operation(&kit, NFS4_SAVEFH);
	kit_lookup(&kit, "b");
	kit_lookup(&kit, "c");
	kit_getfh(&kit, "c");
	kit_operation(&kit, NFS4_RESTOREFH);
	kit_lookup(&kit, "d");
	kit_getfh(&kit, "d");
	kit_operation(&kit, NFS4_LOOKUPP);
	kit_operation(&kit, NFS4_LOOKUPP);
	kit_lookup(&kit, "e");
	kit_getfh(&kit, "e");
	end_and_run();
	write4("c", 0, "c");
	write4("d", 0, "d");
	write4("e", 0, "e");
	EXPECT_TEXT("a/b/c", "c");
	EXPECT_TEXT("a/d", "d");
	EXPECT_TEXT("e", "e");
}

Test(export_nfs4, nfs4_opens_make_and_cut_files)
{
	root4();
	open4("root", "file", "f", false);
	EXPECT_TEXT("file", "-");
	write4("f", 0, "hello");
	open4("root", "file", "f", false);
	EXPECT_TEXT("file", "hello");
	open4("root", "file", "f", true);
	EXPECT_TEXT("file", "");
	open4("root", "new", "n", true);
	EXPECT_TEXT("new", "-");
	write4("n", 3, "!");
	EXPECT_TEXT("new", "...!");
}

/* What the client writes needs the stateid of the reply. */
Test(export_nfs4, an_open_whose_reply_is_lost_cuts_the_file_before_later_writes)
{
	root4();
	open4("root", "file", "f", true);
	write4("f", 0, "hello, hello");
	lay_open4("root", "file", "f", true);
	kit.exchange.reply.present = false;
	run();
	EXPECT_MISSING("file\t0\t12\tnot_captured\n");
	write4("f", 0, "world");
	EXPECT_TEXT("file", "world, hello");
	EXPECT_MISSING("file\t5\t7\tnot_captured\n");
}

Test(export_nfs4, an_operation_after_a_failed_one_was_not_done)
{
	size_t length;

	root4();
	open4("root", "file", "f", true);
	write4("f", 0, "hello");
	kit_compound(&kit);
	kit_putfh(&kit, "f");
	kit_operation(&kit, NFS4_SETATTR);
	kit_stateid(&kit.call);
	kit_u32(&kit.call, 1);
	kit_u32(&kit.call, 0x10);
	kit_u32(&kit.call, 8);
	kit_u64(&kit.call, 2);
	kit_u32(&kit.reply, 0);
	/* it failed, and with it the whole; the reply ends there */
	kit.reply.bytes[kit.reply.length - 5] = 28;
	kit.reply.bytes[kit.reply.count_at - 5] = 28;
	length = kit.reply.length;
	kit_operation(&kit, NFS4_DEALLOCATE);
	kit_stateid(&kit.call);
	kit_u64(&kit.call, 0);
	kit_u64(&kit.call, 3);
	kit.reply.length = length;
	kit.reply.bytes[kit.reply.count_at + 3]--;
	end_and_run();
	EXPECT_TEXT("file", "hello");
	/* the same when of the reply only status and count are there: the second failed */
	kit_hole(&kit.reply, &kit.exchange.reply, kit.reply.count_at + 4, kit.reply.length - kit.reply.count_at - 4, RTAP_MISSING_NOT_CAPTURED,
		 XDR_HOLE);
	run();
	EXPECT_TEXT("file", "hello");
	EXPECT_MISSING("");
	/* without any reply they may have been done */
	kit.exchange.reply.present = false;
	run();
	EXPECT_TEXT("file", "hello");
	EXPECT_MISSING("file\t0\t5\tnot_captured\n");
}

static void lay_range4(uint32_t operation, const char *handle, uint64_t offset, uint64_t length)
{
	kit_compound(&kit);
	kit_putfh(&kit, handle);
	kit_operation(&kit, operation);
	kit_stateid(&kit.call);
	kit_u64(&kit.call, offset);
	kit_u64(&kit.call, length);
	kit_end(&kit);
}

static void range4(uint32_t operation, const char *handle, uint64_t offset, uint64_t length)
{
	lay_range4(operation, handle, offset, length);
	run();
}

Test(export_nfs4, deallocate_punches_and_allocate_extends)
{
	root4();
	open4("root", "file", "f", true);
	write4("f", 0, "hello world");
	range4(NFS4_DEALLOCATE, "f", 2, 3);
	EXPECT_TEXT("file", "he... world");
	range4(NFS4_DEALLOCATE, "f", 9, 1000);
	EXPECT_TEXT("file", "he... wor..");
	range4(NFS4_ALLOCATE, "f", 5, 10);
	EXPECT_TEXT("file", "he... wor......");
	range4(NFS4_DEALLOCATE, "f", 0, UINT64_MAX);
	EXPECT_TEXT("file", "...............");
}

Test(export_nfs4, what_an_allocation_without_a_reply_adds_is_missing)
{
	root4();
	open4("root", "file", "f", true);
	write4("f", 0, "hello");
	lay_range4(NFS4_ALLOCATE, "f", 2, 6);
	kit.exchange.reply.present = false;
	run();
	EXPECT_TEXT("file", "hello...");
	EXPECT_MISSING("file\t5\t3\tnot_captured\n");
}

/* The reply of the READ is captured after that of DEALLOCATE; it may have been executed before it. */
Test(export_nfs4, a_read_that_a_deallocation_overtook_keeps_the_hole)
{
	root4();
	open4("root", "file", "f", true);
	write4("f", 0, "hello");
	lay_range4(NFS4_DEALLOCATE, "f", 1, 2);
	kit.exchange.call.first_frame = 2;
	kit.exchange.reply.last_frame = 3;
	run();
	kit_compound(&kit);
	kit_putfh(&kit, "f");
	kit_operation(&kit, NFS4_READ);
	kit_stateid(&kit.call);
	kit_u64(&kit.call, 0);
	kit_u32(&kit.call, 5);
	kit_u32(&kit.reply, 1);
	kit_text(&kit.reply, "hello");
	kit_end(&kit);
	kit.exchange.call.first_frame = 1;
	kit.exchange.reply.last_frame = 4;
	run();
	EXPECT_TEXT("file", "h..lo");
}

/* COPY with the count that was copied; CLONE. */
static void lay_copy4(uint32_t operation, const char *from, uint64_t from_offset, const char *to, uint64_t to_offset, uint64_t length,
		      uint64_t done)
{
	kit_compound(&kit);
	kit_putfh(&kit, from);
	kit_operation(&kit, NFS4_SAVEFH);
	kit_putfh(&kit, to);
	kit_operation(&kit, operation);
	kit_stateid(&kit.call);
	kit_stateid(&kit.call);
	kit_u64(&kit.call, from_offset);
	kit_u64(&kit.call, to_offset);
	kit_u64(&kit.call, length);
	if (operation == NFS4_COPY) {
		kit_u32(&kit.call, 1);
		kit_u32(&kit.call, 1);
		kit_u32(&kit.call, 0);
		kit_u32(&kit.reply, 0);
		kit_u64(&kit.reply, done);
		kit_u32(&kit.reply, 0);
		kit_u64(&kit.reply, 0);
		kit_u32(&kit.reply, 1);
		kit_u32(&kit.reply, 1);
	}
	kit_end(&kit);
}

static void copy4(uint32_t operation, const char *from, uint64_t from_offset, const char *to, uint64_t to_offset, uint64_t length,
		  uint64_t done)
{
	lay_copy4(operation, from, from_offset, to, to_offset, length, done);
	run();
}

Test(export_nfs4, a_copy_without_a_reply_is_applied_and_missing)
{
	root4();
	open4("root", "file", "f", true);
	write4("f", 0, "hello");
	open4("root", "copy", "g", true);
	write4("g", 0, "J");
	lay_copy4(NFS4_CLONE, "f", 1, "g", 2, 4, 0);
	kit.exchange.reply.present = false;
	run();
	EXPECT_TEXT("copy", "J.ello");
	EXPECT_MISSING("copy\t1\t5\tnot_captured\n");
}

Test(export_nfs4, copies_are_applied_as_far_as_the_source_is_known)
{
	root4();
	open4("root", "file", "f", true);
	write4("f", 0, "hello world");
	open4("root", "copy", "g", true);
	copy4(NFS4_COPY, "f", 6, "g", 1, 5, 5);
	EXPECT_TEXT("copy", ".world");
	copy4(NFS4_COPY, "f", 0, "g", 0, 11, 2);
	EXPECT_TEXT("copy", "heorld");
	copy4(NFS4_CLONE, "f", 0, "g", 0, 0, 0);
	EXPECT_TEXT("copy", "hello world");
	EXPECT_MISSING("");
	copy4(NFS4_CLONE, "unknown", 0, "g", 2, 3, 0);
	EXPECT_TEXT("copy", "he... world");
	EXPECT_MISSING("copy\t2\t3\tnot_captured\n");
	copy4(NFS4_COPY, "g", 0, "f", 0, 8, 8);
	EXPECT_TEXT("file", "he... world");
	EXPECT_MISSING("file\t2\t3\tnot_captured\ncopy\t2\t3\tnot_captured\n");
}

Test(export_nfs4, copies_cannot_grow_without_end)
{
	root4();
	open4("root", "file", "f", true);
	write4("f", 0, "hello world");
	for (uint64_t length = 11; length < UINT64_C(1) << 40; length *= 2)
		copy4(NFS4_COPY, "f", 0, "f", length, length, length);
	cr_expect_gt(export_files_count(export).not_copied, 0);
	range4(NFS4_ALLOCATE, "f", 0, UINT64_C(1) << 40);
	copy4(NFS4_COPY, "f", UINT64_C(1) << 39, "g", 0, UINT64_C(1) << 38, UINT64_C(1) << 38);
}

Test(export_nfs4, read_plus_reports_data_and_holes)
{
	root4();
	open4("root", "file", "f", true);
	write4("f", 0, "0123456789");
	kit_compound(&kit);
	kit_putfh(&kit, "f");
	kit_operation(&kit, NFS4_READ_PLUS);
	kit_stateid(&kit.call);
	kit_u64(&kit.call, 1);
	kit_u32(&kit.call, 12);
	kit_u32(&kit.reply, 1);
	kit_u32(&kit.reply, 3);
	kit_u32(&kit.reply, 0);
	kit_u64(&kit.reply, 1);
	kit_text(&kit.reply, "ab");
	kit_u32(&kit.reply, 1);
	kit_u64(&kit.reply, 3);
	kit_u64(&kit.reply, 4);
	kit_u32(&kit.reply, 1);
	kit_u64(&kit.reply, 10);
	kit_u64(&kit.reply, UINT64_C(1) << 40);
	end_and_run();
	EXPECT_TEXT("file", "0ab....789...");
	EXPECT_MISSING("");
}

Test(export_nfs4, nfs4_renames_links_and_removes)
{
	root4();
	open4("root", "file", "f", true);
	write4("f", 0, "hello");
	kit_compound(&kit);
	kit_putfh(&kit, "root");
	kit_operation(&kit, NFS4_SAVEFH);
	kit_operation(&kit, NFS4_RENAME);
	kit_text(&kit.call, "file");
	kit_text(&kit.call, "new");
	for (int i = 0; i < 10; i++)
		kit_u32(&kit.reply, 0);
	end_and_run();
	EXPECT_TEXT("file", "-");
	EXPECT_TEXT("new", "hello");
	kit_compound(&kit);
	kit_putfh(&kit, "f");
	kit_operation(&kit, NFS4_SAVEFH);
	kit_putfh(&kit, "root");
	kit_operation(&kit, NFS4_LINK);
	kit_text(&kit.call, "link");
	for (int i = 0; i < 5; i++)
		kit_u32(&kit.reply, 0);
	end_and_run();
	kit_compound(&kit);
	kit_putfh(&kit, "root");
	kit_operation(&kit, NFS4_REMOVE);
	kit_text(&kit.call, "new");
	for (int i = 0; i < 5; i++)
		kit_u32(&kit.reply, 0);
	end_and_run();
	open4("root", "new", "g", true);
	write4("g", 0, "other");
	write4("f", 5, "!");
	EXPECT_TEXT("link", "hello!");
	EXPECT_TEXT("new", "other");
}
