/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "cli/print_error.h"
#include "cli/rotation_hook.h"

#define LOWEST_PRIORITY 19

extern char **environ;

bool rotation_hook_open(struct rotation_hook *hook, const struct file_options *options)
{
	*hook = (struct rotation_hook){ .options = options };
	if (!options->names)
		return true;
	if (!strcmp(options->names, "-") || !strcmp(options->names, "stdout"))
		hook->names = stdout;
	else if (!strcmp(options->names, "stderr"))
		hook->names = stderr;
	else
		hook->names = fopen(options->names, "ae");
	if (hook->names)
		return true;
	print_error("-b printname:%s: %s", options->names, strerror(errno));
	return false;
}

static void print_name(struct rotation_hook *hook, const char *name)
{
	bool failed = fprintf(hook->names, "%s\n", name) < 0;

	failed |= fflush(hook->names) != 0;
	if (failed && !hook->failed)
		print_error("-b printname:%s: %s", hook->options->names, strerror(errno));
	hook->failed |= failed;
}

/* The program gets its own process group: an interrupt from the terminal ends the capture but not the processing of its files. */
static void run_program(struct rotation_hook *hook, const char *name)
{
	const char *program = hook->options->postrotate;
	char *const arguments[] = { (char *)(uintptr_t)program, (char *)(uintptr_t)name, NULL };
	posix_spawnattr_t attributes;
	sigset_t defaults;
	pid_t child;
	int result;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	result = posix_spawnattr_init(&attributes);
	if (!result) {
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
		posix_spawnattr_setsigdefault(&attributes, &defaults);
		result = posix_spawnp(&child, program, NULL, &attributes, arguments, environ);
		posix_spawnattr_destroy(&attributes);
	}
	if (result) {
		print_error("-z %s: %s", program, strerror(result));
		return;
	}
	hook->running++;
	/* do not compete with the capture */
	(void)!setpriority(PRIO_PROCESS, (id_t)child, LOWEST_PRIORITY);
}

void rotation_hook_reap(struct rotation_hook *hook)
{
	int status;

	while (hook->running && waitpid(-1, &status, WNOHANG) > 0) {
		hook->running--;
		if (WIFSIGNALED(status))
			print_error("-z %s: ended by signal %d", hook->options->postrotate, WTERMSIG(status));
		else if (WEXITSTATUS(status))
			print_error("-z %s: exit status %d", hook->options->postrotate, WEXITSTATUS(status));
	}
}

void rotation_hook_closed(void *owner, const char *name, bool is_last)
{
	struct rotation_hook *hook = owner;

	if (hook->names)
		print_name(hook, name);
	if (hook->options->postrotate && !is_last)
		run_program(hook, name);
	rotation_hook_reap(hook);
}

void rotation_hook_close(struct rotation_hook *hook)
{
	if (hook->options)
		rotation_hook_reap(hook);
	if (hook->names && hook->names != stdout && hook->names != stderr && fclose(hook->names) && !hook->failed)
		print_error("-b printname:%s: %s", hook->options->names, strerror(errno));
	hook->names = NULL;
}
