/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdarg.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/print_error.h"
#include "dissect/engine/line.h"

#define MESSAGE_MAX 8192 /* bytes; longer messages are truncated */

volatile sig_atomic_t interrupted, hurried, counts_wanted, incident_wanted, finishes_files, hurried_status = EXIT_DONE;

/*
 * File names and arguments can contain any bytes: terminal control characters and newlines are escaped as in names from captures.
 * Quotes and backslashes of the message itself are unchanged.
 */
static void print_safely(const uint8_t *text, size_t length)
{
	char escaped[8];
	struct line line;

	for (size_t i = 0; i < length;) {
		size_t here = line_utf8_length(text + i, length - i);

		if (!here && (text[i] == '"' || text[i] == '\\'))
			here = 1;
		if (!here) {
			line_init(&line, escaped, sizeof escaped);
			line_escaped(&line, text + i, 1);
			fwrite(escaped, 1, (size_t)(line.next - escaped), stderr);
			i++;
			continue;
		}
		fwrite(text + i, 1, here, stderr);
		i += here;
	}
}

void print_error(const char *format, ...)
{
	char message[MESSAGE_MAX];
	va_list arguments;

	fflush(stdout);
	fputs("rdmatap: ", stderr);
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	print_safely((const uint8_t *)message, strlen(message));
	fputc('\n', stderr);
}
