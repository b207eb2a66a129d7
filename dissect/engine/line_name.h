/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names from the capture (of files, targets) whose middle is left out where a line of text would be too long for a screen.
 */
#ifndef DISSECT_ENGINE_LINE_NAME_H
#define DISSECT_ENGINE_LINE_NAME_H

#include "dissect/engine/line.h"

/* Appends untrusted text as line_escaped() does, and remembers the first two as what line_name_shorten() shortens. */
void line_name(struct line *line, const uint8_t *bytes, size_t length);

/* The text from `begin` to the end of the line, which is already printable, is such a name, or a path. */
void line_name_add(struct line *line, char *begin);

/* Columns of printable text: characters of UTF-8. */
size_t line_name_columns(const char *begin, const char *end);

/* Columns of the text from `begin`, which is in the line, above LINE_COLUMNS. A line that is cut has none. */
size_t line_name_excess(const struct line *line, const char *begin);

/*
 * Takes at least `excess` columns out of the line, as far as that is possible: replaces the middle of its names by "...", of paths the begin:
 * the longest first, and none below 24 columns, except that components of a path remain whole if possible. Forgets the names. Returns the
 * columns that are still in excess.
 */
size_t line_name_shorten(struct line *line, size_t excess);

#endif
