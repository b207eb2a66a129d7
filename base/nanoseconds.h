/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Differences and sums of times in nanoseconds. They saturate: time stamps of a capture can be centuries apart, and damaged ones are.
 */
#ifndef BASE_NANOSECONDS_H
#define BASE_NANOSECONDS_H

#include <stdint.h>

/* The time from one time stamp to another; 0 if that is earlier. */
static inline int64_t ns_elapsed(int64_t from_ns, int64_t to_ns)
{
	uint64_t elapsed = to_ns > from_ns ? (uint64_t)to_ns - (uint64_t)from_ns : 0;

	return elapsed > INT64_MAX ? INT64_MAX : (int64_t)elapsed;
}

/* A time stamp or duration and a duration after it. */
static inline int64_t ns_sum(int64_t a_ns, int64_t b_ns)
{
	int64_t sum;

	return __builtin_add_overflow(a_ns, b_ns, &sum) ? INT64_MAX : sum;
}

/* A duration that is stored without a sign. */
static inline int64_t ns_signed(uint64_t duration_ns)
{
	return duration_ns > INT64_MAX ? INT64_MAX : (int64_t)duration_ns;
}

#endif
