/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text, numbers and tables of an HTML page, and scales of its plots, which are inline SVG.
 */
#ifndef OUTPUT_REPORT_HTML_H
#define OUTPUT_REPORT_HTML_H

#include <stdbool.h>
#include <stdint.h>

#include "dissect/engine/line.h"

/* Untrusted text: HTML's special characters, control characters and invalid UTF-8 are escaped. */
void html_text(struct line *line, const char *text);
void html_bytes(struct line *line, const char *text, size_t length);

/* "4,623,184" */
void html_count(struct line *line, uint64_t number);

/* "12 packets", "1 packet" */
void html_counted(struct line *line, uint64_t number, const char *what);

/* A number with `decimals` decimals, at most 9. */
void html_fixed(struct line *line, double number, unsigned decimals);

/* "5.161 ms"; html_offset: "+1.234567890 s" */
void html_duration(struct line *line, int64_t nanoseconds);
void html_offset(struct line *line, int64_t nanoseconds);

/* "2026-11-20 15:11:47.123456789 UTC" */
void html_moment(struct line *line, int64_t time_ns);

/* "frame 3", "frames 3 to 17" */
void html_frames(struct line *line, uint64_t first, uint64_t last);

/*
 * Cells of a table. If a cell's text is not its sort key, the attribute data-v holds the key in the form of stats --json.
 * html_cell_time of an unknown time: a dash.
 */
void html_cell_count(struct line *line, uint64_t number);
void html_cell_time(struct line *line, bool known, int64_t nanoseconds);
void html_cell_text(struct line *line, const char *text);

/* "<table ...><caption>" up to "<tbody>". Each heading is "key|label"; the keys are members of stats --json. */
void html_table(struct line *line, const char *id, const char *caption, const char *const *headings, unsigned count);
void html_table_end(struct line *line);

/* A scale: the values `low` at pixel `begin` and `high` at pixel `end`. */
struct html_axis {
	double low, high, begin, end;
	bool is_logarithmic;
};

/* A unit. The functions choose one that keeps numbers up to `largest` short. */
struct html_unit {
	double size;
	const char *name;
};

struct html_unit html_time_unit(double largest_ns);
/* 1, 1000, 1000000 ..., named "", "k", "M" ... */
struct html_unit html_count_unit(double largest);

#endif
