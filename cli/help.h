/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text of --help.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/cli.h"

extern const char options_help_text[];

/* Prints the complete help. */
void options_help(FILE *file);

#endif
