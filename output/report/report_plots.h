/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Plots of the report.
 */
#ifndef OUTPUT_REPORT_REPORT_PLOTS_H
#define OUTPUT_REPORT_REPORT_PLOTS_H

#include "output/report/report_internal.h"

/* Orders struct report_call by time, as report_calls wants them; for qsort(). */
int report_compare_calls(const void *a, const void *b);

#endif
