/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Comparisons at run time, which the filter compiler uses too.
 */
#ifndef DISSECT_FILTER_FILTER_H
#define DISSECT_FILTER_FILTER_H

#include <stdbool.h>

#include <rdmatap/value.h>

struct filter_record;
struct rtap_filter;

/* Order of two byte strings: -1, 0 or 1. Only the first `prefix` bits count if both are that long. */
int filter_compare_bytes(struct rtap_span left, struct rtap_span right, uint32_t prefix);

/* Whether the filter has a test of a packet field, of a record's key. rtap_filter_match() makes the former only. */
bool filter_tests_packets(const struct rtap_filter *filter);
bool filter_tests_records(const struct rtap_filter *filter);

/* Whether the record passes the tests of its keys. */
bool filter_match_record(const struct rtap_filter *filter, const struct filter_record *record);

#endif
