/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CLI_DATABASE_H
#define CLI_DATABASE_H

#include "cli/cli.h"

/* rdmatap export --sqlite. Returns the exit status. */
int database_run(const struct options *options);

#endif
