/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CLI_DECODE_AS_H
#define CLI_DECODE_AS_H

#include "cli/cli.h"

/* Adds KEY=NUMBER,PROTOCOL (--decode-as). False: a syntax error, or too many; an error was printed. */
bool decode_as_add(struct options *options, const char *spec);

#endif
