/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Differences as a unified diff for people, as records (doc/json.md), and as a summary.
 */
#ifndef OUTPUT_COMPARE_DIFF_SHOW_H
#define OUTPUT_COMPARE_DIFF_SHOW_H

#include "output/compare/diff.h"

struct columns;

#define DIFF_CONTEXT 3

/* Differences of one field's values, for the summary. */
struct diff_field_count {
	char *name; /* owned */
	uint64_t count;
};

struct diff_show {
	struct diff_form form;
	struct printer *printer;
	const char *a_name, *b_name;
	const struct columns *columns;       /* records */
	bool wide;                           /* text: lines are not shortened */
	bool begun;                          /* text: the names were printed */
	struct diff_step context[DIFF_CONTEXT]; /* text: preceding equal lines */
	unsigned context_count, context_at;
	unsigned after;                      /* text: context lines still to print after a difference */
	const struct canon_role *role;       /* text: the current connection; of a, or of b if absent in a */
	enum canon_level level;
	struct diff_field_count *field_counts;          /* summary */
	size_t tally_count, tally_room;
};

/* Initialise one of the forms. The printer and the names are borrowed. */
/* Lines of up to 120 columns: of long ones the first fields and the number of the others; all if `is_wide`. */
void diff_show_text(struct diff_show *show, struct printer *printer, const char *a_name, const char *b_name, bool is_wide);
void diff_show_stat(struct diff_show *show, struct printer *printer, const char *a_name, const char *b_name);
/* JSON or CSV; `columns` is borrowed. Returns 0 or -errno. */
int diff_show_records(struct diff_show *show, struct printer *printer, const char *a_name, const char *b_name, const struct columns *columns)
	__attribute__((warn_unused_result));

/* Writes the end: the totals for records and the summary; for text, why nothing could be compared. Returns 0 or -errno. */
int diff_show_end(struct diff_show *show, const struct diff_totals *totals) __attribute__((warn_unused_result));
void diff_show_fini(struct diff_show *show);

#endif
