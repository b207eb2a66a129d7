/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Of lines that are alike but for names and addresses, which one was added or lost. The alignment knows only that of ten WRITEs of
 * 1000 bytes nine are left; where the one that is missing stood is where the addresses of the others begin to disagree.
 */
#ifndef OUTPUT_COMPARE_DIFF_SLIDE_H
#define OUTPUT_COMPARE_DIFF_SLIDE_H

#include "output/compare/canon_file.h"

struct diff_slide {
	const struct canon_file *files[2];
	struct canon_treatments *treatments;
	const struct canon_line *lines[2];
	size_t counts[2];
	uint32_t *of[2];    /* of each line of one side, that of the other, or UINT32_MAX */
	uint32_t *lists[2]; /* room for as many numbers as there are lines */
	uint32_t *at[2];    /* likewise */
	bool order;         /* lines of all lanes are in one order */
};

/*
 * Moves gaps between lines that stand for each other to where the names and distances of those around them agree best. How many
 * lines stand for another, and the order in each lane, stay the same. 0 or -ENOMEM.
 */
int diff_slide(const struct diff_slide *slide) __attribute__((warn_unused_result));

#endif
