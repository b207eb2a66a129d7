/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The commands messages and connections.
 */
#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include "cli/cli.h"

/* rdmatap messages FILE..., rdmatap connections FILE... */
int command_messages(int argc, char **argv);
int command_connections(int argc, char **argv);

#endif
