/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Preloaded into a program: makes allocations fail, to test the program's reaction.
 * FAIL_ALLOCATION=N	the Nth allocation since the start fails, once; N+ makes every one from the Nth on fail
 * COUNT_ALLOCATIONS=FILE	at the end FILE holds the number of allocations
 * Only allocations are counted (malloc, calloc, realloc and the aligned forms); freeing never fails. Needs glibc, whose own
 * functions under other names do the work; elsewhere nothing fails. Not for sanitizer builds, which stand in this place themselves.
 */
#include "config.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __GLIBC__

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong allocations;
static unsigned long first_failing;
static bool all_from_there;

__attribute__((constructor)) static void read_settings(void)
{
	const char *asked = getenv("FAIL_ALLOCATION");

	if (asked) {
		char *end;

		first_failing = strtoul(asked, &end, 10);
		all_from_there = *end == '+';
	}
	atomic_store(&allocations, 0);
}

__attribute__((destructor)) static void report_count(void)
{
	const char *path = getenv("COUNT_ALLOCATIONS");
	unsigned long count = atomic_load(&allocations);
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%lu\n", count);
	fclose(file);
}

static bool fails(void)
{
	unsigned long number = atomic_fetch_add(&allocations, 1) + 1;

	if (!first_failing || number < first_failing || (number > first_failing && !all_from_there))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	*memory = memalign(alignment, size);
	return *memory ? 0 : ENOMEM;
}

#endif
