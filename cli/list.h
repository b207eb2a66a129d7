/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The list of sources.
 */
#ifndef CLI_LIST_H
#define CLI_LIST_H

#include "cli/cli.h"

/* rdmatap -D */
int list_run(void);

#endif
