/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command fields.
 */
#ifndef CLI_FIELDS_H
#define CLI_FIELDS_H

#include "cli/cli.h"

/* rdmatap fields [PREFIX] */
int command_fields(int argc, char **argv);

#endif
