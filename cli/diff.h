/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command diff.
 */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include "cli/cli.h"

/* rdmatap diff A B */
int command_diff(int argc, char **argv);

#endif
