/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

void rtap_error_set(struct rtap_error *error, enum rtap_error_code code, const char *format, ...)
{
	va_list arguments;

	if (!error)
		return;
	error->code = code;
	error->column = 0;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof error->text, format, arguments);
	va_end(arguments);
}

const char *rtap_error_name(enum rtap_error_code code)
{
	static const char *const names[] = {
#define ERROR_NAME(identifier, name) [RTAP_ERROR_##identifier] = name,
		RTAP_ERRORS(ERROR_NAME)
#undef ERROR_NAME
	};

	return (unsigned)code < RTAP_ERROR_COUNT ? names[code] : "unknown";
}

enum rtap_error_code error_code_of(int number)
{
	switch (number) {
	case 0:
		return RTAP_ERROR_DEVICE;
	case ENOMEM:
		return RTAP_ERROR_MEMORY;
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case ENOTDIR:
		return RTAP_ERROR_NOT_FOUND;
	case EACCES:
	case EPERM:
		return RTAP_ERROR_PERMISSION;
	case EAGAIN:
	case EBUSY:
		return RTAP_ERROR_BUSY;
	case EPIPE:
		return RTAP_ERROR_CLOSED;
	case EOPNOTSUPP:
	case ENOSYS:
		return RTAP_ERROR_UNSUPPORTED;
	default:
		return RTAP_ERROR_SYSTEM;
	}
}
