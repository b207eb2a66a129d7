/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Status codes and errors.
 */
#ifndef RDMATAP_ERROR_H
#define RDMATAP_ERROR_H

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Result of a call. */
enum rtap_status {
	RTAP_STATUS_OK,     /* success */
	RTAP_STATUS_END,    /* nothing more to read */
	RTAP_STATUS_BROKEN, /* one input is truncated or inconsistent: see the error; further calls are possible */
	RTAP_STATUS_FAILED, /* unrecoverable: see the error */
};

/* What kind of error it is. X(identifier, name) */
#define RTAP_ERRORS(X) \
	X(NONE, "none") \
	X(MEMORY, "memory") /* out of memory */ \
	X(INVALID, "invalid") /* an argument, option, filter or frame that is not accepted */ \
	X(NOT_FOUND, "not_found") /* no such file, device or port, or several match */ \
	X(PERMISSION, "permission") \
	X(BUSY, "busy") /* in use by another program */ \
	X(FORMAT, "format") /* the input is not of the expected format, or is truncated or inconsistent */ \
	X(UNSUPPORTED, "unsupported") /* not possible with this device, file format, link type or build */ \
	X(CLOSED, "closed") /* the reader of a pipe, or the device, is gone: nothing more can be written, sent or received */ \
	X(DEVICE, "device") /* the device or its library failed */ \
	X(EVENT, "event") /* with BROKEN: an event of a live source, which continues */ \
	X(SYSTEM, "system") /* any other failure of the operating system, such as a full disk */

enum rtap_error_code {
#define RTAP_ERROR_ENUM(identifier, name) RTAP_ERROR_##identifier,
	RTAP_ERRORS(RTAP_ERROR_ENUM)
#undef RTAP_ERROR_ENUM
	RTAP_ERROR_COUNT
};

/* An error. Owned by the caller; valid after a call returned BROKEN or FAILED. */
struct rtap_error {
	enum rtap_error_code code;
	/* "FILE: frame 12: what happened (what to do)", without the program's name and without a newline */
	char text[1024];
	unsigned column; /* of the filter's text, from 1, at which it is wrong; 0: the error is not in a text */
};

/* Sets the code and a printf-style message, truncated if too long, and no column. A NULL error is ignored. */
void rtap_error_set(struct rtap_error *error, enum rtap_error_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Name of a code: "not_found"; "unknown" for an unassigned one. */
const char *rtap_error_name(enum rtap_error_code code);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
