/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Filling findings from statistics.
 */
#ifndef OUTPUT_STATS_FINDINGS_TAKE_H
#define OUTPUT_STATS_FINDINGS_TAKE_H

#include "output/stats/findings.h"

/* Sets the count and the frames from these occurrences. */
void findings_take(struct finding *finding, const struct stats_occurrences *occurrences);

/* Fills the finding if there are latencies far above the median. `slowest_frame`: of the longest one. */
bool findings_take_latency(const struct histogram *latency_ns, uint64_t slowest_frame, struct finding *finding);

#endif
