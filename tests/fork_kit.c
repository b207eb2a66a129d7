/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For builds with sanitizers. Criterion forks for each test, and receives messages in a thread of its messaging library. If that thread is inside
 * the sanitizer's allocator at this moment, the child inherits a lock that nobody releases, and waits for ever. So a fork waits until the other
 * threads sleep, which they do while there is no message.
 */
#include "config.h"

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOKS 2000      /* then it forks anyway */
#define QUIET_LOOKS 2   /* in succession */
#define PAUSE_US 200

/* Whether the state in /proc/self/task/TID/stat is S: "TID (name) S ...". A thread that has ended sleeps too. */
static bool sleeps(const char *tid)
{
	char path[64], text[256];
	const char *state;
	size_t length;
	FILE *file;

	snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return true;
	length = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[length] = 0;
	state = strrchr(text, ')');
	return !state || strlen(state) < 3 || state[2] == 'S';
}

static bool others_sleep(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task;
	bool do_sleep = true;

	while (tasks && (task = readdir(tasks)))
		if (task->d_name[0] != '.' && atoi(task->d_name) != gettid())
			do_sleep &= sleeps(task->d_name);
	if (tasks)
		closedir(tasks);
	return do_sleep;
}

static void wait_for_others(void)
{
	for (unsigned look = 0, quiet = 0; look < LOOKS && quiet < QUIET_LOOKS; look++) {
		quiet = others_sleep() ? quiet + 1 : 0;
		usleep(PAUSE_US);
	}
}

__attribute__((constructor)) static void wait_before_forks(void)
{
	pthread_atfork(wait_for_others, NULL, NULL);
}
