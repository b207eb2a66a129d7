/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A directory in memory that a harness lets an export write to, and what must be true of whatever is in it. */
#ifndef RDMATAP_TESTS_FUZZ_SCRATCH_TREE_H
#define RDMATAP_TESTS_FUZZ_SCRATCH_TREE_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

#define SCRATCH_DEPTH 200

/* The directory, and the one in it that the export creates. */
struct scratch {
	char outer[64], inner[80];
};

static inline void scratch_open(struct scratch *scratch)
{
	const char *memory = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";

	snprintf(scratch->outer, sizeof scratch->outer, "%s/rdmatap-fuzz-XXXXXX", memory);
	REQUIRE(mkdtemp(scratch->outer));
	snprintf(scratch->inner, sizeof scratch->inner, "%s/x", scratch->outer);
}

/* Empties a directory and removes it; returns how many entries it had. No name has a control character. */
static inline unsigned scratch_remove(int parent, const char *name, unsigned depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	unsigned count = 0;

	REQUIRE(directory);
	REQUIRE(depth < SCRATCH_DEPTH);
	while ((entry = readdir(directory))) {
		struct stat status;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		count++;
		for (const char *c = entry->d_name; *c; c++)
			REQUIRE((unsigned char)*c >= 0x20 && *c != 0x7f);
		REQUIRE(!fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW));
		REQUIRE(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
		if (S_ISDIR(status.st_mode))
			scratch_remove(fd, entry->d_name, depth + 1);
		else
			REQUIRE(!unlinkat(fd, entry->d_name, 0));
	}
	closedir(directory);
	REQUIRE(!unlinkat(parent, name, AT_REMOVEDIR));
	return count;
}

/* Nothing appeared beside the export's directory. */
static inline void scratch_close(const struct scratch *scratch)
{
	REQUIRE(scratch_remove(AT_FDCWD, scratch->outer, 0) == 1);
}

#endif
