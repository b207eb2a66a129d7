/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <cap-ng.h>
#include <errno.h>
#include <libgen.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/print_error.h"
#include "cli/privileges.h"

static bool fill_account(const char *name, struct account *account)
{
	const struct passwd *found;

	errno = 0;
	found = getpwnam(name);
	if (!found || strlen(name) >= sizeof account->name) {
		print_error("user %s: %s", name, errno ? strerror(errno) : "there is no such user");
		return false;
	}
	strcpy(account->name, name);
	account->user = found->pw_uid;
	account->group = found->pw_gid;
	account->changes = found->pw_uid != 0;
	return true;
}

bool privileges_find(const char *asked, struct account *account)
{
	const char *of_sudo = getenv("SUDO_USER");

	*account = (struct account){ .user = geteuid(), .group = getegid() };
	if (geteuid() != 0) {
		if (!asked)
			return true;
		print_error("-Z %s: only root can become another user", asked);
		return false;
	}
	if (asked)
		return fill_account(asked, account);
	if (of_sudo && *of_sudo && strcmp(of_sudo, "root"))
		return fill_account(of_sudo, account);
	if (fill_account(UNPRIVILEGED_USER, account))
		return true;
	print_error("root privileges are dropped to a user: name one (-Z USER; -Z root keeps them)");
	return false;
}

bool privileges_give_up(const struct account *account, bool keep_net_raw)
{
	int result;

	if (geteuid() == 0 && !account->changes)
		return true;
	capng_clear(CAPNG_SELECT_CAPS);
	if (keep_net_raw && capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, CAP_NET_RAW)) {
		print_error("cannot read the process's capabilities");
		return false;
	}
	if (account->changes)
		result = capng_change_id((int)account->user, (int)account->group, CAPNG_INIT_SUPP_GRP | CAPNG_CLEAR_BOUNDING);
	else
		result = capng_apply(CAPNG_SELECT_CAPS);
	if (!result)
		return true;
	if (account->changes)
		print_error("cannot become user %s (step %d of libcap-ng; -Z root stays root)", account->name, -result);
	else
		print_error("cannot drop capabilities (step %d of libcap-ng)", -result);
	return false;
}

static bool check_folder(const char *name)
{
	char *copy = strdup(name);
	const char *folder = copy ? dirname(copy) : "";
	struct stat found;
	bool exists = copy && !stat(folder, &found), writable = exists && S_ISDIR(found.st_mode) && !access(folder, W_OK | X_OK);

	if (exists && !S_ISDIR(found.st_mode))
		print_error("%s: cannot be created: %s", name, strerror(ENOTDIR));
	else if (!writable && (!copy || errno != EACCES))
		print_error("%s: cannot be created: %s", name, copy ? strerror(errno) : "out of memory");
	else if (!writable)
		print_error("%s: user %lu cannot create files in this directory: %s (name another directory, or another user with -Z)", name,
			 (unsigned long)geteuid(), strerror(errno));
	free(copy);
	return writable;
}

bool privileges_rehearse(const struct account *account, const char *name)
{
	pid_t child, ended;
	int status;

	fflush(NULL);
	child = fork();
	if (!child)
		_exit(privileges_give_up(account, false) && (!name || check_folder(name)) ? EXIT_DONE : EXIT_ERROR);
	do
		ended = child > 0 ? waitpid(child, &status, 0) : -1;
	while (ended < 0 && child > 0 && errno == EINTR);
	if (ended == child)
		return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_DONE;
	print_error("cannot start a process: %s", strerror(errno));
	return false;
}

void privileges_protect_files(const char *name)
{
	mode_t mask = umask(S_IRWXG | S_IRWXO);
	char *copy = strdup(name);
	struct stat folder;

	if (mask != (S_IWGRP | S_IWOTH))
		umask(mask);
	else if (copy && !stat(dirname(copy), &folder) && folder.st_mode & S_ISGID)
		umask(S_IWGRP | S_IXGRP | S_IRWXO);
	free(copy);
}
