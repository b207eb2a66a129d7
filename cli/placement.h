/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --cpu and --priority: where and how the threads run that receive, and the thread that writes or prints.
 */
#ifndef CLI_PLACEMENT_H
#define CLI_PLACEMENT_H

#include <stdbool.h>

#include <rdmatap/live.h>

#include "base/thread.h"

/* CPU[-CPU][,CPU[-CPU]]: of the receiving threads, of the writing one. False: invalid; an error was printed. */
bool placement_take_cpus(struct rtap_live_options *live, struct thread_placement *writer, const char *value)
	__attribute__((warn_unused_result));

/* PRIORITY[,PRIORITY] */
bool placement_take_priorities(struct rtap_live_options *live, struct thread_placement *writer, const char *value)
	__attribute__((warn_unused_result));

/*
 * Permits the process to have these priorities after privileges are given up, and checks that there are such processors. False:
 * it cannot be; an error was printed.
 */
bool placement_prepare(const struct rtap_live_options *live, const struct thread_placement *writer) __attribute__((warn_unused_result));

/* For the writing thread, once the receiving ones run. Prints a failure. */
void placement_apply(const struct thread_placement *writer);

#endif
