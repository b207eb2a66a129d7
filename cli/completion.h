/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Option lists for shell completion, and the help of single commands.
 */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli/cli.h"

/*
 * rdmatap --print-options: prints one line per option of each command (the stream view's name is empty) and one per command. Columns,
 * separated by tabs: command, option, its argument ("none", "optional" or "required"), its text from --help. The completion script is
 * generated from this output.
 */
int completion_run(void);

/* rdmatap COMMAND --help: prints the command's part of --help, including shared options. False: no such command. */
bool command_help(const char *name);

#endif
