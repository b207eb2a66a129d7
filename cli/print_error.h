/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors of the program.
 */
#ifndef CLI_PRINT_ERROR_H
#define CLI_PRINT_ERROR_H

#include "cli/cli.h"

/* Prints "rdmatap: " and the message on standard error. */
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
