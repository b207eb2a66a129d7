/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of delays for the statistics' text: by job, by host, by connection. Requesters of these operations receive the data.
 */
#ifndef OUTPUT_STATS_STATS_WAITS_TEXT_H
#define OUTPUT_STATS_STATS_WAITS_TEXT_H

#include "output/stats/stats_jobs.h"
#include "output/stats/stats_table.h"

/* Begin a table and fill it; it is empty if there are no such operations. */
void stats_waits_jobs(const struct stats_jobs *jobs, struct stats_table *table);
void stats_waits_hosts(const struct stats_jobs *jobs, uint64_t most, struct stats_table *table);

/* `most`: rows, those with the most time lost first. */
void stats_waits_connections(const struct stats *stats, uint64_t most, struct stats_table *table);

#endif
