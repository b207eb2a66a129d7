/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Renamed and relative values of canonical text: "rkey#3+0x10", "server.psn+17", one or more with commas between them.
 */
#ifndef OUTPUT_COMPARE_DIFF_NAMES_H
#define OUTPUT_COMPARE_DIFF_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct diff_name {
	uint64_t name;   /* a hash of what stands before the offset */
	uint64_t base;   /* a hash of the kind alone */
	uint64_t offset; /* two's complement */
	bool has_offset;
};

/* Takes the part that begins at `*at`; `*at` is then that of the next one, or NULL. */
struct diff_name diff_name_next(const char **at, const char *end);

#endif
