/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command why.
 */
#ifndef CLI_WHY_H
#define CLI_WHY_H

#include "cli/cli.h"

/* rdmatap why FILE... [SELECTOR] */
int command_why(int argc, char **argv);

#endif
