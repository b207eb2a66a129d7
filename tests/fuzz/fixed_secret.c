/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For libFuzzer: hash tables have the same secret key in each run. Else the number of collisions would differ, and so what libFuzzer
 * counts of an input: with the same seed it would try other inputs in each run.
 */
#include "config.h"

#include "base/map.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	map_set_secret(1);
	return 0;
}
