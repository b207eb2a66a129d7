/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the report share.
 */
#ifndef OUTPUT_REPORT_REPORT_INTERNAL_H
#define OUTPUT_REPORT_REPORT_INTERNAL_H

#include "output/report/report.h"

/* The page while it is written; what a part of it needs. */
struct report_page {
	struct report *report;
	const struct stats *stats;
	const struct findings *findings;
	const struct report_input *input;
	struct stats_connection **ranked; /* connections that were told, the weightiest first */
	uint64_t ranked_count;
	const struct stats_connection *connection; /* that the part is about */
	struct histogram latencies[RTAP_KIND_COUNT]; /* of messages of all connections */
	struct histogram_memory values;              /* that these keep */
	uint64_t unplaced;                           /* of these, for want of memory */
};

/* Parts of the page; by printer_write(), of a struct report_page. */
typedef void report_part(const void *page, struct line *line);

/* Plots of the whole capture: rates over time, latencies. */
report_part report_rates, report_latencies;

/* Plots of one connection: how it was set up, its sequences, its RPCs. */
report_part report_setup, report_sequences, report_calls;

/* Tables. */
report_part report_connections, report_operations, report_rpcs, report_mads, report_recoveries, report_classes, report_pauses;

/* In the page; made of output/report/report.css and output/report/report.js. */
extern const char report_style[], report_script[];

#endif
