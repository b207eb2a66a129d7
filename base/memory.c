/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <malloc.h>
#include <stdlib.h>

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
