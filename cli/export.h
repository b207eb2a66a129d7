/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command export.
 */
#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include "cli/cli.h"

/* rdmatap export FILE... */
int command_export(int argc, char **argv);

#endif
