/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What Wireshark asks for.
 */
#ifndef CLI_EXTCAP_H
#define CLI_EXTCAP_H

#include "cli/cli.h"

/* What Wireshark asks for, and whether it is Wireshark that asks. */
int command_extcap(int argc, char **argv);
bool is_extcap(int argc, char **argv);

#endif
