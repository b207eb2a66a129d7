/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory. After a failed allocation state continues without the data, which must be reported. Failures are counted
 * here per thread, and the tracker reads the count. Free with free().
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Like malloc(), calloc() and realloc(). */
void *memory_new(size_t bytes) __attribute__((malloc, warn_unused_result));
void *memory_new_zeroed(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
void *memory_resize(void *old, size_t bytes) __attribute__((warn_unused_result));

/*
 * For programs, before they allocate: up to `most` freed bytes are kept for later blocks; blocks of `large` bytes are always returned to the
 * system. Without it, memory of messages that are reassembled one after the other is returned each time, and the system clears its pages again.
 */
void memory_keep_freed(int large, int most);

extern _Thread_local uint64_t memory_failed;

/* Number of failures in this thread so far. */
static inline uint64_t memory_failures(void)
{
	return memory_failed;
}

/* Whether free lists keep objects: not with AddressSanitizer, which would not see that they are used after they were freed. */
#if defined(__SANITIZE_ADDRESS__)
#define MEMORY_REUSED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEMORY_REUSED 0
#endif
#endif
#ifndef MEMORY_REUSED
#define MEMORY_REUSED 1
#endif

#endif
