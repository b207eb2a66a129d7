/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The report's HTML page.
 */
#ifndef OUTPUT_REPORT_REPORT_PAGE_H
#define OUTPUT_REPORT_REPORT_PAGE_H

#include "output/report/report.h"

/* Writes the page. Call it after the last packet and message. Returns 0, or -errno of the printer. */
int report_write(struct report *report, const struct findings *findings, const struct report_input *input, struct printer *printer)
	__attribute__((warn_unused_result));

#endif
