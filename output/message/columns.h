/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records as JSON objects, as rows of CSV, or as rows of text separated by tabs: all are made from the JSON text of the record, so
 * that every value has one form.
 */
#ifndef OUTPUT_MESSAGE_COLUMNS_H
#define OUTPUT_MESSAGE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include <rdmatap/error.h>

#include "dissect/engine/line.h"

#define MAX_COLUMNS 256

/* COLUMNS_TEXT: the command's own text, or with columns their values separated by tabs. */
enum columns_form { COLUMNS_TEXT, COLUMNS_JSON, COLUMNS_CSV };

struct columns {
	enum columns_form form;
	const char *names[MAX_COLUMNS]; /* columns in order: keys of the record, such as "a.port" or "missing[0].offset" */
	size_t count;                   /* 0: the whole record */
	bool skips_empty;               /* omit records that have none of the columns */
};

/* Adds a column. `name` is borrowed. FAILED: there are too many, or the name is too long. */
enum rtap_status columns_add(struct columns *columns, const char *name, struct rtap_error *error) __attribute__((warn_unused_result));

/* FAILED: the records of `command` have no such key. */
enum rtap_status columns_check(const char *command, const char *name, struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Adds all columns, if there are none and the form is CSV. `type`: of the records, NULL if the command has one type. False: the command
 * has no records of that type.
 */
bool columns_complete(struct columns *columns, const char *command, const char *type) __attribute__((warn_unused_result));

/* Whether records are written by columns_write() instead of as the command's own text. */
static inline bool columns_are_made(const struct columns *columns)
{
	return columns->form != COLUMNS_TEXT || columns->count;
}

/* Writes the names of the columns as a line of CSV; `columns` is a struct columns. */
void columns_write_header(const void *columns, struct line *line);

/* Writes the record that `json` writes as one JSON object and "\n". The line's memory must begin before `line->next`. */
void columns_write(const struct columns *columns, void (*json)(const void *what, struct line *line), const void *what, struct line *line);

/* The same, as a function for printer_write(). */
struct columns_record {
	const struct columns *columns;
	void (*json)(const void *what, struct line *line);
	const void *what;
};

void columns_write_record(const void *columns_record, struct line *line);

#endif
