/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Alignment of two sequences: a longest common subsequence by Myers' algorithm in linear space
 * (E. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1, 1986, section 4b).
 *
 * Elements that occur in one sequence only are removed first. For n elements with d differences the time is O(nd) in the worst case and
 * usually about n + d^2. If d exceeds ALIGN_MOST_EFFORT, the sequences are split at the furthest point reached and each half is searched
 * separately; the result is then a common subsequence, but not always the longest.
 */
#ifndef OUTPUT_COMPARE_ALIGN_H
#define OUTPUT_COMPARE_ALIGN_H

#include <stddef.h>
#include <stdint.h>

#define ALIGN_NONE UINT32_MAX
#define ALIGN_MOST_EFFORT 256

/*
 * Sets match[i] to the index in b of the element that matches a[i], or to ALIGN_NONE; indices ascend. Sequences must have fewer than
 * 2^31 elements. Returns 0, -ENOMEM, or -EFBIG.
 */
int align(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, uint32_t *match) __attribute__((warn_unused_result));

#endif
