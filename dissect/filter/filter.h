/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Comparisons at run time, which the filter compiler uses too.
 */
#ifndef DISSECT_FILTER_FILTER_H
#define DISSECT_FILTER_FILTER_H

#include <rdmatap/value.h>

/* Order of two byte strings: -1, 0 or 1. Only the first `prefix` bits count if both are that long. */
int filter_compare_bytes(struct rtap_span left, struct rtap_span right, uint32_t prefix);

#endif
