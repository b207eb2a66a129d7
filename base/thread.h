/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* As pthread_create(), without attributes. The thread takes no signals: these are the program's affair. */
int thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument) __attribute__((warn_unused_result));

/*
 * Where and how a thread runs. Priority: 1 to 99 of SCHED_FIFO (see sched(7)), -20 to -1 as of nice(1), 0: as it is. Threads
 * that it starts have the usual priority.
 */
struct thread_placement {
	bool has_cpus;
	unsigned first_cpu, last_cpu;
	int priority;
};

#define THREAD_LOWEST_PRIORITY -20
#define THREAD_HIGHEST_PRIORITY 99
#define THREAD_MOST_CPUS 1024

/* Places the calling thread. Returns 0, or the errno of what could not be done; the rest is done. */
int thread_place(const struct thread_placement *placement);

/*
 * For a thread that does the work of others, which may be placed: it runs on all processors, with this niceness more. What
 * fails is no more than slower.
 */
void thread_be_helper(int niceness);

#endif
