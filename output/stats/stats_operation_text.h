/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics of operations as tables of text.
 */
#ifndef OUTPUT_STATS_STATS_OPERATION_TEXT_H
#define OUTPUT_STATS_STATS_OPERATION_TEXT_H

#include "output/stats/stats_work.h"
#include "output/stats/stats_table.h"

/* Cells of p50, p99 and the longest latency. */
void stats_operation_latencies(struct stats_table *table, const struct histogram *latency_ns);

/* Rows of the table of operations by name, which has the columns of stats_tables.c. */
void stats_operation_rows(const struct stats *stats, struct stats_table *table);

/* Further tables. They may stay without rows. `most`: rows. */
void stats_operation_parts(const struct stats *stats, struct stats_table *table);
void stats_operation_sizes(const struct stats *stats, struct stats_table *table);
void stats_operation_objects(const struct stats *stats, uint64_t most, struct stats_table *table);
void stats_operation_connections(const struct stats *stats, uint64_t most, struct stats_table *table);

#endif
