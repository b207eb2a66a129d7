/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_LIVE_BPF_H
#define CAPTURE_LIVE_BPF_H

#include <stdbool.h>
#include <string.h>

#define BPF_OPTIMIZED_MAX 512
#define BPF_TEXT_MAX 8192 /* even without optimizer, libpcap's time is quadratic in the length: 0.8 s for this length, 3.5 s for twice */

/*
 * Returns whether a capture filter is short enough for libpcap's optimizer, whose time is cubic in the number of terms: 6 s for 400
 * hosts. Without the optimizer a filter passes the same frames, but one that can never match is not rejected.
 */
static inline bool bpf_may_optimize(const char *text)
{
	return strnlen(text, BPF_OPTIMIZED_MAX + 1) <= BPF_OPTIMIZED_MAX;
}

#endif
