/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/filter/filter_suggest.h"
#include "output/message/columns.h"
#include "output/message/column_keys.h"
#include "output/message/record_walk.h"
#include "output/packet/csv.h"

struct span {
	const char *begin; /* NULL: the record does not have it */
	size_t length;
};

/* The cells of a record. */
struct cells {
	struct record_walk walk; /* first */
	const struct columns *columns;
	size_t expected; /* column to compare first: records have their keys in the order of the columns, mostly */
	bool found;      /* one of them */
	struct span values[MAX_COLUMNS];
};

static void keep(struct record_walk *walk, const char *name, const char *begin, size_t length)
{
	struct cells *cells = (struct cells *)walk;
	const struct columns *columns = cells->columns;

	for (size_t i = 0; i < columns->count; i++) {
		size_t column = (cells->expected + i) % columns->count;

		if (strcmp(columns->names[column], name))
			continue;
		cells->values[column] = (struct span){ begin, length };
		cells->expected = column + 1;
		cells->found = true;
	}
}

/* A string without its quotes and without the backslashes before quotes and backslashes; other escapes (\n, \u001b) remain. */
static void write_string(const char *text, size_t length, struct line *line)
{
	for (const char *next = text, *end = text + length; next < end; next++) {
		if (*next == '\\' && (next[1] == '"' || next[1] == '\\'))
			next++;
		line_char(line, *next);
	}
}

static void write_value(enum columns_form form, const struct span *span, struct line *line)
{
	bool is_string = *span->begin == '"';

	if (form == COLUMNS_CSV)
		csv_cell(line, span->begin + is_string, span->length - 2 * is_string, ',', is_string);
	else if (form == COLUMNS_TEXT && is_string)
		write_string(span->begin + 1, span->length - 2, line);
	else
		line_bytes(line, span->begin, span->length);
}

static void write_columns(const struct cells *cells, struct line *line)
{
	const struct columns *columns = cells->columns;
	const char *before = columns->form == COLUMNS_JSON ? "{" : "", *between = columns->form == COLUMNS_TEXT ? "\t" : ",";

	for (size_t i = 0; i < columns->count; i++) {
		const struct span *span = &cells->values[i];

		if (columns->form == COLUMNS_JSON && !span->begin)
			continue;
		line_text(line, before);
		if (columns->form == COLUMNS_JSON) {
			line_char(line, '"');
			line_text(line, columns->names[i]);
			line_bytes(line, "\":", 2);
		}
		if (span->begin)
			write_value(columns->form, span, line);
		before = between;
	}
	if (columns->form == COLUMNS_JSON)
		line_text(line, *before == '{' ? "{}" : "}");
	line_char(line, '\n');
}

void columns_write_header(const void *what, struct line *line)
{
	const struct columns *columns = what;

	for (size_t i = 0; i < columns->count; i++) {
		if (i)
			line_char(line, ',');
		line_text(line, columns->names[i]);
	}
	line_char(line, '\n');
}

void columns_write(const struct columns *columns, void (*json)(const void *what, struct line *line), const void *what, struct line *line)
{
	char *begin = line->next, *end;
	struct cells cells;

	json(what, line);
	if (!columns->count || line->cut)
		return;
	end = line->next;
	cells.walk.value = keep;
	cells.columns = columns;
	cells.expected = 0;
	memset(cells.values, 0, columns->count * sizeof cells.values[0]);
	cells.found = false;
	record_walk(&cells.walk, begin);
	if (cells.found || !columns->skips_empty)
		write_columns(&cells, line);
	memmove(begin, end, (size_t)(line->next - end));
	line->next = begin + (line->next - end);
}

void columns_write_record(const void *columns_record, struct line *line)
{
	const struct columns_record *record = columns_record;

	columns_write(record->columns, record->json, record->what, line);
}

static bool is_key(const char *command, const char *name)
{
	for (const struct column_keys *kind = column_tables; kind->command; kind++)
		for (const struct column_key *key = kind->keys; !strcmp(kind->command, command) && key->name; key++)
			if (record_is_named(key->name, name))
				return !strstr(name, "[]");
	return false;
}

static const char *any_key(size_t index)
{
	for (const struct column_keys *kind = column_tables; kind->command; kind++)
		for (const struct column_key *key = kind->keys; key->name; key++)
			if (!index--)
				return key->name;
	return NULL;
}

enum rtap_status columns_add(struct columns *columns, const char *name, struct rtap_error *error)
{
	if (columns->count == MAX_COLUMNS || strlen(name) > RECORD_NAME_MOST) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "-e %.128s: more than %d columns, or the name is too long", name, MAX_COLUMNS);
		return RTAP_STATUS_FAILED;
	}
	columns->names[columns->count++] = name;
	return RTAP_STATUS_OK;
}

enum rtap_status columns_check(const char *command, const char *name, struct rtap_error *error)
{
	const char *meant;

	if (is_key(command, name))
		return RTAP_STATUS_OK;
	meant = filter_suggest_in(name, any_key);
	if (meant && is_key(command, meant))
		rtap_error_set(error, RTAP_ERROR_INVALID, "-e %s: %s has no such column (did you mean %s?)", name, command, meant);
	else
		rtap_error_set(error, RTAP_ERROR_INVALID, "-e %s: %s has no such column (-T csv prints all of them)", name, command);
	return RTAP_STATUS_FAILED;
}

bool columns_complete(struct columns *columns, const char *command, const char *type)
{
	for (const struct column_keys *kind = column_tables; kind->command; kind++) {
		if (strcmp(kind->command, command) || (type ? !kind->type || strcmp(kind->type, type) : kind->type != NULL))
			continue;
		if (columns->form != COLUMNS_CSV || columns->count)
			return true;
		for (const struct column_key *key = kind->keys; key->name; key++)
			if (key->is_column && columns_add(columns, key->name, NULL))
				return false;
		return true;
	}
	return false;
}
