/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/line_name.h"

/* Where a position in the line is after the bytes from `begin` to `end` were taken out. */
static char *moved(char *at, char *begin, const char *end)
{
	return at >= end ? at - (end - begin) : at > begin ? begin : at;
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

/* Leaves one space between columns, until `excess` are gone: after the addresses, up to the summary of an upper layer, notes or a comment. */
static void squeeze(struct line *line, const char *begin, size_t excess)
{
	char *from = line->after_ends, *to, *space, *end;

	while (from > begin && from[-1] == ' ')
		from--;
	to = from;
	for (; excess && (space = memchr(from, ' ', (size_t)(line->next - from))); from = end) {
		end = space + 1;
		if (end == line->next || *end == '[' || *end == '#' || (space > from && space[-1] == ':'))
			break;
		memmove(to, from, (size_t)(end - from));
		to += end - from;
		for (; end < line->next && *end == ' '; end++)
			excess -= excess > 0;
	}
	memmove(to, from, (size_t)(line->next - from));
	line->next -= from - to;
}

void line_fit_long(struct line *line, const char *begin)
{
	size_t excess = line_name_excess(line, begin);

	/* what can be left out is ASCII: bytes are columns */
	for (uint8_t kind = LINE_SPARE_LOWER; kind <= LINE_SPARE_MEMORY && excess; kind++)
		for (uint8_t i = 0; i < line->spare_count && excess; i++)
			if (line->spares[i].kind == kind) {
				size_t spare = (size_t)(line->spares[i].end - line->spares[i].begin);

				excess -= spare < excess ? spare : excess;
				take_out(line, line->spares[i].begin, line->spares[i].end);
			}
	if (excess && line->name_count)
		excess = line_name_shorten(line, excess);
	if (excess && line->after_ends)
		squeeze(line, begin, excess);
}
