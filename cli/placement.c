/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/option_values.h"
#include "cli/placement.h"
#include "cli/print_error.h"

#define RLIMIT_NICE_ZERO 20 /* the limit is this minus the niceness */

/* Splits VALUE[,VALUE]; the second is NULL if it is missing. `copy` holds both. */
static bool split(const char *value, char copy[64], char **second)
{
	if (strlen(value) >= 64)
		return false;
	strcpy(copy, value);
	*second = strchr(copy, ',');
	if (*second)
		*(*second)++ = 0;
	return true;
}

static bool parse_cpus(char *text, uint32_t *first, uint32_t *last)
{
	char *dash = strchr(text, '-');
	uint64_t from, to;

	if (dash)
		*dash++ = 0;
	if (!option_number_parse(text, THREAD_MOST_CPUS - 1, &from) ||
	    !option_number_parse(dash ? dash : text, THREAD_MOST_CPUS - 1, &to) || to < from)
		return false;
	*first = (uint32_t)from;
	*last = (uint32_t)to;
	return true;
}

bool placement_take_cpus(struct rtap_live_options *live, struct thread_placement *writer, const char *value)
{
	char copy[64], *second;

	if (split(value, copy, &second) && parse_cpus(copy, &live->first_cpu, &live->last_cpu) &&
	    (!second || parse_cpus(second, &writer->first_cpu, &writer->last_cpu))) {
		live->has_cpus = true;
		writer->has_cpus = second;
		return true;
	}
	print_error("--cpu %s: not a processor or a range of them, such as 2 or 2-5, or two separated by a comma", value);
	return false;
}

static bool parse_priority(const char *text, int *priority)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (*end || end == text || number < THREAD_LOWEST_PRIORITY || number > THREAD_HIGHEST_PRIORITY)
		return false;
	*priority = (int)number;
	return true;
}

bool placement_take_priorities(struct rtap_live_options *live, struct thread_placement *writer, const char *value)
{
	char copy[64], *second;

	if (split(value, copy, &second) && parse_priority(copy, &live->priority) && (!second || parse_priority(second, &writer->priority)))
		return true;
	print_error("--priority %s: not a number from %d to %d, or two separated by a comma", value, THREAD_LOWEST_PRIORITY,
		    THREAD_HIGHEST_PRIORITY);
	return false;
}

/* False: there is none of them that this process may use. */
static bool has_processor(uint32_t first, uint32_t last)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof cpus, &cpus))
		return true;
	for (uint32_t cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			return true;
	print_error("--cpu: this program may not run on processor %u, or there is none", first);
	return false;
}

/* Raises a limit if it is lower. */
static int raise_limit(unsigned resource, rlim_t wanted)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return errno;
	if (limit.rlim_cur >= wanted)
		return 0;
	limit.rlim_cur = wanted;
	if (limit.rlim_max < wanted)
		limit.rlim_max = wanted;
	return setrlimit(resource, &limit) ? errno : 0;
}

/* Whether this thread may have the priority now, though not after privileges are given up. */
static bool is_permitted(int priority)
{
	int niceness = getpriority(PRIO_PROCESS, 0);
	bool permitted = !thread_place(&(struct thread_placement){ .priority = priority });

	(void)!sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ .sched_priority = 0 });
	(void)!setpriority(PRIO_PROCESS, 0, niceness);
	return permitted;
}

static bool permit(int priority)
{
	int result = 0;

	if (priority > 0)
		result = raise_limit(RLIMIT_RTPRIO, (rlim_t)priority);
	else if (priority < 0)
		result = raise_limit(RLIMIT_NICE, (rlim_t)(RLIMIT_NICE_ZERO - priority));
	if (result && is_permitted(priority))
		return true;
	if (result)
		print_error("--priority %d: %s (run as root, with CAP_SYS_RESOURCE, or with a higher limit: prlimit --%s)", priority, strerror(result),
			    priority > 0 ? "rtprio" : "nice");
	return !result;
}

bool placement_prepare(const struct rtap_live_options *live, const struct thread_placement *writer)
{
	return (!live->has_cpus || has_processor(live->first_cpu, live->last_cpu)) &&
	       (!writer->has_cpus || has_processor(writer->first_cpu, writer->last_cpu)) && permit(live->priority) && permit(writer->priority);
}

void placement_apply(const struct thread_placement *writer)
{
	int result = thread_place(writer);

	if (result)
		print_error("the writing thread cannot be given its processor or priority: %s", strerror(result));
}
