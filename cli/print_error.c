/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdarg.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/print_error.h"
#include "dissect/engine/line.h"

#define MESSAGE_MAX 8192 /* bytes; longer messages are truncated */

atomic_bool counts_wanted;
volatile sig_atomic_t interrupted, aborted, incident_wanted, finishes_files, aborted_status = EXIT_DONE;

/*
 * File names and arguments can contain any bytes: terminal control characters and newlines are escaped as in names from captures.
 * Quotes and backslashes of the message itself are unchanged.
 */
static void add_safely(struct line *line, const uint8_t *text, size_t length)
{
	for (size_t i = 0; i < length;) {
		size_t here = line_utf8_length(text + i, length - i);

		if (!here && (text[i] == '"' || text[i] == '\\'))
			here = 1;
		if (here)
			line_bytes(line, (const char *)text + i, here);
		else
			line_escaped(line, text + i, 1);
		i += here ? here : 1;
	}
}

void print_error(const char *format, ...)
{
	char message[MESSAGE_MAX], escaped[MESSAGE_MAX * 4 + 16];
	struct line line;
	va_list arguments;

	fflush(stdout);
	line_init(&line, escaped, sizeof escaped);
	line_text(&line, "rdmatap: ");
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	add_safely(&line, (const uint8_t *)message, strlen(message));
	line_char(&line, '\n');
	/* stderr has no buffer: in one piece, so that lines of several processes do not mix */
	fwrite(escaped, 1, (size_t)(line.next - escaped), stderr);
}
