/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap -D: lists the sources of live captures.
 */
#include "config.h"

#include <stdio.h>

#include <rdmatap/live.h>

#include "cli/cli.h"
#include "cli/list.h"
#include "cli/print_error.h"

static void print_entry(void *owner, const struct rtap_live_entry *entry)
{
	char name[128];

	(void)owner;
	snprintf(name, sizeof name, "%s:%s", entry->kind, entry->name);
	printf("%-24s %-14s %s%s%s%s\n", name, entry->state, entry->description, *entry->obstacle ? " (" : "", entry->obstacle,
	       *entry->obstacle ? ")" : "");
}

int list_run(void)
{
	struct rtap_error error;

	if (rtap_live_list(print_entry, NULL, &error) == RTAP_STATUS_OK)
		return EXIT_DONE;
	print_error("%s", error.text);
	return EXIT_ERROR;
}
