/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Dropping root and capabilities once the resources that need them are open.
 */
#ifndef CLI_PRIVILEGES_H
#define CLI_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

/* The account that the program continues as. */
struct account {
	bool changes; /* root switches to this account; false: the user stays the same */
	uid_t user;
	gid_t group;
	char name[64];
};

/*
 * Finds the account to switch to: `asked` (-Z; NULL: not given); else, for root, the user who ran sudo, or the account chosen at
 * configure time. False: failed; an error was printed.
 */
bool privileges_find(const char *asked, struct account *account);

/*
 * Switches to the account and its groups and drops all capabilities; with `keep_net_raw` all but CAP_NET_RAW. Call it before any thread
 * is started. With -Z root nothing is dropped. False: failed; an error was printed and the program must exit.
 */
bool privileges_give_up(const struct account *account, bool keep_net_raw);

/*
 * Tests in a child process whether privileges_give_up() works, and whether the account can create files in the directory of `name`
 * (NULL: it need not). False: it fails; an error was printed.
 */
bool privileges_rehearse(const struct account *account, const char *name);

/*
 * Captures contain private data: makes new files readable by their owner only, and by the group of the directory of `name` if that has
 * the set-group-ID bit. A umask other than the usual 022 is kept.
 */
void privileges_protect_files(const char *name);

#endif
