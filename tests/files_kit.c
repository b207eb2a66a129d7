/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "output/packet/printer.h"
#include "tests/files_kit.h"

char directory[64];
struct export_files *export;
struct kit kit;
bool collecting;
uint8_t pattern[100000];

static int remove_one(const char *path, const struct stat *found, int type, struct FTW *place)
{
	(void)found;
	(void)type;
	(void)place;
	return remove(path);
}

void files_begin_with(uint64_t memory)
{
	struct rtap_error error;

	for (size_t i = 0; i < sizeof pattern; i++)
		pattern[i] = (uint8_t)(i * 7 + i / 251 + 1);
	strcpy(directory, "/tmp/rdmatap-export-XXXXXX");
	cr_assert_not_null(mkdtemp(directory));
	export = export_files_open(directory, &(struct export_files_options){ .max_memory = memory }, &error);
	cr_assert_not_null(export, "%s", error.text);
}

void files_begin(void)
{
	files_begin_with(0);
}

void files_end(void)
{
	struct rtap_error error;

	cr_expect_eq(export_files_close(export, &error), RTAP_STATUS_OK);
	nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void run(void)
{
	export_files_exchange(export, &kit.exchange);
	cr_assert_not(export_files_has_failed(export));
	if (!collecting)
		cr_assert_eq(export_files_flush(export), RTAP_STATUS_OK);
}

void end_and_run(void)
{
	kit_end(&kit);
	run();
}

const char *text_of(const char *path)
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

char missing[8192];

const char *missing_list(void)
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

uint32_t status;

void begin3(uint32_t procedure)
{
	kit_begin(&kit, 100003, 3, procedure);
	kit_u32(&kit.reply, status);
}

void no_attributes(unsigned words)
{
	while (words--)
		kit_u32(&kit.reply, 0);
}

void attributes3(uint64_t fileid)
{
	attributes3_of_size(fileid, 0);
}

void attributes3_of_size(uint64_t fileid, uint64_t size)
{
	kit_u32(&kit.reply, 1);
	for (int i = 0; i < 5; i++)
		kit_u32(&kit.reply, 1);
	kit_u64(&kit.reply, size);
	kit_u64(&kit.reply, 0);
	kit_u64(&kit.reply, 0);
	kit_u64(&kit.reply, 77);
	kit_u64(&kit.reply, fileid);
	for (int i = 0; i < 6; i++)
		kit_u32(&kit.reply, 0);
}

void mount_root(const char *handle)
{
	kit_begin(&kit, 100005, 3, 1);
	kit_text(&kit.call, "/srv/nfs");
	kit_u32(&kit.reply, 0);
	kit_text(&kit.reply, handle);
	kit_u32(&kit.reply, 0);
	end_and_run();
}

void lookup(const char *in, const char *name, const char *handle)
{
	begin3(NFS3_LOOKUP);
	kit_text(&kit.call, in);
	kit_text(&kit.call, name);
	kit_text(&kit.reply, handle);
	no_attributes(2);
	end_and_run();
}

/* With a size of 0, as opening to write a new file does. */
void create_named(const char *in, const void *name, size_t length, const char *handle)
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

void create(const char *in, const char *name, const char *handle)
{
	create_named(in, name, strlen(name), handle);
}

void make_directory(const char *in, const char *name, const char *handle)
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

void write_of(const char *handle, uint64_t offset, const void *bytes, size_t length, uint32_t done)
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

void write_text(const char *handle, uint64_t offset, const char *text)
{
	write_of(handle, offset, text, strlen(text), (uint32_t)strlen(text));
	run();
}

void read_of(const char *handle, uint64_t offset, uint32_t count, const void *bytes, size_t length)
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

void set_size(const char *handle, uint64_t size)
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

void remove_name(const char *in, const char *name)
{
	begin3(NFS3_REMOVE);
	kit_text(&kit.call, in);
	kit_text(&kit.call, name);
	no_attributes(2);
	end_and_run();
}

void rename_name(const char *from, const char *old, const char *to, const char *new)
{
	begin3(NFS3_RENAME);
	kit_text(&kit.call, from);
	kit_text(&kit.call, old);
	kit_text(&kit.call, to);
	kit_text(&kit.call, new);
	no_attributes(4);
	end_and_run();
}
