/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Wireshark's extcap interface.
 */
#ifndef CLI_EXTCAP_H
#define CLI_EXTCAP_H

#include "cli/cli.h"

/* Runs an extcap request; is_extcap() recognises one by its arguments. */
int command_extcap(int argc, char **argv);
bool is_extcap(int argc, char **argv);

#endif
