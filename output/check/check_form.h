/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules and violations as text, JSON and SARIF.
 */
#ifndef OUTPUT_CHECK_CHECK_FORM_H
#define OUTPUT_CHECK_CHECK_FORM_H

#include "dissect/engine/line.h"
#include "output/check/check.h"

/* A violation and the counts of its rule. */
struct violation_record {
	const struct violations *violations;
	const struct violation *violation;
	const char *input;   /* the capture file, if there is only one; else NULL */
	bool is_first;       /* SARIF: no comma before it */
};

/* One line: the sender, frame, severity, rule, violation. `what`: a struct violation_record; likewise below. */
void violation_text(const void *what, struct line *line);
/* One JSON object and "\n". */
void violation_json(const void *what, struct line *line);
/* A result of SARIF 2.1.0. */
void violation_sarif(const void *what, struct line *line);

/* The broken rules with their requirements, or that none was broken; `what`: a struct check_summary. */
struct check_summary {
	const struct violations *violations;
	uint64_t packets;
	size_t assertions;   /* checked too */
};

void check_summary_text(const void *what, struct line *line);

/* SARIF 2.1.0 before and after the results; `what` is a struct violations. */
void check_sarif_begin(const void *what, struct line *line);
void check_sarif_end(const void *what, struct line *line);

/* A rule, as --list prints it; `what`: a struct check_rule. check_rule_json: one JSON object and "\n". */
void check_rule_text(const void *what, struct line *line);
void check_rule_json(const void *what, struct line *line);

#endif
