/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of text with aligned columns. Cells are collected first; empty columns, and columns for which a line has no room, are omitted.
 */
#ifndef OUTPUT_STATS_STATS_TABLE_H
#define OUTPUT_STATS_STATS_TABLE_H

#include "dissect/engine/line.h"

#define STATS_TABLE_COLUMNS 16
#define STATS_TABLE_WIDTH 120  /* columns of a terminal */

struct stats_table_column {
	const char *title;
	bool is_text;       /* left-aligned */
	bool is_dispensable; /* omitted if the line has no room: the last of these first */
};

struct stats_table {
	const char *title;  /* NULL: none */
	const struct stats_table_column *columns;
	unsigned column_count;
	char *text;         /* all cells, one after the other */
	size_t length, room;
	uint32_t *ends;     /* of the cells in `text` */
	size_t cells, cell_room;
	size_t widths[STATS_TABLE_COLUMNS]; /* in characters; 0: omitted */
	char cell[2048];    /* the cell being written */
	struct line line;
	bool failed;        /* out of memory */
	/* Set by the caller after stats_table_init(): the last column has names, whose middle is left out where the line would be too wide. */
	bool shortens_last;
};

/* `columns`: with a title each; NULL: the end. */
void stats_table_init(struct stats_table *table, const char *title, const struct stats_table_column *columns);
void stats_table_fini(struct stats_table *table);

/* Begins the next cell, which is to be written to the line, and ends it. Rows have one cell for each column. */
struct line *stats_table_begin(struct stats_table *table);
void stats_table_end(struct stats_table *table);

/* A cell; empty for a number of 0 and for NULL. */
void stats_table_number(struct stats_table *table, uint64_t number);
void stats_table_bytes(struct stats_table *table, uint64_t bytes);
void stats_table_time(struct stats_table *table, int64_t time_ns);
void stats_table_rate(struct stats_table *table, uint64_t bytes_per_second);
void stats_table_text(struct stats_table *table, const char *text);

/* Decides the widths. Returns the number of rows; 0: nothing to write. */
size_t stats_table_finish(struct stats_table *table);

/* Row 0 is an empty line and the title, row 1 the headings, then come the rows. */
struct stats_table_row {
	const struct stats_table *table;
	size_t row;
};

/* Writes a struct stats_table_row with its newline. */
void stats_table_write(const void *what, struct line *line);

/* Breaks lines after `begin` that are too wide; what follows a break is indented. */
void stats_table_wrap(char *begin, size_t indent, struct line *line);

#endif
