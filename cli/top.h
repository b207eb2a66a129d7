/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CLI_TOP_H
#define CLI_TOP_H

/* rdmatap top. Returns the exit status. */
int command_top(int argc, char **argv);

#endif
