/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CLI_IOLOG_H
#define CLI_IOLOG_H

#include "cli/options.h"

/* Runs `rdmatap export --blktrace`. Returns the exit status. */
int iolog_run(const struct options *options);

#endif
