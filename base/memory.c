/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

_Thread_local uint64_t memory_failed;

void memory_keep_freed(int large, int most)
{
#ifdef M_TRIM_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, large);
	mallopt(M_TRIM_THRESHOLD, most);
#else
	(void)large;
	(void)most;
#endif
}

#if defined(M_TRIM_THRESHOLD) && defined(MADV_HUGEPAGE)
#define LARGE_PAGE (2 << 20)
#define USUAL_PAD (128 << 10)  /* glibc's own */
#define OF_HEAP (64 << 10)     /* a block that is in the heap */

void memory_use_large_pages(int bytes)
{
	uintptr_t begin = (uintptr_t)sbrk(0) + LARGE_PAGE - 1, end;
	void *volatile grown;

	/* what is not used yet counts as freed */
	mallopt(M_TRIM_THRESHOLD, bytes + LARGE_PAGE);
	mallopt(M_TOP_PAD, bytes);
	grown = malloc(OF_HEAP);
	free(grown);
	mallopt(M_TOP_PAD, USUAL_PAD);
	begin -= begin % LARGE_PAGE;
	end = (uintptr_t)sbrk(0);
	if (begin < end)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}
#else
void memory_use_large_pages(int bytes)
{
	(void)bytes;
}
#endif

static void *counted(void *memory)
{
	memory_failed += !memory;
	return memory;
}

void *memory_new(size_t bytes)
{
	return counted(malloc(bytes));
}

void *memory_new_zeroed(size_t count, size_t size)
{
	return counted(calloc(count, size));
}

void *memory_resize(void *old, size_t bytes)
{
	return counted(realloc(old, bytes));
}
