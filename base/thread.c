/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/thread.h"

int thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
	sigset_t all, before;
	int result;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(thread, NULL, run, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
}

static int set_cpus(unsigned first, unsigned last)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (unsigned cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
		CPU_SET(cpu, &cpus);
	return sched_setaffinity(0, sizeof cpus, &cpus) ? errno : 0;
}

static int set_priority(int priority)
{
	const struct sched_param parameters = { .sched_priority = priority > 0 ? priority : 0 };

	if (sched_setscheduler(0, (priority > 0 ? SCHED_FIFO : SCHED_OTHER) | SCHED_RESET_ON_FORK, &parameters))
		return errno;
	/* of this thread, in Linux */
	return priority < 0 && setpriority(PRIO_PROCESS, 0, priority) ? errno : 0;
}

int thread_place(const struct thread_placement *placement)
{
	int cpus = placement->has_cpus ? set_cpus(placement->first_cpu, placement->last_cpu) : 0;
	int priority = placement->priority ? set_priority(placement->priority) : 0;

	return cpus ? cpus : priority;
}

void thread_be_helper(int niceness)
{
	(void)!set_cpus(0, CPU_SETSIZE - 1);
	(void)!setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + niceness);
}
