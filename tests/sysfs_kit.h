/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unpacks the trees of testdata/sysfs, whose form tests/generate/make-sysfs describes, into a new folder.
 */
#ifndef TESTS_SYSFS_KIT_H
#define TESTS_SYSFS_KIT_H

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char sysfs_root[64];

static inline void sysfs_make_folders(char *path)
{
	for (char *slash = strchr(path + strlen(sysfs_root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0755);
		*slash = '/';
	}
}

static inline void sysfs_unpack_line(char *line)
{
	char path[8192 + sizeof sysfs_root], *content = strchr(line, '\t'), *target, *times;
	FILE *file;

	if (content)
		*content++ = 0;
	target = strstr(line, " -> ");
	times = strstr(line, " * ");
	if (target)
		*target = 0;
	if (times)
		*times = 0;
	snprintf(path, sizeof path, "%s/%s", sysfs_root, line);
	sysfs_make_folders(path);
	if (target) {
		cr_assert_eq(symlink(target + 4, path), 0);
		return;
	}
	if (path[strlen(path) - 1] == '/')
		return;
	file = fopen(path, "w");
	cr_assert(file, "%s", path);
	for (int i = times ? atoi(times + 3) : 0; i; i--)
		fputc('x', file);
	for (; content && *content; content++) {
		if (*content == '\\')
			fputc(*++content == 'n' ? '\n' : *content == 't' ? '\t' : '\\', file);
		else
			fputc(*content, file);
	}
	fclose(file);
}

static inline int sysfs_remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static inline void sysfs_remove(void)
{
	nftw(sysfs_root, sysfs_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Unpacks testdata/sysfs/NAME.tree and returns the folder; sysfs_remove() removes it. */
static inline const char *sysfs_unpack(const char *name)
{
	char tree[512], line[8192];
	FILE *file;

	snprintf(tree, sizeof tree, TESTDATA "/sysfs/%s.tree", name);
	file = fopen(tree, "r");
	cr_assert(file, "%s", tree);
	strcpy(sysfs_root, "/tmp/rdmatap-sysfs-XXXXXX");
	cr_assert(mkdtemp(sysfs_root));
	while (fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = 0;
		sysfs_unpack_line(line);
	}
	fclose(file);
	return sysfs_root;
}

/* Replaces a file of the tree. */
static inline void sysfs_write(const char *content, const char *format, ...)
{
	char path[512];
	size_t used = (size_t)snprintf(path, sizeof path, "%s/", sysfs_root);
	va_list arguments;
	FILE *file;

	va_start(arguments, format);
	vsnprintf(path + used, sizeof path - used, format, arguments);
	va_end(arguments);
	file = fopen(path, "w");
	cr_assert(file, "%s", path);
	fputs(content, file);
	fclose(file);
}

#endif
