/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The events of a connection as text and as JSON objects (doc/json.md).
 */
#ifndef OUTPUT_STATS_WHY_TEXT_H
#define OUTPUT_STATS_WHY_TEXT_H

#include "output/packet/clock.h"
#include "output/stats/why.h"

struct why_style {
	bool has_form;        /* times have this form; else they count from the first event, with units */
	enum clock_form form;
	int64_t first_ns;     /* zero of relative times */
	bool colour;
};

/* Writes one line: the heading, event `index`, the verdict. */
void why_heading(const struct why *why, const struct why_style *style, struct line *line);
void why_event(const struct why *why, size_t index, const struct why_style *style, struct line *line);
void why_verdict(const struct why *why, struct line *line);

/* The same as JSON objects of type "subject", "event", "verdict". */
void why_heading_json(const struct why *why, struct line *line);
void why_event_json(const struct why *why, size_t index, struct line *line);
void why_verdict_json(const struct why *why, struct line *line);

#endif
