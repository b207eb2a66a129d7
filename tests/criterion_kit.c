/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Criterion starts a process for each test and initializes libgit2 in it, which parses the certificates of all certification authorities: half of
 * the time of a short test. Criterion uses it only to compare texts in assertions of criterion/new/assert.h, which no test uses.
 */
#include "config.h"

int git_libgit2_init(void);
int git_libgit2_shutdown(void);

__attribute__((visibility("default"))) int git_libgit2_init(void)
{
	return 1;
}

__attribute__((visibility("default"))) int git_libgit2_shutdown(void)
{
	return 0;
}
