/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics filled by hand, and which rules have a finding of them.
 */
#ifndef TESTS_FINDINGS_KIT_H
#define TESTS_FINDINGS_KIT_H

#include "output/stats/findings.h"

#define MS UINT64_C(1000000) /* in nanoseconds */

/* The connection, counted as concluded, with packets of its first direction, of which some were retransmitted. */
struct stats_connection *count_connection(struct stats *stats, uint64_t number, uint64_t packets, uint64_t repeated);

/* Counts for the rules: of the capture, one connection with its first direction, and one procedure. */
struct counts {
	struct stats *stats;
	struct stats_connection *connection;
	struct stats_direction *direction;
	struct stats_rpc *rpc;
};

void begin_counts(struct counts *counts);

/* Whether the rule has a finding of these counts, which are freed. */
bool end_counts(struct counts *counts, const char *rule);

/* A complete operation with a response after 1 ms; of `connection`, which is filled too. */
struct rtap_operation an_operation(struct rtap_connection *connection);

#endif
