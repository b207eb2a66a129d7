/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Comparisons that a filter is run by, for who builds it.
 */
#ifndef DISSECT_FILTER_FILTER_H
#define DISSECT_FILTER_FILTER_H

#include <rdmatap/value.h>

/* Order of two byte strings: -1, 0 or 1. Only the first `prefix` bits count if both are that long. */
int filter_compare_bytes(struct rtap_span left, struct rtap_span right, uint32_t prefix);

#endif
