/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory for state. State goes on without what it could not have, and its owner frees by free(); but what is missing then
 * must be told, wherever the attempt failed: so failures are counted here, by thread, and the tracker takes the count.
 */
#ifndef REASSEMBLY_STORE_MEMORY_H
#define REASSEMBLY_STORE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* As malloc(), calloc() and realloc(). */
void *memory_new(size_t bytes) __attribute__((malloc, warn_unused_result));
void *memory_new_zeroed(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
void *memory_resize(void *old, size_t bytes) __attribute__((warn_unused_result));

extern _Thread_local uint64_t memory_failed;

/* How often the above failed in this thread so far. */
static inline uint64_t memory_failures(void)
{
	return memory_failed;
}

#endif
