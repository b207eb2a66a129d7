/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which elements of two sequences stand for each other: a longest common subsequence, by Myers' algorithm in linear space
 * (E. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1, 1986, section 4b).
 *
 * Elements that the other sequence has not are set aside first. Of n elements of which d differ it takes O(nd) at worst, and about
 * n + d^2 mostly. Where d gets larger than ALIGN_MOST_EFFORT the sequences are cut at the place that the search got furthest to, and
 * each half is searched on its own: the result is then a common subsequence, but not always the longest.
 */
#ifndef OUTPUT_COMPARE_ALIGN_H
#define OUTPUT_COMPARE_ALIGN_H

#include <stddef.h>
#include <stdint.h>

#define ALIGN_NONE UINT32_MAX
#define ALIGN_MOST_EFFORT 256

/*
 * match[i]: index in b of what a[i] stands for, or ALIGN_NONE; indices rise. Sequences of less than 2^31 elements.
 * 0, -ENOMEM, or -EFBIG.
 */
int align(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, uint32_t *match) __attribute__((warn_unused_result));

#endif
