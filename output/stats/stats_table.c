/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dissect/engine/line_name.h"
#include "output/packet/units.h"
#include "output/stats/stats_table.h"

#define INDENT 2
#define BETWEEN 2

void stats_table_init(struct stats_table *table, const char *title, const struct stats_table_column *columns)
{
	*table = (struct stats_table){ .title = title, .columns = columns };
	while (columns[table->column_count].title)
		table->column_count++;
}

void stats_table_fini(struct stats_table *table)
{
	free(table->text);
	free(table->ends);
}

static bool make_room(struct stats_table *table)
{
	char *text = array_grow(table->text, &table->room, table->length + sizeof table->cell, 1);
	uint32_t *ends = array_grow(table->ends, &table->cell_room, table->cells + 1, sizeof *ends);

	if (text)
		table->text = text;
	if (ends)
		table->ends = ends;
	return text && ends && table->length < UINT32_MAX - sizeof table->cell;
}

struct line *stats_table_begin(struct stats_table *table)
{
	line_init(&table->line, table->cell, sizeof table->cell);
	return &table->line;
}

void stats_table_end(struct stats_table *table)
{
	size_t length = (size_t)(table->line.next - table->cell);

	table->failed = table->failed || !make_room(table);
	if (table->failed)
		return;
	memcpy(table->text + table->length, table->cell, length);
	table->length += length;
	table->ends[table->cells++] = (uint32_t)table->length;
}

void stats_table_number(struct stats_table *table, uint64_t number)
{
	struct line *line = stats_table_begin(table);

	if (number)
		line_dec(line, number);
	stats_table_end(table);
}

void stats_table_bytes(struct stats_table *table, uint64_t bytes)
{
	struct line *line = stats_table_begin(table);

	if (bytes)
		units_bytes(bytes, line);
	stats_table_end(table);
}

void stats_table_time(struct stats_table *table, int64_t time_ns)
{
	struct line *line = stats_table_begin(table);

	if (time_ns > 0)
		units_time(time_ns, line);
	stats_table_end(table);
}

void stats_table_rate(struct stats_table *table, uint64_t bytes_per_second)
{
	struct line *line = stats_table_begin(table);

	if (bytes_per_second)
		units_bit_rate(bytes_per_second, line);
	stats_table_end(table);
}

void stats_table_text(struct stats_table *table, const char *text)
{
	struct line *line = stats_table_begin(table);

	if (text)
		line_text(line, text);
	stats_table_end(table);
}

static const char *cell_of(const struct stats_table *table, size_t row, unsigned column, size_t *length)
{
	size_t cell = row * table->column_count + column;
	size_t begin = cell ? table->ends[cell - 1] : 0;

	*length = table->ends[cell] - begin;
	return table->text + begin;
}

static size_t width_of(const struct stats_table *table)
{
	size_t width = INDENT;

	for (unsigned i = 0; i < table->column_count; i++)
		width += table->widths[i] ? table->widths[i] + BETWEEN : 0;
	return width - BETWEEN;
}

size_t stats_table_finish(struct stats_table *table)
{
	size_t rows = table->failed ? 0 : table->cells / table->column_count, length;

	for (unsigned i = 0; i < table->column_count; i++) {
		table->widths[i] = 0;
		for (size_t row = 0; row < rows; row++) {
			cell_of(table, row, i, &length);
			if (length > table->widths[i])
				table->widths[i] = length;
		}
		length = strlen(table->columns[i].title);
		if (table->widths[i] && length > table->widths[i])
			table->widths[i] = length;
	}
	for (unsigned i = table->column_count; i-- && width_of(table) > STATS_TABLE_WIDTH;)
		if (table->columns[i].is_dispensable)
			table->widths[i] = 0;
	return rows;
}

static void spaces(size_t count, struct line *line)
{
	while (count--)
		line_char(line, ' ');
}

/* The line begins at `begin`, and the name, which ends it, at `name`. */
static void fit_name(struct line *line, char *name, const char *begin)
{
	if (line->cut)
		return;
	line_name_add(line, name);
	line_name_shorten(line, line_name_excess(line, begin));
}

static void write_cells(const struct stats_table *table, size_t row, bool is_heading, struct line *line)
{
	size_t pending = INDENT; /* spaces before the next cell */
	char *begin = line->next;

	for (unsigned i = 0; i < table->column_count; i++) {
		size_t length = strlen(table->columns[i].title);
		const char *text = is_heading ? table->columns[i].title : cell_of(table, row, i, &length);

		if (!table->widths[i])
			continue;
		if (!table->columns[i].is_text)
			pending += table->widths[i] - length;
		if (length) {
			spaces(pending, line);
			line_bytes(line, text, length);
			pending = 0;
			if (table->shortens_last && i + 1 == table->column_count)
				fit_name(line, line->next - length, begin);
		}
		if (table->columns[i].is_text)
			pending += table->widths[i] - length;
		pending += BETWEEN;
	}
	line_char(line, '\n');
}

void stats_table_write(const void *what, struct line *line)
{
	const struct stats_table_row *row = what;
	const struct stats_table *table = row->table;

	if (row->row >= 2) {
		write_cells(table, row->row - 2, false, line);
	} else if (row->row) {
		write_cells(table, 0, true, line);
	} else if (table->title) {
		line_char(line, '\n');
		line_text(line, table->title);
		line_char(line, '\n');
	}
}

/* Whether a number and its unit are on either side of the space: they stay on one line. */
static bool is_before_unit(const char *space, const char *end)
{
	static const char *const units[] = { "ns", "us", "ms", "s", "B", "KB", "MB", "GB", "%" };

	if (space[-1] < '0' || space[-1] > '9')
		return false;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		size_t length = strlen(units[i]);

		if ((size_t)(end - space) > length && !memcmp(space + 1, units[i], length) &&
		    (space + 1 + length == end || !isalnum((unsigned char)space[1 + length])))
			return true;
	}
	return false;
}

void stats_table_wrap(char *begin, size_t indent, struct line *line)
{
	char *start = begin, *space = NULL;

	for (char *c = begin; c < line->next; c++) {
		if (*c == '\n') {
			start = c + 1;
			space = NULL;
		}
		if (*c == ' ' && c - start > (ptrdiff_t)indent && !is_before_unit(c, line->next))
			space = c;
		if (!space || c - start < STATS_TABLE_WIDTH)
			continue;
		if ((size_t)(line->end - line->next) < indent) {
			line->cut = true;
			return;
		}
		memmove(space + 1 + indent, space + 1, (size_t)(line->next - space - 1));
		memset(space, ' ', 1 + indent);
		*space = '\n';
		line->next += indent;
		c = start = space + 1;
		space = NULL;
	}
}
