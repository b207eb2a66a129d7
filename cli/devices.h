/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command devices.
 */
#ifndef CLI_DEVICES_H
#define CLI_DEVICES_H

#include "cli/cli.h"

/* rdmatap devices [NAME] */
int command_devices(int argc, char **argv);

/* Like options_letters(), for this command. */
const char *devices_letters(const struct option **long_options);

#endif
