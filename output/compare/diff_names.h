/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Renamed and relative values of canonical text: "rkey#3+0x10", "server.psn+17", one or more, separated by commas.
 */
#ifndef OUTPUT_COMPARE_DIFF_NAMES_H
#define OUTPUT_COMPARE_DIFF_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct diff_name {
	uint64_t name;   /* hash of the text before the offset */
	uint64_t base;   /* hash of the kind only */
	uint64_t offset; /* two's complement */
	bool has_offset;
};

/* Parses the value at `*at` and advances `*at` to the next one, or to NULL. */
struct diff_name diff_name_next(const char **at, const char *end);

#endif
