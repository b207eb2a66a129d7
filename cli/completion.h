/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What completion and the help of commands are made of.
 */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli/cli.h"

/*
 * rdmatap --print-options: a line for each option of each command (the stream view's is empty) and for each command: command,
 * option, "none", "optional" or "required" for its argument, what --help says of it, with tabs between. Completion is made of it.
 */
int completion_run(void);

/* rdmatap COMMAND --help: its part of --help, with the rows that it shares. False: there is no command of this name. */
bool command_help(const char *name);

#endif
