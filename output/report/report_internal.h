/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the files of the report.
 */
#ifndef OUTPUT_REPORT_REPORT_INTERNAL_H
#define OUTPUT_REPORT_REPORT_INTERNAL_H

#include "output/report/report.h"

/* State of the page while it is written. */
struct report_page {
	struct report *report;
	const struct stats *stats;
	const struct findings *findings;
	const struct report_input *input;
	struct stats_connection **ranked; /* reported connections, highest rank first */
	uint64_t ranked_count;
	const struct stats_connection *connection; /* of the current part */
	struct histogram latencies[RTAP_KIND_COUNT]; /* of messages of all connections */
	struct histogram_memory values;              /* of these histograms */
};

/* A part of the page, for printer_write(); `page` is a struct report_page. */
typedef void report_part(const void *page, struct line *line);

/* Plots of the whole capture: rates over time, latencies. */
report_part report_rates, report_latencies;

/* Plots of one connection: setup, throughput, sequence numbers, operations. */
report_part report_setup, report_throughput, report_sequences, report_calls;

/* Losses and delays between several capture points. */
report_part report_join;

/* Tables. */
report_part report_connections, report_jobs, report_operations, report_works, report_rpcs, report_mads, report_recoveries, report_classes, report_pauses;

/* Embedded in the page; generated from output/report/report.css and output/report/report.js. */
extern const char report_style[], report_script[];

#endif
