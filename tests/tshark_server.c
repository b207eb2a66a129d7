/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Preloaded before tshark, reads many captures after one start, which takes most of the time of a run over a short capture. Where tshark opens
 * its capture, this reads from standard input a line for each: the path of the capture, a tab, and a directory. A forked child continues
 * with that capture; its standard output and error go to the files "output" and "errors" of the directory, and the environment variable NOTED
 * names the file "noted" in it. When the child has ended, "ended STATUS" is written to standard output. tests/tshark_taps.py sends the lines.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void *open_function(const char *path, unsigned type, int *error, char **details, int random);

open_function wtap_open_offline;

/* The tests see that the server has ended. */
static void must(int is_good)
{
	if (!is_good)
		_exit(126);
}

static void write_to(int descriptor, const char *directory, const char *name)
{
	char path[4096];
	int file;

	must(snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	must(file >= 0 && dup2(file, descriptor) == descriptor);
}

/* In the child it returns with the capture's path in the line, which is the caller's; the parent ends with its input. */
static void serve(char *line, size_t size)
{
	char noted[4096], *directory;
	int status;

	while (fgets(line, (int)size, stdin)) {
		pid_t child = fork();

		must(child >= 0);
		if (child) {
			must(waitpid(child, &status, 0) == child && dprintf(STDOUT_FILENO, "ended %d\n", status) > 0);
			continue;
		}
		line[strcspn(line, "\n")] = '\0';
		directory = strchr(line, '\t');
		must(directory != NULL);
		*directory++ = '\0';
		write_to(STDOUT_FILENO, directory, "output");
		write_to(STDERR_FILENO, directory, "errors");
		must(snprintf(noted, sizeof noted, "%s/noted", directory) < (int)sizeof noted && !setenv("NOTED", noted, 1));
		return;
	}
	_exit(0);
}

void *wtap_open_offline(const char *path, unsigned type, int *error, char **details, int random)
{
	char line[8192];
	open_function *open;

	(void)path;
	*(void **)&open = dlsym(RTLD_NEXT, "wtap_open_offline");
	must(open != NULL);
	serve(line, sizeof line);
	return open(line, type, error, details, random);
}
