/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/line_name.h"

/* Where a position in the line is after the bytes from `begin` to `end` were taken out. */
static char *moved(char *at, const char *begin, const char *end)
{
	return at >= end ? at - (end - begin) : at;
}

static void take_out(struct line *line, char *begin, char *end)
{
	memmove(begin, end, (size_t)(line->next - end));
	line->next -= end - begin;
	if (line->after_ends)
		line->after_ends = moved(line->after_ends, begin, end);
	for (uint8_t i = 0; i < line->name_count; i++) {
		line->names[i].begin = moved(line->names[i].begin, begin, end);
		line->names[i].end = moved(line->names[i].end, begin, end);
	}
	for (uint8_t i = 0; i < line->spare_count; i++) {
		line->spares[i].begin = moved(line->spares[i].begin, begin, end);
		line->spares[i].end = moved(line->spares[i].end, begin, end);
	}
}

/* Whether there is more text than columns. */
static bool is_long(const struct line *line, const char *begin)
{
	return line_name_columns(begin, line->next) > LINE_COLUMNS;
}

/* Whether the columns end here, before the summary of an upper layer, notes or a comment. */
static bool is_end_of_columns(const char *at)
{
	return (at[0] == ':' && at[1] == ' ') || (at[0] == ' ' && (at[1] == '[' || at[1] == '#'));
}

/* Leaves one space between columns: after the addresses, then the others. */
static void squeeze(struct line *line, const char *begin)
{
	char *at = line->after_ends, *end;

	while (at > begin && at[-1] == ' ')
		at--;
	for (; at < line->next - 1 && !is_end_of_columns(at) && is_long(line, begin); at++) {
		for (end = at; end < line->next && *end == ' ';)
			end++;
		if (end - at > 1)
			take_out(line, at + 1, end);
	}
}

void line_fit_long(struct line *line, const char *begin)
{
	if (line->cut)
		return;
	for (uint8_t kind = LINE_SPARE_LOWER; kind <= LINE_SPARE_MEMORY; kind++)
		for (uint8_t i = 0; i < line->spare_count && is_long(line, begin); i++)
			if (line->spares[i].kind == kind)
				take_out(line, line->spares[i].begin, line->spares[i].end);
	line_name_shorten(line, begin);
	if (line->after_ends)
		squeeze(line, begin);
}
