/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How far reading is, on standard error.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool shown_at_all; /* whether to show it */
	bool drawn;        /* a line stands there and must be wiped */
	int64_t next_ns;   /* when to draw again, monotonic clock */
};

/* Shown when asked for, or when standard error is a terminal and standard output is not. */
void progress_init(struct progress *progress, bool asked);
/* `done` of `total` bytes; total 0: not known. */
void progress_show(struct progress *progress, uint64_t frames, uint64_t done, uint64_t total);
/* Wiped from a terminal; elsewhere what was shown ends with the whole. */
void progress_end(struct progress *progress, uint64_t frames, uint64_t done, uint64_t total);

#endif
