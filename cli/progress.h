/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Progress of reading, on standard error.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool shown_at_all; /* progress is enabled */
	bool drawn;        /* a line is displayed and must be erased */
	int64_t next_ns;   /* when to draw again, monotonic clock */
};

/* Enables progress if `asked`, or if standard error is a terminal and standard output is not. */
void progress_init(struct progress *progress, bool asked);
/* `done` and `total` are bytes; total 0: unknown. */
void progress_show(struct progress *progress, uint64_t frames, uint64_t done, uint64_t total);
/* Erases the line on a terminal; elsewhere prints the final line. */
void progress_end(struct progress *progress, uint64_t frames, uint64_t done, uint64_t total);

#endif
