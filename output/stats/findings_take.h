/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What rules fill findings with.
 */
#ifndef OUTPUT_STATS_FINDINGS_TAKE_H
#define OUTPUT_STATS_FINDINGS_TAKE_H

#include "output/stats/findings.h"

/* Counts these occurrences. */
void findings_take(struct finding *finding, const struct stats_occurrences *occurrences);

/* Takes latencies far above the median, if there are any. `slowest_frame`: of the longest. */
bool findings_take_latency(const struct histogram *latency_ns, uint64_t slowest_frame, struct finding *finding);

#endif
