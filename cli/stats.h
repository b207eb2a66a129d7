/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command stats.
 */
#ifndef CLI_STATS_H
#define CLI_STATS_H

#include "cli/cli.h"

/* rdmatap stats FILE... */
int command_stats(int argc, char **argv);

#endif
