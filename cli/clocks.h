/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CLI_CLOCKS_H
#define CLI_CLOCKS_H

#include "cli/cli.h"

/*
 * Finds packets that several of the files contain and adjusts the files' time stamps to the clock of the first file. Call it before
 * reading the source. False: no or too few common packets, or a file that can be read only once.
 */
bool clocks_adjust(struct rtap_source *source, const struct options *options);

#endif
