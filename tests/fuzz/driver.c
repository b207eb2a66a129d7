/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a fuzz harness over files, for builds without libFuzzer: every file (or every file of a directory) as it is,
 * and short ones also cut to each length and with each byte changed.
 *
 * usage: fuzz_NAME [--each N] FILE|DIRECTORY ...
 *
 * --each N: only every Nth of the cuts and changes, others in each file.
 */
#include "config.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness.h"

/* Inputs up to this long are also cut and changed; longer ones would take minutes. */
#define SHORT_INPUT 512

/* Values that a byte is changed to: the extremes of lengths and counts. */
static const uint8_t changes[] = { 0x00, 0x7f, 0xff };

static unsigned long inputs_run, changes_seen, each = 1;

static void run_input(const uint8_t *bytes, size_t length)
{
	inputs_run++;
	LLVMFuzzerTestOneInput(bytes, length);
}

/* Whether the next cut or change is one of those to run. */
static bool is_chosen(void)
{
	return changes_seen++ % each == 0;
}

static void run_changed(uint8_t *bytes, size_t length)
{
	for (size_t cut = 0; cut < length; cut++)
		if (is_chosen())
			run_input(bytes, cut);
	for (size_t at = 0; at < length; at++) {
		uint8_t kept = bytes[at];

		for (size_t i = 0; i < sizeof changes; i++) {
			bytes[at] = changes[i];
			if (is_chosen())
				run_input(bytes, length);
		}
		bytes[at] = kept;
	}
}

static int run_file(const char *path, long length)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc((size_t)length + 1);
	int result = -1;

	if (!file || !bytes || fread(bytes, 1, (size_t)length, file) != (size_t)length) {
		perror(path);
		goto out;
	}
	run_input(bytes, (size_t)length);
	if (length <= SHORT_INPUT)
		run_changed(bytes, (size_t)length);
	result = 0;
out:
	free(bytes);
	if (file)
		fclose(file);
	return result;
}

static int run_path(const char *path, bool directories);

static int run_directory(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int result = 0;

	if (!directory) {
		perror(path);
		return -1;
	}
	while (!result && (entry = readdir(directory))) {
		char name[4096];

		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(name, sizeof name, "%s/%s", path, entry->d_name) >= (int)sizeof name) {
			fprintf(stderr, "%s: the name of a file in it is too long\n", path);
			result = -1;
		} else {
			result = run_path(name, false);
		}
	}
	closedir(directory);
	return result;
}

static int run_path(const char *path, bool directories)
{
	struct stat status;

	if (stat(path, &status)) {
		perror(path);
		return -1;
	}
	if (S_ISDIR(status.st_mode))
		return directories ? run_directory(path) : 0;
	return run_file(path, (long)status.st_size);
}

int main(int argc, char **argv)
{
	int first = 1;

	if (argc > 2 && !strcmp(argv[1], "--each")) {
		each = strtoul(argv[2], NULL, 10);
		first = 3;
	}
	if (!each)
		return 2;
	for (int i = first; i < argc; i++)
		if (run_path(argv[i], true))
			return 1;
	printf("%lu inputs\n", inputs_run);
	return inputs_run == 0;
}
