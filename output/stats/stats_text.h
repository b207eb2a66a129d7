/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics and findings as text: a summary, the findings, tables, and the details of connections.
 */
#ifndef OUTPUT_STATS_STATS_TEXT_H
#define OUTPUT_STATS_STATS_TEXT_H

#include "output/packet/clock.h"
#include "output/stats/stats_tables.h"

/* What the text shows. */
struct stats_view {
	const char *const *inputs;  /* names of the captures, for the summary and the commands of findings */
	size_t input_count;
	uint64_t most;              /* rows of a table of connections, and findings */
	enum stats_sort sort;
	enum clock_form form;       /* of moments */
	bool colour;                /* of errors and warnings */
	uint64_t connection;        /* details of this one only; 0: no details */
	bool all_connections;       /* everything, with the details of all connections */
	const char *rule;           /* only the findings of this rule, or "" of all, with cause and filter; NULL: the statistics, one line a finding */
};

/* False: there is no connection of this number. *failed: set if a table is missing or incomplete for lack of memory. */
bool stats_write_text(const struct stats *stats, const struct findings *findings, const struct stats_view *view, stats_write *write, void *owner,
		      bool *failed);

/* The events of the capture and what was not counted, for printer_write(); `record` is a struct stats_record. */
stats_form stats_text_totals;

#endif
