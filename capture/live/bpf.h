/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_LIVE_BPF_H
#define CAPTURE_LIVE_BPF_H

#include <stdbool.h>
#include <string.h>

#define BPF_OPTIMIZED_MAX 512
#define BPF_TEXT_MAX 8192 /* libpcap's work grows with the square of the length even so: this much takes 0.8 s, twice as much 3.5 s */

/*
 * Whether a capture filter is short enough for libpcap's optimizer, whose work grows with the cube of the number of terms: one of 400
 * hosts took 6 s. Without it a filter passes the same frames; only a filter that can pass none is not refused.
 */
static inline bool bpf_may_optimize(const char *text)
{
	return strnlen(text, BPF_OPTIMIZED_MAX + 1) <= BPF_OPTIMIZED_MAX;
}

#endif
