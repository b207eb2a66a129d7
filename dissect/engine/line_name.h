/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names from the capture (of files, targets) whose middle is left out where a line of text would be too long for a screen.
 */
#ifndef DISSECT_ENGINE_LINE_NAME_H
#define DISSECT_ENGINE_LINE_NAME_H

#include "dissect/engine/line.h"

/* Appends an untrusted name as line_escaped() does, and records it for line_name_shorten(): the first two of a line. */
void line_name(struct line *line, const uint8_t *bytes, size_t length);

/* Records the text from `begin` to the end of the line, which is already printable, as such a name or path. */
void line_name_add(struct line *line, char *begin);

/* Columns of the text from `begin`, which is in the line, above LINE_COLUMNS. A line that is cut has none. */
size_t line_name_excess(const struct line *line, const char *begin);

/*
 * Removes at least `excess` columns of the line, as far as possible: replaces the middle of its names, and the start of its paths, by
 * "...": the longest first, and none below 24 columns, except that components of a path remain whole if possible. Clears the recorded
 * names. Returns the columns that are still in excess.
 */
size_t line_name_shorten(struct line *line, size_t excess);

#endif
