/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command operations.
 */
#ifndef CLI_OPERATIONS_H
#define CLI_OPERATIONS_H

#include "cli/cli.h"

/* rdmatap operations FILE... */
int command_operations(int argc, char **argv);

#endif
