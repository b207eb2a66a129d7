/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics as metrics for Prometheus: OpenMetrics 1.0, and the older text format that node_exporter reads.
 */
#ifndef OUTPUT_STATS_METRICS_H
#define OUTPUT_STATS_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include <rdmatap/source.h>
#include <rdmatap/tracker.h>

#include "output/stats/stats.h"

/* Number of directions between two hosts, by service; further ones are counted together, with the labels "other". */
#define METRICS_PAIRS 256
/* Number of kinds of operations; further ones are counted together. */
#define METRICS_OPERATIONS 256

enum metrics_format { METRICS_PROMETHEUS, METRICS_OPENMETRICS, METRICS_FORMATS };

struct metrics;

/* NULL: out of memory. */
struct metrics *metrics_create(void);

/* NULL is ignored. */
void metrics_destroy(struct metrics *metrics);

/*
 * Copies the current values. No counter ever decreases, although connections may be merged or reassigned to another service.
 * Open connections must have been passed to the statistics (stats_connection_so_far()).
 */
void metrics_update(struct metrics *metrics, const struct stats *stats);

/* Packets of connection `from` now belong to `into`, whose statistics include them; turned: end a of one is end b of the other. */
void metrics_merge(struct metrics *metrics, uint64_t from, uint64_t into, bool turned);

/* Writes all metrics; the caller frees *text. `source` and the counters are current. False: out of memory. */
bool metrics_write(const struct metrics *metrics, enum metrics_format format, const struct stats *stats, const struct rtap_source *source,
		   const struct rtap_tracker_counters *counters, char **text, size_t *length);

#endif
