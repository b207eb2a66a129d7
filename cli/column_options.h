/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -T and -e of the commands that print records.
 */
#ifndef CLI_COLUMN_OPTIONS_H
#define CLI_COLUMN_OPTIONS_H

#include "cli/cli.h"
#include "output/message/columns.h"

/* Takes -T or -e with its argument, which is borrowed. False: refused, with a message. */
bool column_option_take(struct columns *columns, int letter, const char *argument);

/* Whether `command` has all columns given with -e; if not, a message is printed. */
bool column_options_check(const struct columns *columns, const char *command);

/* Name of a command that lists records; "" for others. */
const char *column_options_command(enum command command);

/* Checks the columns of the command, and adds those of CSV without -e. False: refused, with a message. */
bool column_options_complete(struct options *options);

#endif
