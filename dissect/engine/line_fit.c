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

/* Columns above those of a line. */
static long excess_of(const struct line *line, const char *begin)
{
	return (long)line_name_columns(begin, line->next) - LINE_COLUMNS;
}

/* Whether the columns end here, before the summary of an upper layer, notes or a comment. */
static bool is_end_of_columns(const char *at)
{
	return (at[0] == ':' && at[1] == ' ') || (at[0] == ' ' && (at[1] == '[' || at[1] == '#'));
}

/* Leaves one space between columns, until `excess` are gone: after the addresses, then the others. */
static void squeeze(struct line *line, const char *begin, long excess)
{
	char *at = line->after_ends, *end;

	while (at > begin && at[-1] == ' ')
		at--;
	for (; at < line->next - 1 && !is_end_of_columns(at) && excess > 0; at++) {
		for (end = at; end < line->next && *end == ' ';)
			end++;
		if (end - at > 1) {
			excess -= end - at - 1;
			take_out(line, at + 1, end);
		}
	}
}

void line_fit_long(struct line *line, const char *begin)
{
	long excess = line->cut ? 0 : excess_of(line, begin);

	/* what can be left out is ASCII: bytes are columns */
	for (uint8_t kind = LINE_SPARE_LOWER; kind <= LINE_SPARE_MEMORY && excess > 0; kind++)
		for (uint8_t i = 0; i < line->spare_count && excess > 0; i++)
			if (line->spares[i].kind == kind) {
				excess -= line->spares[i].end - line->spares[i].begin;
				take_out(line, line->spares[i].begin, line->spares[i].end);
			}
	if (excess > 0 && line->name_count) {
		line_name_shorten(line, begin);
		excess = excess_of(line, begin);
	}
	if (excess > 0 && line->after_ends)
		squeeze(line, begin, excess);
}
