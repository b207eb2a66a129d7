/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of the stream view, and those that other commands share with it.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/cli.h"

/* Fills options from the command line. False: an error is printed. fini in both cases. */
bool options_parse(struct options *options, enum command command, int argc, char **argv);
void options_fini(struct options *options);

/* What a command line may hold, as getopt_long() takes it: returns the letters. */
const char *options_letters(enum command command, const struct option **long_options);

#endif
