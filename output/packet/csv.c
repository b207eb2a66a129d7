/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/packet/csv.h"

void csv_cell(struct line *line, const char *text, size_t length, char separator, bool is_escaped)
{
	bool is_quoted = memchr(text, separator, length) || memchr(text, '"', length);

	if (is_quoted)
		line_char(line, '"');
	for (const char *next = text, *end = text + length; next < end; next++) {
		if (is_escaped && *next == '\\' && next + 1 < end && (next[1] == '"' || next[1] == '\\'))
			next++;
		if (*next == '"')
			line_char(line, '"');
		line_char(line, *next);
	}
	if (is_quoted)
		line_char(line, '"');
}
