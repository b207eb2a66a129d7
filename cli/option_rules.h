/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which options require or exclude others.
 */
#ifndef CLI_OPTION_RULES_H
#define CLI_OPTION_RULES_H

#include <stdbool.h>

#include "cli/cli.h"

/* Whether the options of a whole command line can be used together. False: an error was printed. */
bool options_are_consistent(const struct options *options, enum command command);

#endif
