/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Plots of the report.
 */
#ifndef OUTPUT_REPORT_REPORT_PLOTS_H
#define OUTPUT_REPORT_REPORT_PLOTS_H

#include "output/report/report_internal.h"

/* Compares struct report_call by time, for qsort(); report_calls requires this order. */
int report_compare_calls(const void *a, const void *b);

#endif
