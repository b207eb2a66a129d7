/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdarg.h>

#include "cli/cli.h"

volatile sig_atomic_t interrupted, hurried, finishes_files, hurried_status = EXIT_DONE;

void complain(const char *format, ...)
{
	va_list arguments;

	fflush(stdout);
	fputs("rdmatap: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}
