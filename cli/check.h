/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

/* rdmatap check: returns the exit status. */
int command_check(int argc, char **argv);

#endif
