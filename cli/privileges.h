/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Giving up root and capabilities, once what needs them is open.
 */
#ifndef CLI_PRIVILEGES_H
#define CLI_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

/* Who the program goes on as. */
struct account {
	bool changes; /* from root to another user; else it stays who it is */
	uid_t user;
	gid_t group;
	char name[64];
};

/*
 * Whom to become: the user asked for (-Z; NULL: nobody in particular); else, as root, the one behind sudo, or the account
 * chosen at configure time. False: an error is printed.
 */
bool privileges_find(const char *asked, struct account *account);

/*
 * Becomes that user, with its groups, and drops all capabilities but, if so wished, CAP_NET_RAW. Before any thread is
 * started. With -Z root nothing is given up. False: an error is printed, and the program must end.
 */
bool privileges_give_up(const struct account *account, bool keep_net_raw);

/* Whether files can be made in the folder of `name`. False: an error is printed. */
bool privileges_check_folder(const char *name);

#endif
