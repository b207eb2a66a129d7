/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/print_error.h"
#include "cli/spool.h"

#define BLOCK (1 << 16)

struct copy {
	SLIST_ENTRY(copy) link;
	char name[32];
};

/* The copies; they exist until the process ends. */
static SLIST_HEAD(, copy) copies = SLIST_HEAD_INITIALIZER(copies);

static bool is_pipe(const char *name)
{
	struct stat found;

	/* standard input is at its end after the first pass, even if it is a file */
	return !strcmp(name, "-") || (!stat(name, &found) && !S_ISREG(found.st_mode));
}

static const char *directory(void)
{
	const char *named = getenv("TMPDIR");

	return named && *named ? named : "/var/tmp";
}

/* Opens an unnamed temporary file; -1: failed. */
static int create(void)
{
	char name[4096];
	int file = open(directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* not all file systems support O_TMPFILE */
	if (file >= 0 || snprintf(name, sizeof name, "%s/rdmatap-XXXXXX", directory()) >= (int)sizeof name)
		return file;
	file = mkstemp(name);
	if (file >= 0)
		unlink(name);
	return file;
}

static bool write_all(int file, const char *bytes, size_t length)
{
	while (length) {
		ssize_t written = write(file, bytes, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		bytes += written;
		length -= (size_t)written;
	}
	return true;
}

static bool copy(int input, int file, const char *name)
{
	static char block[BLOCK];

	while (!interrupted) {
		ssize_t length = read(input, block, sizeof block);

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return print_error("%s: %s", name, strerror(errno)), false;
		if (!length)
			break;
		if (!write_all(file, block, (size_t)length))
			return print_error("%s: copying it to read it twice: %s: %s (set TMPDIR)", name, directory(), strerror(errno)), false;
	}
	return true;
}

/* Returns the name of the copy, or NULL: failed, and an error was printed. */
static const char *spool(const char *name)
{
	int input = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	int file = input < 0 ? -1 : create();
	struct copy *copied = NULL;

	if (input < 0)
		print_error("%s: %s", name, strerror(errno));
	else if (file < 0)
		print_error("%s: copying it to read it twice: %s: %s (set TMPDIR)", name, directory(), strerror(errno));
	else if (copy(input, file, name) && !(copied = calloc(1, sizeof *copied)))
		print_error("out of memory");
	if (input > STDIN_FILENO)
		close(input);
	if (!copied && file >= 0)
		close(file);
	if (!copied)
		return NULL;
	snprintf(copied->name, sizeof copied->name, "/dev/fd/%d", file);
	SLIST_INSERT_HEAD(&copies, copied, link);
	return copied->name;
}

bool spool_inputs(struct options *options)
{
	for (size_t i = 0; i < options->input_count && !interrupted; i++) {
		const char *copied;

		if (!is_pipe(options->inputs[i]))
			continue;
		copied = spool(options->inputs[i]);
		if (!copied)
			return false;
		options->inputs[i] = copied;
	}
	return true;
}
