/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Status codes and error messages.
 */
#ifndef RDMATAP_ERROR_H
#define RDMATAP_ERROR_H

#include <stdbool.h>

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

/*
 * An error as readable text: "FILE: frame 12: what happened (what to do)", without the program's name and without a newline.
 * Owned by the caller; valid after a call returned BROKEN or FAILED.
 */
struct rtap_error {
	char text[1024];
	bool broken_pipe; /* writing failed because the reader closed the pipe (EPIPE): most programs exit silently */
};

/* Writes a printf-style message to *error, truncated if too long, and clears the rest. A NULL error is ignored. */
void rtap_error_set(struct rtap_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
