/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -T and -e of the commands that print records.
 */
#ifndef CLI_COLUMN_OPTIONS_H
#define CLI_COLUMN_OPTIONS_H

#include "cli/cli.h"
#include "output/message/columns.h"

/* Processes -T or -e; the argument is borrowed. False: an error was printed. */
bool column_option_take(struct columns *columns, int letter, const char *argument);

/* Checks that `command` has all columns given with -e. False: an error was printed. */
bool column_options_check(const struct columns *columns, const char *command);

/* Name of a command that lists records; "" for others. */
const char *column_options_command(enum command command);

/* Checks the columns of the command, and adds the default columns of CSV if -e is missing. False: an error was printed. */
bool column_options_complete(struct options *options);

#endif
