/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CLI_CLOCKS_H
#define CLI_CLOCKS_H

#include "cli/cli.h"

/*
 * Looks for packets that several of the files have, and puts their times on the clock of the first of them. Called before the source is read.
 * False: there are none, or too few to tell, or a file can be read only once.
 */
bool clocks_adjust(struct rtap_source *source, const struct options *options);

#endif
