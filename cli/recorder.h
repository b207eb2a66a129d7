/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CLI_RECORDER_H
#define CLI_RECORDER_H

#include "cli/cli.h"

/* The flight recorder: -i SOURCE --ring SIZE. Returns the exit status. */
int recorder_run(const struct options *options);

#endif
