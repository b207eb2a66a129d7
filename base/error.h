/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Error codes from errno.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <rdmatap/error.h>

/* The code for an errno; 0 (a library that failed without one): RTAP_ERROR_DEVICE. */
enum rtap_error_code error_code_of(int number);

#endif
