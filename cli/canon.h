/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CLI_CANON_H
#define CLI_CANON_H

#include "cli/cli.h"
#include "output/compare/canon.h"

/*
 * Reads the inputs of `options` and writes their canonical dissection to `fd`, which remains owned by the caller. `output` is
 * its name in error messages. Returns the exit status. On EXIT_DONE the text is complete unless the reader of a pipe has closed it
 * or *cut is set: an interrupt arrived before the end of the inputs.
 */
int canon_run(const struct options *options, const struct canon_options *form, int fd, const char *output, bool *cut);

/* rdmatap canon FILE... */
int command_canon(int argc, char **argv);

#endif
