/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Results of assertions and rules as text, JSON, TAP and JUnit XML.
 */
#ifndef OUTPUT_CHECK_ASSERTION_FORM_H
#define OUTPUT_CHECK_ASSERTION_FORM_H

#include "dissect/engine/line.h"
#include "output/check/assertion.h"
#include "output/check/violation.h"

/* The assertion and its offenders, as text. `what`: a struct assertion; so below. */
void assertion_text(const void *what, struct line *line);
/* One JSON object and "\n". */
void assertion_json(const void *what, struct line *line);

/* Assertions, and rules that were checked. */
struct check_results {
	const struct assertions *assertions;
	const struct violations *violations;
};

/* All results; `what`: a struct check_results. TAP: version 13. JUnit: one suite, a test case for each assertion and rule. */
void check_results_tap(const void *what, struct line *line);
void check_results_junit(const void *what, struct line *line);

#endif
