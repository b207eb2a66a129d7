/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CLI_JOIN_H
#define CLI_JOIN_H

int command_join(int argc, char **argv);

#endif
