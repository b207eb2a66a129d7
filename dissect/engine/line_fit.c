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
	/* padding at the end of the line is gone */
	if (end > line->next)
		end = line->next;
	if (begin >= end)
		return;
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

/* Where the padding after the addresses begins. */
static char *end_of_ends(const struct line *line, const char *begin)
{
	char *at = line->after_ends;

	while (at > begin && at[-1] == ' ')
		at--;
	return at;
}

/* Whether the columns end at this space, before the summary of an upper layer, notes or a comment. */
static bool is_end_of_columns(const struct line *line, const char *space)
{
	return space + 1 == line->next || space[1] == '[' || space[1] == '#' || space[-1] == ':';
}

/* Whether squeeze() can take out so many spaces. */
static bool has_padding(const struct line *line, const char *begin, size_t wanted)
{
	const char *at = line->after_ends ? end_of_ends(line, begin) : line->next;

	/* runs of spaces are short: byte by byte is faster than a search */
	for (; at < line->next; at++)
		if (*at == ' ') {
			if (is_end_of_columns(line, at))
				break;
			if (at[1] == ' ' && !--wanted)
				return true;
		}
	return false;
}

/* Leaves one space between columns, until `excess` are gone. */
static void squeeze(struct line *line, const char *begin, size_t excess)
{
	char *from = end_of_ends(line, begin), *to = from, *space, *end;

	for (; excess && (space = memchr(from, ' ', (size_t)(line->next - from))); from = end) {
		end = space + 1;
		if (is_end_of_columns(line, space))
			break;
		memmove(to, from, (size_t)(end - from));
		to += end - from;
		for (; end < line->next && *end == ' '; end++)
			excess -= excess > 0;
	}
	memmove(to, from, (size_t)(line->next - from));
	line->next -= from - to;
}

/*
 * Takes out what can be left out of a kind, until `excess` columns are gone, or no more than the padding of the line, which begins at
 * `begin`, has (NULL: padding remains); returns how many are left. Such text is ASCII: bytes are columns.
 */
static size_t leave_out(struct line *line, enum line_spare kind, size_t excess, const char *begin)
{
	for (uint8_t i = 0; i < line->spare_count && excess; i++) {
		size_t spare = (size_t)(line->spares[i].end - line->spares[i].begin);

		if (line->spares[i].kind != kind)
			continue;
		if (begin && has_padding(line, begin, excess))
			break;
		take_out(line, line->spares[i].begin, line->spares[i].end);
		excess -= spare < excess ? spare : excess;
	}
	return excess;
}

void line_fit_long(struct line *line, const char *begin)
{
	size_t excess = line_name_excess(line, begin);

	for (unsigned kind = LINE_SPARE_LOWER; kind <= LINE_SPARE_MEMORY && excess; kind++)
		excess = leave_out(line, (enum line_spare)kind, excess, NULL);
	excess = leave_out(line, LINE_SPARE_DETAIL, excess, begin);
	if (excess && line->name_count)
		excess = line_name_shorten(line, excess);
	excess = leave_out(line, LINE_SPARE_PACKET, excess, begin);
	if (excess && line->after_ends)
		squeeze(line, begin, excess);
}
