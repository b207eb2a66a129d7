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
	if (line->columns_end)
		line->columns_end = moved(line->columns_end, begin, end);
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
	if (line->columns_end)
		return space >= line->columns_end;
	return space + 1 == line->next || space[1] == '[' || space[1] == '#' || space[-1] == ':';
}

/* Whether squeeze() can take out so many spaces. */
static bool has_padding(const struct line *line, const char *begin, size_t wanted)
{
	const char *at = line->after_ends ? end_of_ends(line, begin) : line->next;

	/* runs of spaces are short: byte by byte is faster than a search */
	for (; at < line->next; at++)
		if (*at == ' ') {
			if (at[1] != ' ' && is_end_of_columns(line, at))
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

#define ELLIPSIS "..."

/* Takes out one part; returns its columns. */
static size_t leave_out_part(struct line *line, uint8_t part)
{
	char *begin = line->spares[part].begin, *end = line->spares[part].end;
	const char *before = line->next;

	switch ((enum line_spare)line->spares[part].kind) {
	case LINE_SPARE_OPERATION:
		if (line->next - end < 2 || end[0] != ':' || end[1] != ' ')
			return 0;
		end += 2;
		break;
	case LINE_SPARE_MORE:
		if (end - begin <= (ptrdiff_t)strlen(ELLIPSIS))
			return 0;
		begin = line_put(begin, ELLIPSIS);
		break;
	default:
		break;
	}
	take_out(line, begin, end);
	return (size_t)(before - line->next);
}

/* What line_fit_long() knows of a line. */
struct fit {
	struct line *line;
	char *begin;
	size_t excess;  /* columns */
	bool has_padding; /* as many as the excess, or more */
};

/*
 * Takes out the parts of a kind until the excess is gone or, unless `despite_padding`, the padding of the line is enough. Such text is ASCII:
 * bytes are columns.
 */
static void leave_out(struct fit *fit, enum line_spare kind, bool despite_padding)
{
	for (uint8_t i = 0; i < fit->line->spare_count && fit->excess; i++) {
		size_t columns;

		if (fit->line->spares[i].kind != kind)
			continue;
		if (!despite_padding && !fit->has_padding)
			fit->has_padding = has_padding(fit->line, fit->begin, fit->excess);
		if (fit->has_padding)
			return;
		columns = leave_out_part(fit->line, i);
		fit->excess -= columns < fit->excess ? columns : fit->excess;
	}
}

/* Of a line of hostile packets that is still much too long, with hundreds of tags or tunnels, the middle. */
static void cut_middle(struct line *line, char *begin)
{
	char *head = begin + LINE_COLUMNS / 2, *tail = line->next - LINE_COLUMNS / 3;

	/* between words, so that no number is cut */
	while (head > begin && *head != ' ')
		head--;
	while (tail < line->next && *tail != ' ')
		tail++;
	if (head > begin && tail < line->next)
		take_out(line, line_put(head + 1, ELLIPSIS), tail);
}

/* The kinds of the parts that can be left out, as bits. */
static unsigned kinds_of(const struct line *line)
{
	unsigned kinds = 0;

	for (uint8_t i = 0; i < line->spare_count; i++)
		kinds |= 1u << line->spares[i].kind;
	return kinds;
}

void line_fit_long(struct line *line, char *begin)
{
	struct fit fit = { line, begin, line_name_excess(line, begin), false };
	unsigned kinds = kinds_of(line);

	for (unsigned kind = 0; fit.excess && kinds >> kind; kind++) {
		if (kind == LINE_SPARE_PACKET && line->name_count)
			fit.excess = line_name_shorten(line, fit.excess);
		if (kinds >> kind & 1)
			leave_out(&fit, (enum line_spare)kind, kind < LINE_SPARE_DETAIL);
	}
	if (fit.excess && line->name_count)
		fit.excess = line_name_shorten(line, fit.excess);
	if (fit.excess && line->after_ends)
		squeeze(line, begin, fit.excess);
	if (line->next - begin > 2 * LINE_COLUMNS)
		cut_middle(line, begin);
}
