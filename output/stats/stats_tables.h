/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables of the statistics' text: connections, host pairs, operations, management datagrams, intervals.
 */
#ifndef OUTPUT_STATS_STATS_TABLES_H
#define OUTPUT_STATS_STATS_TABLES_H

#include "output/stats/stats_form.h"

/* Orders of --sort. X(identifier, name, title of the table) */
#define STATS_SORTS(X) \
	X(BYTES, "bytes", "Connections by bytes") X(TIME_LOST, "time-lost", "Connections by time lost") \
	X(RETRANSMISSIONS, "retransmissions", "Connections by retransmissions") X(LATENCY, "latency", "Connections by longest latency") \
	X(PACKETS, "packets", "Connections by packets")

enum stats_sort {
	STATS_SORT_DEFAULT, /* bytes, time lost and retransmissions, a table each */
#define STATS_SORT_ENUM(identifier, name, title) STATS_SORT_##identifier,
	STATS_SORTS(STATS_SORT_ENUM)
#undef STATS_SORT_ENUM
	STATS_SORT_COUNT
};

/* False: no such order. */
bool stats_sort_parse(const char *name, enum stats_sort *sort);

/*
 * Writes the tables. `most`: rows of each table of connections and host pairs. *failed: set if one is missing or incomplete for
 * lack of memory. False: writing stopped.
 */
bool stats_tables_write(const struct stats *stats, enum stats_sort sort, uint64_t most, stats_write *write, void *owner, bool *failed);

#endif
