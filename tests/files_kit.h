/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An export of files in a directory of its own, and NFSv3 calls about them, by name of handle.
 */
#ifndef TESTS_FILES_KIT_H
#define TESTS_FILES_KIT_H

#include "output/export/export_files.h"
#include "tests/exchange_kit.h"

extern char directory[64];
extern struct export_files *export;
extern struct kit kit;
extern uint8_t pattern[100000]; /* no two parts of it alike */
extern char missing[8192];
extern uint32_t status; /* status in replies of NFSv3 */

/* Begins an export into a new directory, with the default memory limit or with one in bytes; ends it. */
void files_begin(void);
void files_begin_with(uint64_t memory);
void files_end(void);

/* Passes the exchange in `kit` on; end_and_run() closes its layout first. Nothing waits after that, unless `collecting` is set. */
extern bool collecting;
void run(void);
void end_and_run(void);

/* The file's bytes as text, zero bytes as dots; "-" if there is none. Valid for four calls. */
const char *text_of(const char *path);

/* The list of missing ranges, which is in `missing` then. */
const char *missing_list(void);

/* NFSv3, each exchange whole and successful unless `status` says else; the parts of a reply, and whole calls. */
void begin3(uint32_t procedure);
void no_attributes(unsigned words);
void attributes3(uint64_t fileid);
void attributes3_of_size(uint64_t fileid, uint64_t size);
void mount_root(const char *handle);
void lookup(const char *in, const char *name, const char *handle);
void create_named(const char *in, const void *name, size_t length, const char *handle);
void create(const char *in, const char *name, const char *handle);
void make_directory(const char *in, const char *name, const char *handle);
void write_text(const char *handle, uint64_t offset, const char *text);
void set_size(const char *handle, uint64_t size);
void remove_name(const char *in, const char *name);
void rename_name(const char *from, const char *old, const char *to, const char *new);

/* Laid out in `kit`, not reported. */
void write_of(const char *handle, uint64_t offset, const void *bytes, size_t length, uint32_t done);
void read_of(const char *handle, uint64_t offset, uint32_t count, const void *bytes, size_t length);

#define EXPECT_TEXT(path, text) cr_expect_str_eq(text_of(path), text, "%s: %s", path, text_of(path))
#define EXPECT_MISSING(text) cr_expect_str_eq(missing_list(), text, "%s", missing)

#endif
