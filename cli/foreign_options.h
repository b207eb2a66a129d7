/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options of tcpdump and tshark that the stream view does not have: they mean the same as one that it has, or the message names the
 * option or command that does the work.
 */
#ifndef CLI_FOREIGN_OPTIONS_H
#define CLI_FOREIGN_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "cli/cli.h"

/* The letters of these options, for getopt(). */
#define FOREIGN_LETTERS "2APUXO:R:d:"

/* Processes one of these options, except -d. False: another option, or not supported (an error was printed). */
bool foreign_take(struct options *options, int letter);

/* Uses the arguments after the options as a capture filter. False: an error was printed. */
bool foreign_take_expression(struct options *options, int count, char **words);

/* Converts the argument of -d to that of --decode-as. False: an error was printed. */
bool foreign_decode_as(const char *argument, char *spec, size_t size);

/* The time form that tcpdump's -tt, -ttt ... select, or the text itself. `argument`: what follows the first t. */
const char *foreign_time_form(const char *argument);

/* Reports an option of tcpdump or tshark ("-B", "--count") that rdmatap lacks, and what it has instead; false: another option. */
bool foreign_refuse(const char *option);

/*
 * Prints the error for a word that is neither an option nor a command, and suggests a similar command. `command`: the names of the
 * commands, for 0, 1 and so on, until NULL.
 */
void foreign_print_unknown(const char *word, const char *(*command)(size_t index));

/* Prints an error for an option of other commands' output (-T, -e, --json) that names the command with these values. False: another option. */
bool foreign_refuse_form(const char *option, enum command command);

/*
 * Prints the error for an option that a command lacks, or of which the argument is missing: with a similar long option, or where its options are listed.
 * `command`: its name; NULL: the stream view.
 */
void foreign_print_option(const char *option, bool lacks_argument, const char *command, const struct option *options);

/* Prints an error for tshark's -z that names the command with these statistics. Returns false. */
bool foreign_refuse_statistics(const char *argument);

#endif
