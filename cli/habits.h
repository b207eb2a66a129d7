/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options of tcpdump and tshark that the stream view does not have: they mean the same as one that it has, or the message names the
 * option or command that does the work.
 */
#ifndef CLI_HABITS_H
#define CLI_HABITS_H

#include <getopt.h>
#include <stdbool.h>

#include "cli/cli.h"

/* Their letters, for getopt(). */
#define HABIT_LETTERS "2APUXO:R:d:"

/* Takes one of them but -d. False: it is another option, or it was refused, with a message. */
bool habit_take(struct options *options, int letter);

/* The words after the options are a capture filter. False: refused, with a message, or out of memory. */
bool habit_take_expression(struct options *options, int count, char **words);

/* Writes the argument of --decode-as for that of -d. False: it was refused, with a message. */
bool habit_decode_as(const char *argument, char *spec, size_t size);

/* The form of time that tcpdump's -tt, -ttt ... choose, or the text itself. `argument`: what follows the first t. */
const char *habit_time_form(const char *argument);

/*
 * Prints the error for a word that is neither an option nor a command, with the command that was meant. `command`: the names of the
 * commands, for 0, 1 and so on, until NULL.
 */
void habit_print_unknown(const char *word, const char *(*command)(size_t index));

/* The option of the table that is most similar, without "--"; NULL: none is. */
const char *habit_similar_option(const char *option, const struct option *options);

/* Refuses tshark's -z and names the command that has the statistics. Returns false. */
bool habit_refuse_statistics(const char *argument);

#endif
