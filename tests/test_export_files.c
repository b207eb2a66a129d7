/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include <criterion/criterion.h>

#include "tests/files_kit.h"

TestSuite(export_files, .init = files_begin, .fini = files_end, .timeout = HANG_SECONDS);

Test(export_files, written_data_is_stored_under_its_path)
{
	mount_root("root");
	make_directory("root", "sub", "dir");
	create("dir", "file", "f");
	write_text("f", 0, "hello");
	EXPECT_TEXT("sub/file", "hello");
	EXPECT_MISSING("");
}

Test(export_files, later_bytes_win)
{
	mount_root("root");
	create("root", "file", "f");
	write_text("f", 0, "hello world");
	write_text("f", 6, "there");
	read_of("f", 0, 2, "HE", 2);
	run();
	EXPECT_TEXT("file", "HEllo there");
}

/* Reports a WRITE whose reply is in this frame. */
static void report(uint64_t frame, const char *text)
{
	write_of("f", 0, text, strlen(text), (uint32_t)strlen(text));
	kit.exchange.reply.last_frame = frame;
	export_files_exchange(export, &kit.exchange);
	cr_assert_not(export_files_has_failed(export));
}

Test(export_files, exchanges_take_effect_in_the_order_of_their_replies)
{
	report(5, "five!");
	report(3, "three");
	report(9, "nine");
	report(5, "also");
	report(7, "seven");
	report(1, "one");
	cr_assert_eq(export_files_flush(export), RTAP_STATUS_OK);
	EXPECT_TEXT("by-handle/76d32be0", "ninen");
	cr_expect_eq(export_files_count(export).late, 0);
	report(2, "two");
	cr_expect_eq(export_files_count(export).late, 1);
}

Test(export_files, pending_exchanges_are_bounded)
{
	files_end();
	files_begin_with(4000);
	for (uint64_t frame = 1; frame < 100; frame++)
		report(frame, "x");
	cr_expect_gt(export_files_count(export).exchanges, 90);
	/* too late for its turn */
	report(1, "y");
	cr_expect_eq(export_files_count(export).late, 1);
}

static bool is_stopped;

static bool stopped(void)
{
	return is_stopped;
}

Test(export_files, pending_exchanges_are_dropped_when_stopped)
{
	struct rtap_error error;

	cr_assert_eq(export_files_close(export, &error), RTAP_STATUS_OK);
	export = export_files_open(directory, &(struct export_files_options){ .stopped = stopped }, &error);
	cr_assert_not_null(export);
	report(1, "one");
	report(2, "two");
	is_stopped = true;
	cr_expect_eq(export_files_flush(export), RTAP_STATUS_OK);
	cr_expect_eq(export_files_count(export).exchanges, 0);
	cr_expect_eq(export_files_count(export).dropped, 2);
}

Test(export_files, read_bytes_fill_a_file_and_bytes_before_them_are_missing)
{
	mount_root("root");
	lookup("root", "file", "f");
	read_of("f", 4, 100, "tail", 4);
	run();
	EXPECT_TEXT("file", "....tail");
	EXPECT_MISSING("file\t0\t4\tnot_captured\n");
}

Test(export_files, a_file_without_a_path_is_stored_under_its_handle_until_it_is_looked_up)
{
	write_text("f", 0, "hello");
	EXPECT_TEXT("by-handle/76d32be0", "hello");
	/* a name in a directory without a path is none */
	lookup("dir", "file", "f");
	EXPECT_TEXT("by-handle/76d32be0", "hello");
	mount_root("root");
	lookup("root", "sub", "dir");
	EXPECT_TEXT("by-handle/76d32be0", "-");
	EXPECT_TEXT("sub/file", "hello");
	write_text("f", 5, "!");
	EXPECT_TEXT("sub/file", "hello!");
}

Test(export_files, handles_with_the_same_checksum_are_numbered)
{
	/* of the same CRC-32, on two servers */
	write_text("f", 0, "one");
	write_of("f", 0, "two", 3, 3);
	kit.exchange.server.address[3] = 2;
	run();
	EXPECT_TEXT("by-handle/76d32be0", "one");
	EXPECT_TEXT("by-handle/76d32be0-2", "two");
}

Test(export_files, a_reply_limits_the_bytes_written)
{
	mount_root("root");
	create("root", "file", "f");
	write_of("f", 0, "hello", 5, 2);
	run();
	EXPECT_TEXT("file", "he");
}

Test(export_files, a_write_that_failed_writes_nothing)
{
	mount_root("root");
	create("root", "file", "f");
	status = 28;
	write_text("f", 0, "hello");
	status = 0;
	EXPECT_TEXT("file", "-");
	write_of("f", 0, "hello", 5, 5);
	kit.exchange.reply.facts.accepted = false;
	run();
	write_of("f", 0, "hello", 5, 5);
	kit.exchange.rdma_error = 2;
	run();
	EXPECT_TEXT("file", "-");
}

#define MINUTE_LATER_NS INT64_C(61000000000)

Test(export_files, a_write_without_a_reply_is_stored_and_missing)
{
	mount_root("root");
	create("root", "file", "f");
	write_of("f", 0, "hello", 5, 5);
	kit.exchange.reply.present = false;
	run();
	EXPECT_TEXT("file", "hello");
	EXPECT_MISSING("file\t0\t5\tnot_captured\n");
	/* it can be executed after an answered one */
	write_text("f", 1, "EL");
	EXPECT_TEXT("file", "hELlo");
	EXPECT_MISSING("file\t0\t5\tnot_captured\n");
	/* not a minute later */
	write_of("f", 1, "el", 2, 2);
	kit.exchange.call.time_ns = MINUTE_LATER_NS;
	run();
	EXPECT_TEXT("file", "hello");
	EXPECT_MISSING("file\t0\t1\tnot_captured\nfile\t3\t2\tnot_captured\n");
}

/* Beyond the end it extends the file only if it was done: the bytes between may not exist. */
Test(export_files, the_gap_before_a_write_without_a_reply_is_missing)
{
	mount_root("root");
	create("root", "file", "f");
	write_text("f", 0, "he");
	write_of("f", 5, "llo", 3, 3);
	kit.exchange.reply.present = false;
	run();
	EXPECT_TEXT("file", "he...llo");
	EXPECT_MISSING("file\t2\t6\tnot_captured\n");
	/* from there to a write that was answered there are zeros in either case */
	write_text("f", 9, "!");
	EXPECT_TEXT("file", "he...llo.!");
	EXPECT_MISSING("file\t2\t6\tnot_captured\n");
}

Test(export_files, holes_of_a_write_are_missing_until_they_are_written)
{
	mount_root("root");
	create("root", "file", "f");
	write_text("f", 0, "0123456789");
	write_of("f", 0, "abcdefghij", 10, 10);
	kit_hole(&kit.call, &kit.exchange.call, kit.call.data_at + 2, 5, RTAP_MISSING_SNAPPED, XDR_HOLE);
	run();
	EXPECT_TEXT("file", "ab.....hij");
	EXPECT_MISSING("file\t2\t5\tsnapped\n");
	write_text("f", 4, "X");
	EXPECT_TEXT("file", "ab..X..hij");
	EXPECT_MISSING("file\t2\t2\tsnapped\nfile\t5\t2\tsnapped\n");
	read_of("f", 0, 10, "abcdXfghij", 10);
	run();
	EXPECT_TEXT("file", "abcdXfghij");
	EXPECT_MISSING("");
}

Test(export_files, missing_ranges_side_by_side_are_one)
{
	mount_root("root");
	create("root", "file", "f");
	for (uint64_t offset = 0; offset < 30; offset += 10) {
		write_of("f", offset, "abcdefghij", 10, 10);
		kit_hole(&kit.call, &kit.exchange.call, kit.call.data_at, 10, RTAP_MISSING_NOT_CAPTURED, XDR_HOLE);
		run();
	}
	EXPECT_MISSING("file\t0\t30\tnot_captured\n");
	set_size("f", 7);
	EXPECT_MISSING("file\t0\t7\tnot_captured\n");
	EXPECT_TEXT("file", ".......");
}

Test(export_files, bytes_that_were_not_kept_are_evicted)
{
	mount_root("root");
	create("root", "file", "f");
	write_of("f", 0, "abcdefghij", 10, 10);
	kit_hole(&kit.call, &kit.exchange.call, kit.call.data_at, 8, RTAP_MISSING_EVICTED, XDR_ELSEWHERE);
	run();
	EXPECT_TEXT("file", "........ij");
	EXPECT_MISSING("file\t0\t8\tevicted\n");
}

Test(export_files, a_lost_read_takes_away_nothing_that_is_known)
{
	mount_root("root");
	create("root", "file", "f");
	write_text("f", 2, "cd");
	lookup("root", "other", "g");
	write_text("g", 2, "cd");
	read_of("g", 0, 8, "abcdefgh", 8);
	kit_hole(&kit.reply, &kit.exchange.reply, kit.reply.data_at, 8, RTAP_MISSING_NOT_CAPTURED, XDR_HOLE);
	run();
	EXPECT_TEXT("other", "..cd....");
	EXPECT_MISSING("other\t0\t2\tnot_captured\nother\t4\t4\tnot_captured\n");
	/* only the call of the READ; the file is known to end at 4 */
	read_of("f", 0, 8, "abcd", 4);
	kit.exchange.reply.present = false;
	run();
	EXPECT_TEXT("file", "..cd");
	EXPECT_MISSING("other\t0\t2\tnot_captured\nother\t4\t4\tnot_captured\n");
}

Test(export_files, a_read_beyond_the_end_shows_no_bytes)
{
	mount_root("root");
	lookup("root", "file", "f");
	read_of("f", 5, 8, "", 0);
	run();
	EXPECT_TEXT("file", "");
	EXPECT_MISSING("");
}

Test(export_files, a_call_truncated_before_its_data_determines_the_missing_range)
{
	mount_root("root");
	create("root", "file", "f");
	write_of("f", 3, "abcdefghij", 10, 10);
	kit_hole(&kit.call, &kit.exchange.call, kit.call.data_at - 4, 16, RTAP_MISSING_SNAPPED, XDR_HOLE);
	kit.exchange.call.extent_count = 2;
	run();
	EXPECT_TEXT("file", ".............");
	EXPECT_MISSING("file\t3\t10\tsnapped\n");
	cr_expect_eq(export_files_count(export).unreadable, 1);
}

Test(export_files, a_reply_truncated_before_its_data_determines_the_missing_length)
{
	mount_root("root");
	create("root", "file", "f");
	set_size("f", 0);
	run();
	/* the file has grown since, unseen; the end was reached */
	read_of("f", 3, 4096, "abcdefghij", 10);
	kit_hole(&kit.reply, &kit.exchange.reply, kit.reply.data_at - 4, 16, RTAP_MISSING_SNAPPED, XDR_HOLE);
	kit.exchange.reply.extent_count = 2;
	run();
	EXPECT_TEXT("file", ".............");
	EXPECT_MISSING("file\t0\t3\tnot_captured\nfile\t3\t10\tsnapped\n");
	/* cut off before even the count: the attributes contain the size */
	begin3(NFS3_READ);
	kit_text(&kit.call, "f");
	kit_u64(&kit.call, 10);
	kit_u32(&kit.call, 4096);
	attributes3_of_size(7, 20);
	kit_u32(&kit.reply, 10);
	kit_end(&kit);
	kit_hole(&kit.reply, &kit.exchange.reply, kit.reply.length - 4, 4, RTAP_MISSING_SNAPPED, XDR_HOLE);
	kit.exchange.reply.extent_count = 2;
	run();
	EXPECT_MISSING("file\t0\t3\tnot_captured\nfile\t3\t17\tsnapped\n");
}

Test(export_files, an_unanswered_read_misses_up_to_the_size_that_attributes_gave)
{
	mount_root("root");
	create("root", "file", "f");
	set_size("f", 0);
	run();
	read_of("f", 0, 4096, "", 0);
	kit.exchange.reply.present = false;
	run();
	EXPECT_MISSING("");
	begin3(NFS3_ACCESS);
	kit_text(&kit.call, "f");
	kit_u32(&kit.call, 1);
	attributes3_of_size(7, 3000);
	kit_u32(&kit.reply, 1);
	end_and_run();
	read_of("f", 0, 4096, "", 0);
	kit.exchange.reply.present = false;
	run();
	EXPECT_MISSING("file\t0\t3000\tnot_captured\n");
}

Test(export_files, a_call_cut_off_before_its_file_has_data_all_the_same)
{
	const struct { size_t kept; bool is_program_known, is_reported; uint64_t unnamed; } cases[] = {
		/* before the program, before the handle, after the offset */
		{ 10, false, true, 1 }, { 44, true, true, 2 }, { 68, true, false, 2 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		write_of("abc", 0, "hello", 5, 5);
		kit.exchange.call.facts.program_known = cases[i].is_program_known;
		kit.exchange.call.facts.program = cases[i].is_program_known ? 100003 : 0;
		kit.exchange.call.data_length = cases[i].is_reported ? 5 : 1000;
		kit_hole(&kit.call, &kit.exchange.call, cases[i].kept, kit.call.length - cases[i].kept, RTAP_MISSING_SNAPPED, XDR_HOLE);
		kit.exchange.call.extent_count = 2;
		run();
		cr_expect_eq(export_files_count(export).unnamed, cases[i].unnamed, "%zu", i);
	}
	EXPECT_MISSING("by-handle/352441c2\t0\t5\tsnapped\n?\t0\t10\tsnapped\n");
}

/* The kit's exchange: its call is in one frame and its reply in another. */
static void give_in(uint64_t asked, uint64_t answered)
{
	kit.exchange.call.first_frame = asked;
	kit.exchange.reply.last_frame = answered;
	export_files_exchange(export, &kit.exchange);
	cr_assert_not(export_files_has_failed(export));
}

static void expect_missing(const char *expected)
{
	cr_assert_eq(export_files_flush(export), RTAP_STATUS_OK);
	EXPECT_MISSING(expected);
}

static void report_size(uint64_t size, uint64_t asked, uint64_t answered)
{
	begin3(NFS3_ACCESS);
	kit_text(&kit.call, "f");
	kit_u32(&kit.call, 1);
	attributes3_of_size(7, size);
	kit_u32(&kit.reply, 1);
	kit_end(&kit);
	give_in(asked, answered);
}

static void write_in(uint64_t offset, const char *text, uint64_t asked, uint64_t answered)
{
	write_of("f", offset, text, strlen(text), (uint32_t)strlen(text));
	give_in(asked, answered);
}

static void resize_of(uint64_t size)
{
	begin3(NFS3_SETATTR);
	kit_text(&kit.call, "f");
	for (int i = 0; i < 3; i++)
		kit_u32(&kit.call, 0);
	kit_u32(&kit.call, 1);
	kit_u64(&kit.call, size);
	for (int i = 0; i < 3; i++)
		kit_u32(&kit.call, 0);
	no_attributes(2);
	kit_end(&kit);
}

static void resize_in(uint64_t size, uint64_t asked, uint64_t answered)
{
	resize_of(size);
	give_in(asked, answered);
}

Test(export_files, a_file_longer_than_its_captured_writes_has_uncaptured_ones)
{
	mount_root("root");
	create("root", "file", "f");
	resize_in(0, 1, 2);
	report_size(0, 3, 4);
	expect_missing("");
	EXPECT_TEXT("file", "-");
	report_size(10, 5, 6);
	expect_missing("file\t0\t10\tnot_captured\n");
	EXPECT_TEXT("file", "..........");
	write_in(2, "abc", 7, 8);
	report_size(10, 9, 10);
	expect_missing("file\t0\t2\tnot_captured\nfile\t5\t5\tnot_captured\n");
	/* sparse from there on */
	write_in(15, "x", 11, 12);
	expect_missing("file\t0\t2\tnot_captured\nfile\t5\t5\tnot_captured\n");
	EXPECT_TEXT("file", "..abc..........x");
	resize_in(3, 13, 16);
	/* answered before the size was set, or perhaps so */
	report_size(16, 14, 17);
	expect_missing("file\t0\t2\tnot_captured\n");
}

Test(export_files, a_gap_before_a_write_is_zero_unless_the_file_was_longer_before)
{
	const struct { uint64_t reported, asked; const char *missing; } cases[] = {
		/* the reported size results from the WRITE in flight; it was sent later; it does not reach that far; it reaches further */
		{ 9, 10, "" }, { 9, 13, "file\t2\t4\tnot_captured\n" }, { 12, 10, "file\t2\t4\tnot_captured\nfile\t9\t3\tnot_captured\n" },
		{ 5, 10, "file\t2\t3\tnot_captured\n" }, { 2, 13, "" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		files_end();
		files_begin();
		mount_root("root");
		create("root", "file", "f");
		resize_in(0, 1, 2);
		write_in(0, "ab", 3, 4);
		report_size(cases[i].reported, 11, 12);
		write_in(6, "abc", cases[i].asked, 14);
		expect_missing(cases[i].missing);
	}
}

/* The reply of the kit's exchange was sent, but its reply chunk was not captured. */
static void lose_reply_chunk(void)
{
	const struct rtap_rpc_facts *facts = &kit.exchange.reply.facts;

	kit_hole(&kit.reply, &kit.exchange.reply, 0, kit.reply.length, RTAP_MISSING_NOT_CAPTURED, XDR_HOLE);
	kit.exchange.reply.complete = false;
	kit.exchange.reply.facts = (struct rtap_rpc_facts){
		.present = true, .program_known = true, .program = facts->program, .version = facts->version, .procedure = facts->procedure,
	};
}

Test(export_files, a_write_whose_reply_is_lost_with_its_header_is_stored_and_missing)
{
	mount_root("root");
	create("root", "file", "f");
	write_text("f", 0, "hello world");
	write_of("f", 2, "LL", 2, 2);
	lose_reply_chunk();
	run();
	EXPECT_TEXT("file", "heLLo world");
	EXPECT_MISSING("file\t2\t2\tnot_captured\n");
	/* without the call it may be a reply to any */
	lose_reply_chunk();
	kit.exchange.call.present = false;
	kit.exchange.reply.facts.program_known = false;
	run();
	EXPECT_MISSING("file\t0\t11\tnot_captured\n");
}

static void resize_unanswered(uint64_t size)
{
	resize_of(size);
	kit.exchange.reply.present = false;
	run();
}

Test(export_files, a_size_that_no_reply_shows_to_be_set_is_doubtful)
{
	mount_root("root");
	create("root", "file", "f");
	write_text("f", 0, "hello");
	resize_unanswered(3);
	EXPECT_TEXT("file", "hello");
	EXPECT_MISSING("file\t3\t2\tnot_captured\n");
	write_text("f", 3, "LO");
	EXPECT_MISSING("file\t3\t2\tnot_captured\n");
	resize_unanswered(7);
	EXPECT_TEXT("file", "helLO..");
	EXPECT_MISSING("file\t3\t4\tnot_captured\n");
	set_size("f", 6);
	set_size("f", 8);
	EXPECT_MISSING("file\t3\t5\tnot_captured\n");
	write_of("f", 3, "LO", 2, 2);
	kit.exchange.call.time_ns = MINUTE_LATER_NS;
	run();
	EXPECT_MISSING("file\t5\t3\tnot_captured\n");
}

static void read_in(uint64_t offset, const char *text, uint64_t asked, uint64_t answered)
{
	read_of("f", offset, (uint32_t)strlen(text), text, strlen(text));
	give_in(asked, answered);
}

/* Of concurrent operations, the order of replies is not that of execution. */
Test(export_files, a_read_that_a_write_overtook_only_fills_what_is_unknown)
{
	mount_root("root");
	lookup("root", "file", "f");
	write_in(2, "cd", 1, 3);
	read_in(0, "ABCDEF", 2, 4);
	expect_missing("");
	EXPECT_TEXT("file", "ABcdEF");
	read_in(0, "ab", 5, 6);
	expect_missing("");
	EXPECT_TEXT("file", "abcdEF");
	/* a size that was set meanwhile stays */
	resize_in(3, 8, 9);
	read_in(0, "abcdef", 7, 10);
	expect_missing("");
	EXPECT_TEXT("file", "abc");
	/* neither the bytes that were missing in a WRITE */
	write_of("f", 3, "de", 2, 2);
	kit_hole(&kit.call, &kit.exchange.call, kit.call.data_at, 1, RTAP_MISSING_NOT_CAPTURED, XDR_HOLE);
	give_in(12, 13);
	read_in(3, "DE", 11, 14);
	expect_missing("file\t3\t1\tnot_captured\n");
	EXPECT_TEXT("file", "abc.e");
}

Test(export_files, replies_without_calls_are_counted)
{
	mount_root("root");
	create("root", "file", "f");
	write_text("f", 0, "hello");
	cr_expect_eq(export_files_count(export).orphans, 0);
	write_of("f", 0, "hello", 5, 5);
	kit.exchange.call.present = false;
	run();
	cr_expect_eq(export_files_count(export).orphans, 1);
}

/* NFSv3's wcc_data: ctime and size before and after; without any if UINT64_MAX. */
struct change {
	uint64_t size_before, ctime_before, size, ctime;
};

static void wcc(const struct change *change)
{
	kit_u32(&kit.reply, change->size_before != UINT64_MAX);
	if (change->size_before != UINT64_MAX) {
		kit_u64(&kit.reply, change->size_before);
		kit_u64(&kit.reply, 0);
		kit_u64(&kit.reply, change->ctime_before);
	}
	attributes3_of_size(7, change->size);
	kit.reply.length -= 8;
	kit_u64(&kit.reply, change->ctime);
}

/* A SETATTR of the size or, with UINT64_MAX, of nothing. */
static void change_in(uint64_t size, const struct change *change, uint64_t asked, uint64_t answered)
{
	begin3(NFS3_SETATTR);
	kit_text(&kit.call, "f");
	for (int i = 0; i < 3; i++)
		kit_u32(&kit.call, 0);
	kit_u32(&kit.call, size != UINT64_MAX);
	if (size != UINT64_MAX)
		kit_u64(&kit.call, size);
	for (int i = 0; i < 3; i++)
		kit_u32(&kit.call, 0);
	wcc(change);
	kit_end(&kit);
	give_in(asked, answered);
}

static void write_reply(const struct change *change, uint32_t count)
{
	begin3(NFS3_WRITE);
	wcc(change);
	kit_u32(&kit.reply, count);
	kit_u32(&kit.reply, 2);
	kit_u64(&kit.reply, 1);
}

/* The reply of a WRITE whose call was not captured. */
static void lost_write_in(const struct change *change, uint32_t count, uint64_t answered)
{
	write_reply(change, count);
	kit_end(&kit);
	kit.exchange.call.present = false;
	give_in(answered, answered);
}

static void written_file(void)
{
	mount_root("root");
	create("root", "file", "f");
	resize_in(0, 1, 2);
	write_in(0, "abcd", 3, 4);
	change_in(UINT64_MAX, &(struct change){ 4, 40, 4, 50 }, 5, 6);
	expect_missing("");
}

Test(export_files, a_size_that_is_set_hides_nothing_that_was_written_unseen)
{
	const struct { uint64_t before, size; const char *missing; } cases[] = {
		/* the WRITE before reached to 10: the size cuts it, keeps it, goes beyond it */
		{ 10, 7, "file\t4\t3\tnot_captured\n" }, { 10, 10, "file\t4\t6\tnot_captured\n" },
		{ 10, 20, "file\t4\t6\tnot_captured\n" }, { 4, 20, "" }, { 10, 3, "" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		files_end();
		files_begin();
		written_file();
		change_in(cases[i].size, &(struct change){ cases[i].before, 60, cases[i].size, 70 }, 11, 12);
		expect_missing(cases[i].missing);
	}
}

Test(export_files, a_file_cut_unseen_and_made_longer_again_keeps_none_of_the_old_bytes)
{
	written_file();
	change_in(8, &(struct change){ 1, 60, 8, 70 }, 11, 12);
	expect_missing("");
	EXPECT_TEXT("file", "a.......");
}

Test(export_files, a_write_without_its_call_is_missing_where_it_ended_or_anywhere)
{
	const struct { struct change change; uint32_t count; const char *missing; } cases[] = {
		/* it extended the file; from within it; after a hole; it overwrote data; it wrote nothing */
		{ { UINT64_MAX, 0, 9, 60 }, 5, "file\t4\t5\tnot_captured\n" }, { { UINT64_MAX, 0, 9, 60 }, 7, "file\t2\t7\tnot_captured\n" },
		{ { UINT64_MAX, 0, 9, 60 }, 2, "file\t4\t5\tnot_captured\n" }, { { UINT64_MAX, 0, 4, 60 }, 2, "file\t0\t4\tnot_captured\n" },
		{ { UINT64_MAX, 0, 4, 60 }, 0, "" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		files_end();
		files_begin();
		written_file();
		lost_write_in(&cases[i].change, cases[i].count, 12);
		expect_missing(cases[i].missing);
		cr_expect_eq(export_files_count(export).orphans, 1);
	}
}

/* A position-zero read chunk of which no packet was captured: the SEND was, but its program is unknown. RFC 8166, 3.5.1. */
Test(export_files, a_write_whose_header_was_not_captured_is_missing_like_one_without_its_call)
{
	const struct { uint64_t size; const char *missing; } cases[] = { { 9, "file\t4\t5\tnot_captured\n" }, { 4, "file\t0\t4\tnot_captured\n" } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct change change = { UINT64_MAX, 0, cases[i].size, 60 };

		files_end();
		files_begin();
		written_file();
		write_reply(&change, 5);
		kit_end(&kit);
		kit_hole(&kit.call, &kit.exchange.call, 0, kit.call.length, RTAP_MISSING_NOT_CAPTURED, XDR_HOLE);
		kit.exchange.call.facts = (struct rtap_rpc_facts){ 0 };
		give_in(11, 12);
		expect_missing(cases[i].missing);
		cr_expect_eq(export_files_count(export).orphans, 0);
	}
}

/* Of another, unknown file: in NFSv4, too, the reply does not identify it. */
static void lose_any_write(uint64_t answered)
{
	kit_begin(&kit, 100003, 4, 1);
	kit_u32(&kit.reply, 0);
	kit_text(&kit.reply, "");
	kit_u32(&kit.reply, 2);
	kit_u32(&kit.reply, NFS4_PUTFH);
	kit_u32(&kit.reply, 0);
	kit_u32(&kit.reply, NFS4_WRITE);
	kit_u32(&kit.reply, 0);
	kit_u32(&kit.reply, 3);
	kit_u32(&kit.reply, 2);
	kit_u64(&kit.reply, 1);
	kit_end(&kit);
	kit.exchange.call.present = false;
	kit.exchange.call.first_frame = kit.exchange.reply.first_frame = answered;
	kit.exchange.call.last_frame = kit.exchange.reply.last_frame = answered;
	export_files_exchange(export, &kit.exchange);
	cr_assert_not(export_files_has_failed(export));
}

Test(export_files, after_a_write_to_any_file_only_the_change_time_shows_that_a_file_was_spared)
{
	const struct { struct change change; uint64_t asked; const char *missing; } cases[] = {
		/* unchanged; changed; requested before the reply of the WRITE */
		{ { 4, 50, 4, 60 }, 9, "" }, { { 4, 51, 4, 60 }, 9, "file\t0\t4\tnot_captured\n" },
		{ { 4, 50, 4, 60 }, 7, "file\t0\t4\tnot_captured\n" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		files_end();
		files_begin();
		written_file();
		lose_any_write(8);
		change_in(4, &cases[i].change, cases[i].asked, 12);
		expect_missing(cases[i].missing);
	}
	files_end();
	files_begin();
	written_file();
	lose_any_write(8);
	write_in(4, "efgh", 9, 10);
	expect_missing("file\t0\t4\tnot_captured\n");
	EXPECT_TEXT("file", "abcdefgh");
}

Test(export_files, a_size_cuts_and_extends)
{
	mount_root("root");
	create("root", "file", "f");
	write_text("f", 0, "hello world");
	set_size("f", 5);
	EXPECT_TEXT("file", "hello");
	set_size("f", 8);
	EXPECT_TEXT("file", "hello...");
	create("root", "file", "f");
	EXPECT_TEXT("file", "");
}
