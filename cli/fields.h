/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command fields.
 */
#ifndef CLI_FIELDS_H
#define CLI_FIELDS_H

#include "cli/cli.h"

/* Options for getopt_long(): the letters, and the long ones in *options. */
const char *fields_letters(const struct option **options);

/* rdmatap fields [PREFIX] */
int command_fields(int argc, char **argv);

#endif
