/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/line_name.h"

#define LEAST_COLUMNS 24 /* of a shortened name */
#define LEAST_COMPONENTS 10 /* bytes of whole components at the end of a path; if there are fewer, part of a component precedes them */
#define ELLIPSIS "..."
#define ELLIPSIS_COLUMNS 3
#define ESCAPE_MOST 4 /* "\x1b" */

void line_name(struct line *line, const uint8_t *bytes, size_t length)
{
	char *begin = line->next;

	line_escaped(line, bytes, length);
	line_name_add(line, begin);
}

void line_name_add(struct line *line, char *begin)
{
	if (line->name_count == sizeof line->names / sizeof line->names[0])
		return;
	line->names[line->name_count].begin = begin;
	line->names[line->name_count++].end = line->next;
}

/* Whether a byte is a continuation byte of UTF-8. */
static bool is_continued(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Columns of printable text: its UTF-8 characters. */
static size_t line_name_columns(const char *begin, const char *end)
{
	size_t columns = (size_t)(end - begin);
	const char *at = begin;
	uint64_t word, any = 0;

	/* mostly ASCII: eight bytes at once; the last word overlaps the one before it */
	if (columns >= sizeof word) {
		for (; end - at >= (ptrdiff_t)sizeof word; at += sizeof word) {
			memcpy(&word, at, sizeof word);
			any |= word;
		}
		memcpy(&word, end - sizeof word, sizeof word);
		if (!((any | word) & UINT64_C(0x8080808080808080)))
			return columns;
	}
	for (at = begin; at < end; at++)
		columns -= is_continued(*at);
	return columns;
}

size_t line_name_excess(const struct line *line, const char *begin)
{
	size_t columns = line->cut ? 0 : line_name_columns(begin, line->next);

	return columns > LINE_COLUMNS ? columns - LINE_COLUMNS : 0;
}

/* The end of the first `columns` columns, before an escape that reaches further. */
static char *head_of(char *begin, const char *end, size_t columns)
{
	char *at = begin;

	for (; at < end && (columns || is_continued(*at)); at++)
		columns -= !is_continued(*at);
	for (int back = 1; back < ESCAPE_MOST && at - back >= begin; back++)
		if (at[-back] == '\\')
			return at - back;
	return at;
}

/* The start of the last `columns` columns, after an escape that starts before them. */
static char *tail_of(const char *begin, char *end, size_t columns)
{
	char *at = end;

	while (at > begin && columns)
		columns -= !is_continued(*--at);
	for (int back = 1; back < ESCAPE_MOST && at - back >= begin; back++)
		if (at[-back] == '\\' && end - at >= ESCAPE_MOST - back)
			return at + ESCAPE_MOST - back;
	return at;
}

/* Removes up to `excess` of a name's `columns`; it keeps LEAST_COLUMNS or more. Returns the bytes removed. */
static size_t shorten(struct line *line, char *begin, char *end, size_t columns, size_t excess)
{
	size_t kept = columns - LEAST_COLUMNS < excess ? LEAST_COLUMNS : columns - excess;
	bool is_path = memchr(begin, '/', (size_t)(end - begin));
	char *head, *tail, *component;

	/* the end of a path identifies the file better than its start */
	kept -= ELLIPSIS_COLUMNS;
	head = is_path ? begin : head_of(begin, end, kept / 3);
	tail = tail_of(head, end, is_path ? kept : kept - kept / 3);
	component = is_path ? memchr(tail, '/', (size_t)(end - tail)) : NULL;
	if (component && end - component >= LEAST_COMPONENTS)
		tail = component;
	if (tail - head <= ELLIPSIS_COLUMNS)
		return 0;
	memcpy(head, ELLIPSIS, ELLIPSIS_COLUMNS);
	head += ELLIPSIS_COLUMNS;
	memmove(head, tail, (size_t)(line->next - tail));
	line->next -= tail - head;
	return (size_t)(tail - head);
}

size_t line_name_shorten(struct line *line, size_t excess)
{
	while (excess && line->name_count) {
		unsigned longest = line->name_count == 2 && line->names[1].end - line->names[1].begin > line->names[0].end - line->names[0].begin;
		/* the end of the line can have been taken back since */
		char *end = line->names[longest].end < line->next ? line->names[longest].end : line->next;
		char *name = line->names[longest].begin < end ? line->names[longest].begin : end;
		size_t columns = line_name_columns(name, end), taken;

		if (columns <= LEAST_COLUMNS)
			break;
		taken = shorten(line, name, end, columns, excess);
		columns -= line_name_columns(name, end - taken);
		excess -= columns < excess ? columns : excess;
		/* the other name remains; it moves if it follows this one */
		line->names[0] = line->names[!longest];
		if (line->name_count == 2 && !longest) {
			line->names[0].begin -= taken;
			line->names[0].end -= taken;
		}
		line->name_count--;
	}
	line->name_count = 0;
	return excess;
}
