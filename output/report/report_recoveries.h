/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time lost to recoveries, for the report's plot.
 */
#ifndef OUTPUT_REPORT_REPORT_RECOVERIES_H
#define OUTPUT_REPORT_REPORT_RECOVERIES_H

#include "output/report/report.h"
#include "output/stats/congestion.h"

struct report_page;

/* Records time lost to a recovery. Call it after stats_packet(). */
void report_recovery(struct report *report, const struct rtap_packet *packet);

/* Records a PAUSE or PFC frame. */
void report_pause(struct report *report, const struct congestion_pause *pause);

/* Records that an operation waited for data or its response, if that took long and was not lost to recoveries. */
void report_wait(struct report *report, const struct report_recovery *wait, int64_t lost_ns);

/* The same for an operation of a layer other than RPC. */
void report_operation(struct report *report, const struct rtap_operation *operation);

/* The same for TCP windows that are still closed at the end of the capture. */
void report_closed_windows(const struct report_page *page);

#endif
