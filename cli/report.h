/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command report.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/cli.h"

/* rdmatap report FILE... -o PAGE */
int command_report(int argc, char **argv);

#endif
