/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of the report.
 */
#ifndef OUTPUT_REPORT_REPORT_TABLES_H
#define OUTPUT_REPORT_REPORT_TABLES_H

#include "output/report/report_internal.h"

/* Note below a table: "500 of 812 rows; ...". Nothing if all rows are shown. */
void report_left_out(uint64_t shown, uint64_t all, const char *what, struct line *line);

#endif
