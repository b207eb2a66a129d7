/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Actions after a file of -w was closed: printing its name (-b printname), running a program (-z).
 */
#ifndef CLI_ROTATION_HOOK_H
#define CLI_ROTATION_HOOK_H

#include "cli/cli.h"

struct rotation_hook {
	const struct file_options *options;
	FILE *names;      /* NULL: none are printed */
	bool failed;      /* to write a name */
	unsigned running; /* programs */
};

/* Opens the file for names. False: failed; an error was printed. */
bool rotation_hook_open(struct rotation_hook *hook, const struct file_options *options);

/* For `closed` in struct rtap_series_options; the owner is the hook. As in tcpdump, the program is not run for the last file. */
void rotation_hook_closed(void *owner, const char *name, bool is_last);

/* Reports programs that failed, without waiting for those that still run. */
void rotation_hook_reap(struct rotation_hook *hook);

void rotation_hook_close(struct rotation_hook *hook);

#endif
