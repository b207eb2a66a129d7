/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How calls end, and what is told of it.
 */
#ifndef RDMATAP_ERROR_H
#define RDMATAP_ERROR_H

#include <stdbool.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended. */
enum rtap_status {
	RTAP_STATUS_OK,     /* done */
	RTAP_STATUS_END,    /* nothing is left to read */
	RTAP_STATUS_BROKEN, /* one input ended early or contradicts itself: see the error, then go on calling */
	RTAP_STATUS_FAILED, /* nothing more can be done: see the error */
};

/*
 * What went wrong, as text for a person: "FILE: frame 12: what happened (what to do)" without the
 * program's name and without a newline. Owned by the caller; valid once a call returned BROKEN or FAILED.
 */
struct rtap_error {
	char text[1024];
	bool broken_pipe; /* writing failed because nobody reads any more (EPIPE): a quiet end for most programs */
};

/* Writes a printf-style message into *error and clears the rest; too long a message is cut. A NULL error is ignored. */
void rtap_error_set(struct rtap_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
