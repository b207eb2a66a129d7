/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Alignment of the lines of two connections.
 */
#ifndef OUTPUT_COMPARE_DIFF_ALIGN_H
#define OUTPUT_COMPARE_DIFF_ALIGN_H

#include "output/compare/diff_slide.h"

#define DIFF_NONE UINT32_MAX

enum diff_place { DIFF_IN_ORDER, DIFF_BY_CHANCE, DIFF_ELSEWHERE };

/* For each line of a: the matching line of b and whether it is in order; for each line of b: the matching line of a. */
struct diff_matches {
	uint32_t *of_a, *of_b;
	uint8_t *places; /* enum diff_place, by line of a */
};

/*
 * Returns 0, -ENOMEM or -EFBIG. Call diff_matches_fini() in all cases. With `order`, a line displaced only relative to lines of the other
 * direction is DIFF_ELSEWHERE, not DIFF_BY_CHANCE. `texts`: files and treatments used to distinguish similar lines; NULL: do not.
 */
int diff_match(struct diff_matches *matches, const struct canon_line *a, size_t a_count, const struct canon_line *b, size_t b_count,
	       bool order, const struct diff_slide *texts)
	__attribute__((warn_unused_result));
void diff_matches_fini(struct diff_matches *matches);

#endif
