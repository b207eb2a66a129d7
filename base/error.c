/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include <rdmatap/error.h>

void rtap_error_set(struct rtap_error *error, const char *format, ...)
{
	va_list arguments;

	if (!error)
		return;
	error->broken_pipe = false;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof error->text, format, arguments);
	va_end(arguments);
}
