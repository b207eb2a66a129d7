/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "output/export_disk.h"
#include "output/export_files.h"
#include "output/export_ranges.h"
#include "tests/exchange_kit.h"

static char directory[64];
static struct export_files *export;
static struct kit kit;
static uint8_t pattern[100000];

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

static void begin_with(uint64_t memory)
{
	struct rtap_error error;

	for (size_t i = 0; i < sizeof pattern; i++)
		pattern[i] = (uint8_t)(i * 7 + i / 251 + 1);
	strcpy(directory, "/tmp/rdmatap-export-XXXXXX");
	cr_assert_not_null(mkdtemp(directory));
	export = export_files_open(directory, &(struct export_files_options){ .max_memory = memory }, &error);
	cr_assert_not_null(export, "%s", error.text);
}

static void begin(void)
{
	begin_with(0);
}

static void end(void)
{
	struct rtap_error error;

	cr_expect_eq(export_files_close(export, &error), RTAP_STATUS_OK);
	nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TestSuite(export_files, .init = begin, .fini = end);

static void run(void)
{
	cr_assert_eq(export_files_exchange(export, &kit.exchange), RTAP_STATUS_OK);
	cr_assert_eq(export_files_flush(export), RTAP_STATUS_OK);
}

static void end_and_run(void)
{
	kit_end(&kit);
	run();
}

/* The file's bytes as text, zero bytes as dots; "-" if there is none. */
static const char *text_of(const char *path)
{
	static char text[4][512];
	static unsigned turn;
	char *out = text[turn++ % 4], full[4096];
	ssize_t length;
	int fd;

	snprintf(full, sizeof full, "%s/%s", directory, path);
	fd = open(full, O_RDONLY);
	if (fd < 0)
		return "-";
	length = read(fd, out, 511);
	close(fd);
	if (length < 0)
		return "a directory";
	for (ssize_t i = 0; i < length; i++)
		if (!out[i])
			out[i] = '.';
	out[length] = 0;
	return out;
}

static char missing[8192];

/* The list of missing ranges. */
static const char *missing_list(void)
{
	struct printer printer;
	int ends[2];
	ssize_t length;

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(printer_init(&printer, ends[1], false), 0);
	cr_assert_eq(export_files_print_missing(export, &printer), 0);
	cr_assert_eq(printer_flush(&printer), 0);
	printer_fini(&printer);
	close(ends[1]);
	length = read(ends[0], missing, sizeof missing - 1);
	close(ends[0]);
	cr_assert_geq(length, 0);
	missing[length] = 0;
	return missing;
}

#define EXPECT_TEXT(path, text) cr_expect_str_eq(text_of(path), text, "%s: %s", path, text_of(path))
#define EXPECT_MISSING(text) cr_expect_str_eq(missing_list(), text, "%s", missing)

/* NFSv3, each exchange whole and successful unless `status` says else. */
static uint32_t status;

static void begin3(uint32_t procedure)
{
	kit_begin(&kit, 100003, 3, procedure);
	kit_u32(&kit.reply, status);
}

static void no_attributes(unsigned words)
{
	while (words--)
		kit_u32(&kit.reply, 0);
}

static void attributes3(uint64_t fileid)
{
	kit_u32(&kit.reply, 1);
	for (int i = 0; i < 5; i++)
		kit_u32(&kit.reply, 1);
	kit_u64(&kit.reply, 0);
	kit_u64(&kit.reply, 0);
	kit_u64(&kit.reply, 0);
	kit_u64(&kit.reply, 77);
	kit_u64(&kit.reply, fileid);
	for (int i = 0; i < 6; i++)
		kit_u32(&kit.reply, 0);
}

static void mount(const char *handle)
{
	kit_begin(&kit, 100005, 3, 1);
	kit_text(&kit.call, "/srv/nfs");
	kit_u32(&kit.reply, 0);
	kit_text(&kit.reply, handle);
	kit_u32(&kit.reply, 0);
	end_and_run();
}

static void lookup(const char *in, const char *name, const char *handle)
{
	begin3(NFS3_LOOKUP);
	kit_text(&kit.call, in);
	kit_text(&kit.call, name);
	kit_text(&kit.reply, handle);
	no_attributes(2);
	end_and_run();
}

/* With a size of 0, as opening to write a new file does. */
static void create_named(const char *in, const void *name, size_t length, const char *handle)
{
	begin3(NFS3_CREATE);
	kit_text(&kit.call, in);
	kit_opaque(&kit.call, name, length);
	kit_u32(&kit.call, 0);
	for (int i = 0; i < 3; i++)
		kit_u32(&kit.call, 0);
	kit_u32(&kit.call, 1);
	kit_u64(&kit.call, 0);
	kit_u32(&kit.call, 0);
	kit_u32(&kit.call, 0);
	kit_u32(&kit.reply, 1);
	kit_text(&kit.reply, handle);
	no_attributes(3);
	end_and_run();
}

static void create(const char *in, const char *name, const char *handle)
{
	create_named(in, name, strlen(name), handle);
}

static void make_directory(const char *in, const char *name, const char *handle)
{
	begin3(NFS3_MKDIR);
	kit_text(&kit.call, in);
	kit_text(&kit.call, name);
	for (int i = 0; i < 6; i++)
		kit_u32(&kit.call, 0);
	kit_u32(&kit.reply, 1);
	kit_text(&kit.reply, handle);
	no_attributes(3);
	end_and_run();
}

/* Lays out a WRITE. */
static void write_of(const char *handle, uint64_t offset, const void *bytes, size_t length, uint32_t done)
{
	begin3(NFS3_WRITE);
	kit_text(&kit.call, handle);
	kit_u64(&kit.call, offset);
	kit_u32(&kit.call, (uint32_t)length);
	kit_u32(&kit.call, 2);
	kit_opaque(&kit.call, bytes, length);
	no_attributes(2);
	if (!status) {
		kit_u32(&kit.reply, done);
		kit_u32(&kit.reply, 2);
		kit_u64(&kit.reply, 1);
	}
	kit_end(&kit);
}

static void write_text(const char *handle, uint64_t offset, const char *text)
{
	write_of(handle, offset, text, strlen(text), (uint32_t)strlen(text));
	run();
}

/* Lays out a READ. */
static void read_of(const char *handle, uint64_t offset, uint32_t count, const void *bytes, size_t length)
{
	begin3(NFS3_READ);
	kit_text(&kit.call, handle);
	kit_u64(&kit.call, offset);
	kit_u32(&kit.call, count);
	kit_u32(&kit.reply, 0);
	kit_u32(&kit.reply, (uint32_t)length);
	kit_u32(&kit.reply, length < count);
	kit_opaque(&kit.reply, bytes, length);
	kit_end(&kit);
}

static void set_size(const char *handle, uint64_t size)
{
	begin3(NFS3_SETATTR);
	kit_text(&kit.call, handle);
	for (int i = 0; i < 3; i++)
		kit_u32(&kit.call, 0);
	kit_u32(&kit.call, 1);
	kit_u64(&kit.call, size);
	for (int i = 0; i < 3; i++)
		kit_u32(&kit.call, 0);
	no_attributes(2);
	end_and_run();
}

static void remove_name(const char *in, const char *name)
{
	begin3(NFS3_REMOVE);
	kit_text(&kit.call, in);
	kit_text(&kit.call, name);
	no_attributes(2);
	end_and_run();
}

static void rename_name(const char *from, const char *old, const char *to, const char *new)
{
	begin3(NFS3_RENAME);
	kit_text(&kit.call, from);
	kit_text(&kit.call, old);
	kit_text(&kit.call, to);
	kit_text(&kit.call, new);
	no_attributes(4);
	end_and_run();
}

Test(export_files, what_is_written_stands_under_its_path)
{
	mount("root");
	make_directory("root", "sub", "dir");
	create("dir", "file", "f");
	write_text("f", 0, "hello");
	EXPECT_TEXT("sub/file", "hello");
	EXPECT_MISSING("");
}

Test(export_files, later_bytes_win)
{
	mount("root");
	create("root", "file", "f");
	write_text("f", 0, "hello world");
	write_text("f", 6, "there");
	read_of("f", 0, 2, "HE", 2);
	run();
	EXPECT_TEXT("file", "HEllo there");
}

/* Tells of a WRITE whose reply is in this frame. */
static void tell(uint64_t frame, const char *text)
{
	write_of("f", 0, text, strlen(text), (uint32_t)strlen(text));
	kit.exchange.reply.last_frame = frame;
	cr_assert_eq(export_files_exchange(export, &kit.exchange), RTAP_STATUS_OK);
}

Test(export_files, exchanges_take_effect_in_the_order_of_their_replies)
{
	tell(5, "five!");
	tell(3, "three");
	tell(9, "nine");
	tell(5, "also");
	tell(7, "seven");
	tell(1, "one");
	cr_assert_eq(export_files_flush(export), RTAP_STATUS_OK);
	EXPECT_TEXT("by-handle/76d32be0", "ninen");
	cr_expect_eq(export_files_count(export).late, 0);
	tell(2, "two");
	cr_expect_eq(export_files_count(export).late, 1);
}

Test(export_files, what_waits_is_bounded)
{
	end();
	begin_with(4000);
	for (uint64_t frame = 1; frame < 100; frame++)
		tell(frame, "x");
	cr_expect_gt(export_files_count(export).exchanges, 90);
	/* too late for its turn */
	tell(1, "y");
	cr_expect_eq(export_files_count(export).late, 1);
}

static bool is_stopped;

static bool stopped(void)
{
	return is_stopped;
}

Test(export_files, what_waits_is_dropped_when_no_more_is_wanted)
{
	struct rtap_error error;

	cr_assert_eq(export_files_close(export, &error), RTAP_STATUS_OK);
	export = export_files_open(directory, &(struct export_files_options){ .stopped = stopped }, &error);
	cr_assert_not_null(export);
	tell(1, "one");
	tell(2, "two");
	is_stopped = true;
	cr_expect_eq(export_files_flush(export), RTAP_STATUS_OK);
	cr_expect_eq(export_files_count(export).exchanges, 0);
	cr_expect_eq(export_files_count(export).dropped, 2);
}

Test(export_files, read_bytes_fill_a_file_and_what_lies_before_them_stays_a_hole)
{
	mount("root");
	lookup("root", "file", "f");
	read_of("f", 4, 100, "tail", 4);
	run();
	EXPECT_TEXT("file", "....tail");
	EXPECT_MISSING("");
}

Test(export_files, a_file_without_a_path_stands_under_its_handle_until_it_is_looked_up)
{
	write_text("f", 0, "hello");
	EXPECT_TEXT("by-handle/76d32be0", "hello");
	/* a name in a directory without a path is none */
	lookup("dir", "file", "f");
	EXPECT_TEXT("by-handle/76d32be0", "hello");
	mount("root");
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

Test(export_files, a_reply_limits_what_was_written)
{
	mount("root");
	create("root", "file", "f");
	write_of("f", 0, "hello", 5, 2);
	run();
	EXPECT_TEXT("file", "he");
}

Test(export_files, a_write_that_failed_writes_nothing)
{
	mount("root");
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

Test(export_files, a_write_without_a_reply_counts)
{
	mount("root");
	create("root", "file", "f");
	write_of("f", 0, "hello", 5, 5);
	kit.exchange.reply.present = false;
	run();
	EXPECT_TEXT("file", "hello");
}

Test(export_files, holes_of_a_write_are_missing_until_somebody_writes_them)
{
	mount("root");
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
	mount("root");
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
	mount("root");
	create("root", "file", "f");
	write_of("f", 0, "abcdefghij", 10, 10);
	kit_hole(&kit.call, &kit.exchange.call, kit.call.data_at, 8, RTAP_MISSING_EVICTED, XDR_ELSEWHERE);
	run();
	EXPECT_TEXT("file", "........ij");
	EXPECT_MISSING("file\t0\t8\tevicted\n");
}

Test(export_files, a_lost_read_takes_away_nothing_that_is_known)
{
	mount("root");
	create("root", "file", "f");
	write_text("f", 2, "cd");
	lookup("root", "other", "g");
	write_text("g", 2, "cd");
	read_of("g", 0, 8, "abcdefgh", 8);
	kit_hole(&kit.reply, &kit.exchange.reply, kit.reply.data_at, 8, RTAP_MISSING_NOT_CAPTURED, XDR_HOLE);
	run();
	EXPECT_TEXT("other", "..cd....");
	EXPECT_MISSING("other\t0\t2\tnot_captured\nother\t4\t4\tnot_captured\n");
	/* of the whole READ nothing but the call; the file is known to end at 4 */
	read_of("f", 0, 8, "abcd", 4);
	kit.exchange.reply.present = false;
	run();
	EXPECT_TEXT("file", "..cd");
	EXPECT_MISSING("other\t0\t2\tnot_captured\nother\t4\t4\tnot_captured\n");
}

Test(export_files, a_call_cut_off_before_its_data_still_says_what_is_missing)
{
	mount("root");
	create("root", "file", "f");
	write_of("f", 3, "abcdefghij", 10, 10);
	kit_hole(&kit.call, &kit.exchange.call, kit.call.data_at - 4, 16, RTAP_MISSING_SNAPPED, XDR_HOLE);
	kit.exchange.call.extent_count = 2;
	run();
	EXPECT_TEXT("file", ".............");
	EXPECT_MISSING("file\t3\t10\tsnapped\n");
	cr_expect_eq(export_files_count(export).unreadable, 1);
}

Test(export_files, a_size_cuts_and_extends)
{
	mount("root");
	create("root", "file", "f");
	write_text("f", 0, "hello world");
	set_size("f", 5);
	EXPECT_TEXT("file", "hello");
	set_size("f", 8);
	EXPECT_TEXT("file", "hello...");
	create("root", "file", "f");
	EXPECT_TEXT("file", "");
}

Test(export_files, a_rename_moves_files_and_directories)
{
	mount("root");
	make_directory("root", "one", "d1");
	make_directory("root", "two", "d2");
	create("d1", "a", "f");
	write_text("f", 0, "hello");
	rename_name("d1", "a", "d2", "b");
	EXPECT_TEXT("one/a", "-");
	EXPECT_TEXT("two/b", "hello");
	rename_name("root", "two", "d1", "three");
	EXPECT_TEXT("one/three/b", "hello");
	write_text("f", 5, "!");
	EXPECT_TEXT("one/three/b", "hello!");
	/* into itself: no server does that */
	rename_name("root", "one", "d2", "x");
	EXPECT_TEXT("one/three/b", "hello!");
}

Test(export_files, what_is_removed_stays_and_its_name_is_numbered)
{
	mount("root");
	create("root", "file", "f1");
	write_text("f1", 0, "first");
	remove_name("root", "file");
	create("root", "file", "f2");
	write_text("f2", 0, "second");
	write_text("f1", 5, "!");
	EXPECT_TEXT("file", "first!");
	EXPECT_TEXT("file~2", "second");
	create("root", "new", "f3");
	write_text("f3", 0, "third");
	rename_name("root", "new", "root", "file");
	EXPECT_TEXT("new", "-");
	EXPECT_TEXT("file~3", "third");
}

Test(export_files, a_directory_made_again_is_the_same_directory)
{
	mount("root");
	make_directory("root", "sub", "d1");
	create("d1", "a", "f1");
	write_text("f1", 0, "first");
	remove_name("d1", "a");
	remove_name("root", "sub");
	make_directory("root", "sub", "d2");
	create("d2", "a", "f2");
	write_text("f2", 0, "second");
	create("d2", "b", "f3");
	write_text("f3", 0, "third");
	EXPECT_TEXT("sub/a", "first");
	EXPECT_TEXT("sub/a~2", "second");
	EXPECT_TEXT("sub/b", "third");
}

Test(export_files, a_name_taken_by_another_file_unseen_is_numbered)
{
	mount("root");
	create("root", "file", "f1");
	write_text("f1", 0, "first");
	lookup("root", "file", "f2");
	write_text("f2", 0, "second");
	EXPECT_TEXT("file", "first");
	EXPECT_TEXT("file~2", "second");
}

Test(export_files, hard_links_are_one_file)
{
	mount("root");
	create("root", "file", "f");
	begin3(NFS3_LINK);
	kit_text(&kit.call, "f");
	kit_text(&kit.call, "root");
	kit_text(&kit.call, "link");
	no_attributes(3);
	end_and_run();
	lookup("root", "link", "f");
	write_text("f", 0, "hello");
	EXPECT_TEXT("file", "hello");
	EXPECT_TEXT("link", "-");
	remove_name("root", "file");
	write_text("f", 5, "!");
	EXPECT_TEXT("file", "hello!");
}

Test(export_files, a_symbolic_link_is_not_made)
{
	mount("root");
	begin3(NFS3_SYMLINK);
	kit_text(&kit.call, "root");
	kit_text(&kit.call, "link");
	for (int i = 0; i < 6; i++)
		kit_u32(&kit.call, 0);
	kit_text(&kit.call, "/etc/passwd");
	kit_u32(&kit.reply, 1);
	kit_text(&kit.reply, "l");
	no_attributes(3);
	end_and_run();
	EXPECT_TEXT("link", "-");
	/* and what is done through it is a file of its own */
	write_text("l", 0, "hello");
	EXPECT_TEXT("link", "hello");
}

Test(export_files, a_listing_names_by_handle_and_by_fileid)
{
	mount("root");
	write_text("f", 0, "hello");
	begin3(NFS3_READDIRPLUS);
	kit_text(&kit.call, "root");
	kit_u64(&kit.call, 0);
	kit_u64(&kit.call, 0);
	kit_u32(&kit.call, 1000);
	kit_u32(&kit.call, 1000);
	attributes3(1);
	kit_u64(&kit.reply, 0);
	kit_u32(&kit.reply, 1);
	kit_u64(&kit.reply, 5);
	kit_text(&kit.reply, "file");
	kit_u64(&kit.reply, 1);
	attributes3(5);
	kit_u32(&kit.reply, 1);
	kit_text(&kit.reply, "f");
	kit_u32(&kit.reply, 1);
	kit_u64(&kit.reply, 6);
	kit_text(&kit.reply, "..");
	kit_u64(&kit.reply, 2);
	no_attributes(2);
	kit_u32(&kit.reply, 0);
	kit_u32(&kit.reply, 1);
	end_and_run();
	EXPECT_TEXT("file", "hello");

	/* a file whose fileid the answer to a READ told */
	begin3(NFS3_READ);
	kit_text(&kit.call, "g");
	kit_u64(&kit.call, 0);
	kit_u32(&kit.call, 3);
	attributes3(9);
	kit_u32(&kit.reply, 3);
	kit_u32(&kit.reply, 1);
	kit_text(&kit.reply, "abc");
	end_and_run();
	begin3(NFS3_READDIR);
	kit_text(&kit.call, "root");
	kit_u64(&kit.call, 0);
	kit_u64(&kit.call, 0);
	kit_u32(&kit.call, 1000);
	no_attributes(1);
	kit_u64(&kit.reply, 0);
	kit_u32(&kit.reply, 1);
	kit_u64(&kit.reply, 9);
	kit_text(&kit.reply, "other");
	kit_u64(&kit.reply, 1);
	kit_u32(&kit.reply, 0);
	kit_u32(&kit.reply, 1);
	end_and_run();
	EXPECT_TEXT("other", "abc");
}

Test(export_files, many_files_at_once_are_all_written)
{
	char name[32];

	mount("root");
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 300; i++) {
			snprintf(name, sizeof name, "file%d", i);
			if (!round)
				create("root", name, name);
			write_text(name, (uint64_t)round * 3, round ? "two" : "one");
		}
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof name, "file%d", i);
		EXPECT_TEXT(name, "onetwo");
	}
}

static const struct {
	const char *name;
	size_t length;
	const char *file;
} hostile[] = {
	{ "..", 2, "%2E%2E" },
	{ ".", 1, "%2E" },
	{ "...", 3, "..." },
	{ "", 0, "%-" },
	{ "/", 1, "%2F" },
	{ "../../etc/passwd", 16, "..%2F..%2Fetc%2Fpasswd" },
	{ "/etc/passwd", 11, "%2Fetc%2Fpasswd" },
	{ "a\0b", 3, "a%00b" },
	{ "\x1b[2J\x07\r\n\t\x7f", 9, "%1B[2J%07%0D%0A%09%7F" },
	{ "\xc2\x9b" "31m", 5, "%C2%9B31m" },
	{ "\xe2\x80\xae" "txt", 6, "%E2%80%AEtxt" },
	{ "\xff\xfe", 2, "%FF%FE" },
	{ "gr\xc3\xbc\xc3\x9f", 6, "gr\xc3\xbc\xc3\x9f" },
	{ "100%", 4, "100%" },
	{ "%2F", 3, "%252F" },
	{ "%\0" "00", 4, "%%0000" },
	{ "by-handle", 9, "by-handle~2" },
	{ "a name~2", 8, "a name~2" },
};

Test(export_files, hostile_names_stay_inside_the_directory)
{
	mount("root");
	for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
		create_named("root", hostile[i].name, hostile[i].length, "f");
		write_text("f", 0, "x");
		EXPECT_TEXT(hostile[i].file, "x");
		begin3(NFS3_REMOVE);
		kit_text(&kit.call, "root");
		kit_opaque(&kit.call, hostile[i].name, hostile[i].length);
		no_attributes(2);
		end_and_run();
	}
}

Test(export_files, long_names_are_cut_and_told_apart)
{
	char name[3000], file[300];

	mount("root");
	memset(name, 'x', sizeof name);
	memset(file, 'x', 255);
	file[255] = 0;
	create_named("root", name, 255, "f1");
	write_text("f1", 0, "255");
	EXPECT_TEXT(file, "255");
	create_named("root", name, 256, "f2");
	write_text("f2", 0, "256");
	strcpy(file + 246, "%5fad3ab0");
	cr_expect_str_neq(text_of(file), "255");
	create_named("root", name, 3000, "f3");
	write_text("f3", 0, "3000");
	remove_name("root", "nothing");
	/* a taken name of 255 bytes makes room for its number */
	memset(file, 'x', 253);
	strcpy(file + 253, "~2");
	lookup("root", "y", "f4");
	begin3(NFS3_RENAME);
	kit_text(&kit.call, "root");
	kit_text(&kit.call, "y");
	kit_text(&kit.call, "root");
	kit_opaque(&kit.call, name, 255);
	no_attributes(4);
	end_and_run();
	write_text("f4", 0, "renamed");
	EXPECT_TEXT(file, "renamed");
}

Test(export_files, too_deep_a_path_is_none)
{
	char from[16] = "root", to[16];

	mount("root");
	for (int i = 0; i < 300; i++) {
		snprintf(to, sizeof to, "d%d", i);
		make_directory(from, "d", to);
		strcpy(from, to);
	}
	create("d299", "file", "f");
	write_text("f", 0, "deep");
	EXPECT_TEXT("by-handle/76d32be0", "deep");
	create("d50", "file", "g");
	write_text("g", 0, "less");
	/* a tree that would get too deep by a move stays */
	make_directory("root", "e", "e0");
	strcpy(from, "e0");
	for (int i = 1; i < 100; i++) {
		snprintf(to, sizeof to, "e%d", i);
		make_directory(from, "e", to);
		strcpy(from, to);
	}
	create("e99", "file", "h");
	write_text("h", 0, "other");
	rename_name("root", "e", "d100", "e");
	write_text("h", 5, "!");
	rename_name("root", "d", "e99", "d");
	write_text("g", 4, "!");
	cr_expect_eq(export_files_count(export).refused, 0);
}

Test(export_files, directories_that_are_inside_each_other_end_nothing)
{
	mount("root");
	lookup("a", "b", "b");
	lookup("b", "a", "a");
	lookup("x", "a", "a");
	remove_name("x", "a");
	lookup("b", "c", "root");
	lookup("root", "self", "root");
	lookup("root", "b", "b");
	create("a", "file", "f");
	write_text("f", 0, "hello");
	rename_name("root", "b", "a", "b");
	write_text("f", 0, "hello");
}

Test(export_files, links_that_somebody_puts_into_the_directory_are_not_followed)
{
	struct rtap_error error;
	char path[128], target[] = "/tmp/rdmatap-target-XXXXXX";

	cr_assert_not_null(mkdtemp(target));
	mount("root");
	make_directory("root", "sub", "d");
	create("d", "file", "f");
	write_text("f", 0, "one");
	snprintf(path, sizeof path, "%s/sub/file", directory);
	cr_assert_eq(unlink(path), 0);
	snprintf(path, sizeof path, "%s/sub", directory);
	cr_assert_eq(rmdir(path), 0);
	cr_assert_eq(symlink(target, path), 0);
	lookup("d", "other", "g");
	write_of("g", 0, "two", 3, 3);
	cr_expect_eq(export_files_exchange(export, &kit.exchange), RTAP_STATUS_OK);
	cr_expect_eq(export_files_flush(export), RTAP_STATUS_FAILED);
	snprintf(path, sizeof path, "%s/other", target);
	cr_expect_eq(access(path, F_OK), -1);
	cr_expect_eq(export_files_close(export, &error), RTAP_STATUS_FAILED);
	cr_expect(strstr(error.text, directory), "%s", error.text);
	export = NULL;
	cr_expect_eq(rmdir(target), 0);
}

Test(export_files, a_directory_that_is_not_empty_is_refused)
{
	struct rtap_error error;

	mount("root");
	create("root", "file", "f");
	write_text("f", 0, "x");
	cr_expect_null(export_files_open(directory, NULL, &error));
	cr_expect(strstr(error.text, "not empty"), "%s", error.text);
	cr_expect_null(export_files_open("/nonexistent/directory", NULL, &error));
	cr_expect(strstr(error.text, "/nonexistent/directory: No such file"), "%s", error.text);
	cr_expect_null(export_files_open("/dev/null", NULL, &error));
}

Test(export_files, offsets_that_no_file_has_are_counted)
{
	mount("root");
	create("root", "file", "f");
	write_text("f", UINT64_MAX - 2, "hello");
	write_text("f", INT64_MAX - 2, "hello");
	write_text("f", UINT64_MAX, "hello");
	set_size("f", UINT64_MAX);
	cr_expect_geq(export_files_count(export).too_far, 4);
	write_text("f", 0, "x");
	EXPECT_TEXT("file", "x");
}

Test(export_files, handles_beyond_the_memory_make_room)
{
	char name[32];

	end();
	begin_with(200000);
	mount("root");
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "file%d", i);
		lookup("root", name, name);
	}
	cr_expect_gt(export_files_count(export).forgotten, 1000);
	cr_expect_eq(export_files_count(export).refused, 0);
	/* files are never forgotten: when they fill the memory there are no more */
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof name, "file%d", i);
		create("root", name, name);
		write_text(name, 0, name);
	}
	EXPECT_TEXT("file0", "file0");
	cr_expect_gt(export_files_count(export).refused, 0);
}

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

static void open4(const char *in, const char *name, const char *handle, bool cuts)
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
	end_and_run();
}

/* "root" is the root's handle. */
static void root4(void)
{
	kit_compound(&kit);
	kit_operation(&kit, NFS4_PUTROOTFH);
	kit_getfh(&kit, "root");
	end_and_run();
}

Test(export_files, who_is_the_client_goes_by_the_program_not_by_the_connection)
{
	write_of("f", 0, "hello", 5, 5);
	kit.exchange.reverse = true;
	run();
	EXPECT_TEXT("by-handle/76d32be0", "hello");
}

Test(export_files, nfs4_paths_go_by_compounds)
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

Test(export_files, nfs4_opens_make_and_cut_files)
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

Test(export_files, an_operation_behind_a_failed_one_was_not_done)
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
	/* without any reply it counts as done */
	kit.exchange.reply.present = false;
	run();
	EXPECT_TEXT("file", "..");
}

static void range4(uint32_t operation, const char *handle, uint64_t offset, uint64_t length)
{
	kit_compound(&kit);
	kit_putfh(&kit, handle);
	kit_operation(&kit, operation);
	kit_stateid(&kit.call);
	kit_u64(&kit.call, offset);
	kit_u64(&kit.call, length);
	end_and_run();
}

Test(export_files, deallocate_punches_and_allocate_extends)
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

/* COPY with the count that was copied; CLONE. */
static void copy4(uint32_t operation, const char *from, uint64_t from_offset, const char *to, uint64_t to_offset, uint64_t length, uint64_t done)
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
	end_and_run();
}

Test(export_files, copies_are_applied_as_far_as_the_source_is_known)
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

Test(export_files, copies_cannot_grow_without_end)
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

Test(export_files, read_plus_tells_data_and_holes)
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

Test(export_files, nfs4_renames_links_and_removes)
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
	EXPECT_TEXT("new", "hello!");
	EXPECT_TEXT("new~2", "other");
}

Test(export_ranges, what_is_set_last_counts_and_neighbours_join)
{
	struct ranges ranges = { 0 };
	bool known;

	cr_expect(ranges_set(&ranges, 10, 20, RANGE_DATA));
	cr_expect(ranges_set(&ranges, 30, 40, RANGE_DATA));
	cr_expect(ranges_set(&ranges, 20, 30, RANGE_DATA));
	cr_expect_eq(ranges.count, 1);
	cr_expect(ranges_set(&ranges, 15, 17, RANGE_MISSING));
	cr_expect_eq(ranges.count, 3);
	cr_expect(ranges_set(&ranges, 12, 18, RANGE_DATA));
	cr_expect_eq(ranges.count, 1);
	cr_expect(ranges_fill(&ranges, 0, 50, RANGE_MISSING));
	cr_expect_eq(ranges.count, 3);
	cr_expect_eq(ranges_at(&ranges, 5, &known).end, 10);
	cr_expect(known);
	ranges_cut(&ranges, 45);
	cr_expect_eq(ranges.at[2].end, 45);
	ranges_cut(&ranges, 10);
	cr_expect_eq(ranges.count, 1);
	ranges_fini(&ranges);
}

Test(export_ranges, are_what_an_array_of_bytes_would_be)
{
	struct ranges ranges = { 0 };
	uint8_t bytes[64] = { 0 };
	uint32_t random = 1;

	for (int step = 0; step < 20000; step++) {
		random = random * 1103515245 + 12345;
		uint64_t begin = random >> 8 & 63, end = begin + (random >> 16 & 15);
		unsigned state = random >> 24 & 3;
		bool fill = random >> 28 & 1;

		if (end > 64)
			end = 64;
		cr_assert(fill ? ranges_fill(&ranges, begin, end, state) : ranges_set(&ranges, begin, end, state));
		for (uint64_t i = begin; i < end; i++)
			if (!fill || !bytes[i])
				bytes[i] = (uint8_t)(state + 1);
		if (step % 50 == 0) {
			ranges_cut(&ranges, begin);
			memset(bytes + begin, 0, 64 - begin);
		}
		for (uint32_t i = 0; i < ranges.count; i++) {
			cr_assert_lt(ranges.at[i].begin, ranges.at[i].end);
			if (i)
				cr_assert(ranges.at[i - 1].end < ranges.at[i].begin ||
					  (ranges.at[i - 1].end == ranges.at[i].begin && ranges.at[i - 1].state != ranges.at[i].state));
		}
		for (uint64_t i = 0; i < 64; i++) {
			bool known;
			struct range here = ranges_at(&ranges, i, &known);

			cr_assert_eq(known ? here.state + 1 : 0, bytes[i]);
		}
	}
	ranges_fini(&ranges);
}

Test(export_ranges, are_limited)
{
	struct ranges ranges = { 0 };

	for (uint64_t i = 0; i < RANGES_MAX; i++)
		cr_assert(ranges_set(&ranges, i * 2, i * 2 + 1, RANGE_DATA));
	cr_expect_not(ranges_set(&ranges, UINT64_C(1) << 40, (UINT64_C(1) << 40) + 1, RANGE_DATA));
	cr_expect(ranges_set(&ranges, 0, UINT64_C(1) << 40, RANGE_ZEROS));
	cr_expect_eq(ranges.count, 1);
	ranges_fini(&ranges);
}
