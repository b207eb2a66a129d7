/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds which of several lines that differ only in names and addresses was added or removed. The alignment knows only that nine of ten
 * WRITEs of 1000 bytes remain; the missing one is where the addresses of the others begin to disagree.
 */
#ifndef OUTPUT_COMPARE_DIFF_SLIDE_H
#define OUTPUT_COMPARE_DIFF_SLIDE_H

#include "output/compare/canon_file.h"

struct diff_slide {
	const struct canon_file *files[2];
	struct canon_treatments *treatments;
	const struct canon_line *lines[2];
	size_t counts[2];
	uint32_t *of[2];    /* for each line of one side the line of the other, or UINT32_MAX */
	uint32_t *lists[2]; /* scratch: one number per line */
	uint32_t *at[2];    /* scratch: likewise */
	bool order;         /* the lines of all lanes have one common order */
};

/*
 * Moves gaps between matched lines to where the names and distances of the surrounding lines agree best. The number of matches and the
 * order within each lane do not change. Returns whether any was moved (1 or 0), or -ENOMEM.
 */
int diff_slide(const struct diff_slide *slide) __attribute__((warn_unused_result));

#endif
