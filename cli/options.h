/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parsing of the options of the stream view and of the commands that share them.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/cli.h"

/* Fills `options` from the command line. False: failed; an error was printed. Call options_fini() in both cases. */
bool options_parse(struct options *options, enum command command, int argc, char **argv);
void options_fini(struct options *options);

/* Adds a value to `keep`, as --keep does. `name` is borrowed. False: an error was printed. */
bool options_keep(struct options *options, const char *name);

/* The options of a command in getopt_long()'s form. Returns the short ones; *long_options is static. */
const char *options_letters(enum command command, const struct option **long_options);

/* What the command lists; LISTED_NONE: not records of one kind. */
enum listed_kind options_lists(enum command command);

#endif
