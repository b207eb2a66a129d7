/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/files_kit.h"

TestSuite(export_names, .init = files_begin, .fini = files_end, .timeout = HANG_SECONDS);

Test(export_names, a_rename_moves_files_and_directories)
{
	mount_root("root");
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

Test(export_names, removed_files_stay_under_a_numbered_name)
{
	mount_root("root");
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

Test(export_names, a_directory_made_again_is_the_same_directory)
{
	mount_root("root");
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

Test(export_names, a_name_taken_by_another_file_unseen_is_numbered)
{
	mount_root("root");
	create("root", "file", "f1");
	write_text("f1", 0, "first");
	lookup("root", "file", "f2");
	write_text("f2", 0, "second");
	EXPECT_TEXT("file", "first");
	EXPECT_TEXT("file~2", "second");
}

Test(export_names, hard_links_are_one_file)
{
	mount_root("root");
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
	/* it still has a name: the removed name may be another file's now */
	remove_name("root", "file");
	write_text("f", 5, "!");
	EXPECT_TEXT("file", "-");
	EXPECT_TEXT("link", "hello!");
	create("root", "file", "g");
	write_text("g", 0, "other");
	EXPECT_TEXT("file", "other");
	remove_name("root", "link");
	EXPECT_TEXT("link", "hello!");
}

Test(export_names, a_symbolic_link_is_not_made)
{
	mount_root("root");
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
	/* and operations through it belong to a separate file */
	write_text("l", 0, "hello");
	EXPECT_TEXT("link", "hello");
}

Test(export_names, a_listing_names_by_handle_and_by_fileid)
{
	mount_root("root");
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

	/* a file whose fileid is known from the answer to a READ */
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

Test(export_names, many_files_at_once_are_all_written)
{
	char name[32];

	mount_root("root");
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
	/* no names of the file */
	{ "..", 2, "by-handle/76d32be0" },
	{ ".", 1, "by-handle/76d32be0" },
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

Test(export_names, hostile_names_stay_inside_the_directory)
{
	mount_root("root");
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

Test(export_names, long_names_are_cut_and_distinguished)
{
	char name[3000], file[300];

	mount_root("root");
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

Test(export_names, too_deep_a_path_is_none)
{
	char from[16] = "root", to[16];

	mount_root("root");
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

Test(export_names, directories_that_are_inside_each_other_end_nothing)
{
	mount_root("root");
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

Test(export_names, a_handle_used_as_file_and_directory_is_accepted)
{
	mount_root("root");
	/* first a directory, then a file */
	create("d", "inside", "f");
	lookup("root", "both", "d");
	write_text("f", 0, "hello");
	write_text("d", 0, "of a directory");
	EXPECT_TEXT("both/inside", "hello");
	cr_expect_eq(export_files_count(export).on_directories, 1);
	/* the other way round */
	create("root", "file", "g");
	write_text("g", 0, "a file");
	create("g", "below", "h");
	write_text("h", 0, "below a file");
	EXPECT_TEXT("file", "a file");
	EXPECT_TEXT("by-handle/916b06e7", "below a file");
	/* a file that stood under its handle before it was a directory */
	write_text("i", 0, "no name");
	create("i", "below", "j");
	lookup("root", "named", "i");
	write_text("j", 0, "below another");
	EXPECT_TEXT("named", "no name");
	/* the mounted handle is a file, and contains names */
	write_text("root", 0, "the root");
	create("root", "last", "k");
	write_text("k", 0, "good");
	EXPECT_TEXT("last", "good");
	cr_expect_eq(export_files_count(export).on_directories, 1);
}

Test(export_names, symbolic_links_in_the_directory_are_not_followed)
{
	struct rtap_error error;
	char path[128], target[] = "/tmp/rdmatap-target-XXXXXX";

	cr_assert_not_null(mkdtemp(target));
	mount_root("root");
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
	export_files_exchange(export, &kit.exchange);
	cr_expect_not(export_files_has_failed(export));
	cr_expect_eq(export_files_flush(export), RTAP_STATUS_FAILED);
	snprintf(path, sizeof path, "%s/other", target);
	cr_expect_eq(access(path, F_OK), -1);
	cr_expect_eq(export_files_close(export, &error), RTAP_STATUS_FAILED);
	cr_expect(strstr(error.text, directory), "%s", error.text);
	export = NULL;
	cr_expect_eq(rmdir(target), 0);
}

Test(export_names, a_directory_that_is_not_empty_is_refused)
{
	struct rtap_error error;

	mount_root("root");
	create("root", "file", "f");
	write_text("f", 0, "x");
	cr_expect_null(export_files_open(directory, NULL, &error));
	cr_expect(strstr(error.text, "not empty"), "%s", error.text);
	cr_expect_null(export_files_open("/nonexistent/directory", NULL, &error));
	cr_expect(strstr(error.text, "/nonexistent/directory: No such file"), "%s", error.text);
	cr_expect_null(export_files_open("/dev/null", NULL, &error));
}

Test(export_names, offsets_that_no_file_has_are_counted)
{
	mount_root("root");
	create("root", "file", "f");
	write_text("f", UINT64_MAX - 2, "hello");
	write_text("f", INT64_MAX - 2, "hello");
	write_text("f", UINT64_MAX, "hello");
	set_size("f", UINT64_MAX);
	cr_expect_geq(export_files_count(export).too_far, 4);
	write_text("f", 0, "x");
	EXPECT_TEXT("file", "x");
}

Test(export_names, handles_beyond_the_memory_make_room)
{
	char name[32];

	files_end();
	files_begin_with(200000);
	mount_root("root");
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "file%d", i);
		lookup("root", name, name);
	}
	cr_expect_gt(export_files_count(export).evicted, 1000);
	cr_expect_eq(export_files_count(export).refused, 0);
	/* files are never evicted: when the memory is full no more are added */
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof name, "file%d", i);
		create("root", name, name);
		write_text(name, 0, name);
	}
	EXPECT_TEXT("file0", "file0");
	cr_expect_gt(export_files_count(export).refused, 0);
}

static void link_name(const char *handle, const char *in, const char *name)
{
	begin3(NFS3_LINK);
	kit_text(&kit.call, handle);
	kit_text(&kit.call, in);
	kit_text(&kit.call, name);
	no_attributes(3);
	end_and_run();
}

static const char *numbered(const char *text, unsigned number)
{
	static char texts[4][32];
	static unsigned turn;
	char *out = texts[turn++ % 4];

	snprintf(out, sizeof texts[0], "%s%u", text, number);
	return out;
}

/* A directory of as many files as it is renamed. */
static void rename_directory(unsigned count)
{
	make_directory("root", "d0", "d");
	for (unsigned i = 0; i < count; i++)
		lookup("d", numbered("f", i), numbered("h", i));
	for (unsigned i = 0; i < count; i++)
		rename_name("root", numbered("d", i), "root", numbered("d", i + 1));
}

/* The same, but every second time out of the tree. */
static void rename_out_and_in(unsigned count)
{
	make_directory("root", "d", "d");
	for (unsigned i = 0; i < count; i++)
		lookup("d", numbered("f", i), numbered("h", i));
	for (unsigned i = 0; i < count; i++) {
		rename_name("root", "d", "elsewhere", "d");
		rename_name("elsewhere", "d", "root", "d");
	}
}

/* Names of one file, removed in the order in which they were added. */
static void link_and_remove(unsigned count)
{
	lookup("root", "first", "f");
	write_text("f", 0, "x");
	for (unsigned i = 0; i < count; i++)
		link_name("f", "root", numbered("n", i));
	for (unsigned i = 0; i < count; i++)
		remove_name("root", numbered("n", i));
}

/* Names that are each the file's first. */
static void link_and_remove_first(unsigned count)
{
	lookup("root", "first", "f");
	write_text("f", 0, "x");
	for (unsigned i = 0; i < count; i++)
		link_name("f", "root", numbered("n", i));
	remove_name("root", "first");
	for (unsigned i = count; i-- > 1;)
		remove_name("root", numbered("n", i));
}

/* Processor time of a history with this number of steps. */
static double time_of(void (*history)(unsigned count), unsigned count)
{
	clock_t begin;

	files_end();
	files_begin();
	mount_root("root");
	begin = clock();
	collecting = true;
	history(count);
	cr_assert_eq(export_files_flush(export), RTAP_STATUS_OK);
	collecting = false;
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

Test(export_names, twice_as_many_names_take_no_more_than_three_times_as_long)
{
	static const struct { const char *name; void (*history)(unsigned count); unsigned count; } cases[] = {
		{ "renames", rename_directory, 20000 }, { "renames out and in", rename_out_and_in, 40000 }, { "links", link_and_remove, 20000 },
		{ "first links", link_and_remove_first, 2000 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double once = 1e9, twice = 1e9;

		/* the least of several: others may have the processor */
		for (int attempt = 0; attempt < 3 && (!attempt || twice >= 3 * once); attempt++) {
			double time = time_of(cases[i].history, cases[i].count), time2 = time_of(cases[i].history, 2 * cases[i].count);

			once = time < once ? time : once;
			twice = time2 < twice ? time2 : twice;
		}
		cr_expect_lt(twice, 3 * once, "%s: %.3f s, and twice as many %.3f s", cases[i].name, once, twice);
	}
}
