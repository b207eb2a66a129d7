/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command replay.
 */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include "cli/cli.h"

/* rdmatap replay -i SOURCE FILE... */
int command_replay(int argc, char **argv);

#endif
