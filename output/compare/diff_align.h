/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which lines of two connections stand for each other.
 */
#ifndef OUTPUT_COMPARE_DIFF_ALIGN_H
#define OUTPUT_COMPARE_DIFF_ALIGN_H

#include "output/compare/diff_slide.h"

#define DIFF_NONE UINT32_MAX

enum diff_place { DIFF_IN_ORDER, DIFF_BY_CHANCE, DIFF_ELSEWHERE };

/* Of each line of a: the line of b, and whether it stands where it should; of each line of b: that of a. */
struct diff_matches {
	uint32_t *of_a, *of_b;
	uint8_t *places; /* enum diff_place, by line of a */
};

/*
 * 0, -ENOMEM or -EFBIG; fini in both cases. With `order`, what only the other direction's lines stand between is elsewhere, not by chance.
 * `texts`: files and treatments, by which lines that are alike are told apart; NULL: they are not.
 */
int diff_match(struct diff_matches *matches, const struct canon_line *a, size_t a_count, const struct canon_line *b, size_t b_count,
	       bool order, const struct diff_slide *texts)
	__attribute__((warn_unused_result));
void diff_matches_fini(struct diff_matches *matches);

#endif
