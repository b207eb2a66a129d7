/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stream view.
 */
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "cli/cli.h"

/* Reads, filters, prints and saves packets. Returns the exit status. */
int view_run(const struct options *options);

#endif
