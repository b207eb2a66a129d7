/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CLI_CANON_H
#define CLI_CANON_H

#include "cli/cli.h"
#include "output/compare/canon.h"

/*
 * Reads the inputs of `options` and writes their canonical dissection to a descriptor, which stays the caller's. `output` is
 * its name in errors. Returns the exit status; at EXIT_DONE the text is whole, unless the reader of a pipe has gone, or *cut is set:
 * an interrupt came before the inputs' end.
 */
int canon_run(const struct options *options, const struct canon_options *form, int fd, const char *output, bool *cut);

/* rdmatap canon FILE... */
int command_canon(int argc, char **argv);

#endif
