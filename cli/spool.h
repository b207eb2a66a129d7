/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inputs for commands that read their files twice: input from a pipe is copied to an unnamed temporary file.
 */
#ifndef CLI_SPOOL_H
#define CLI_SPOOL_H

#include "cli/cli.h"

/*
 * Copies each input that is not a regular file and replaces its name by that of the copy ("/dev/fd/3"), which lasts as long
 * as the process. An interrupt ends the copying. False: it failed, and an error was printed. Missing files are reported
 * later, when they are opened.
 */
bool spool_inputs(struct options *options) __attribute__((warn_unused_result));

#endif
