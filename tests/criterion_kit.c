/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In place of Criterion's libgit2. Criterion starts a process for each test, and to link libgit2 and the 14 libraries that it needs, among them those
 * of TLS and Kerberos, and to initialize it takes most of the time of a short test. Criterion uses it only to compare texts in assertions of
 * criterion/new/assert.h, which no test uses.
 */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);
int git_diff_buffers(void);

int git_libgit2_init(void)
{
	return 1;
}

int git_libgit2_shutdown(void)
{
	return 0;
}

/* Fails. */
int git_diff_buffers(void)
{
	return -1;
}
