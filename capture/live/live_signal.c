/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <time.h>

#include "capture/live/live_signal.h"

bool live_signal_init(struct live_signal *signal)
{
	pthread_condattr_t attributes;
	bool done;

	signal->count = 0;
	if (pthread_condattr_init(&attributes))
		return false;
	done = !pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) && !pthread_cond_init(&signal->raised, &attributes);
	pthread_condattr_destroy(&attributes);
	if (done && pthread_mutex_init(&signal->lock, NULL)) {
		pthread_cond_destroy(&signal->raised);
		done = false;
	}
	return done;
}

void live_signal_fini(struct live_signal *signal)
{
	pthread_cond_destroy(&signal->raised);
	pthread_mutex_destroy(&signal->lock);
}

void live_signal_raise(struct live_signal *signal)
{
	pthread_mutex_lock(&signal->lock);
	signal->count++;
	pthread_cond_signal(&signal->raised);
	pthread_mutex_unlock(&signal->lock);
}

unsigned live_signal_count(struct live_signal *signal)
{
	unsigned count;

	pthread_mutex_lock(&signal->lock);
	count = signal->count;
	pthread_mutex_unlock(&signal->lock);
	return count;
}

void live_signal_wait(struct live_signal *signal, unsigned seen, unsigned timeout_ms)
{
	struct timespec until;
	int result = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&signal->lock);
	while (signal->count == seen && !result)
		result = pthread_cond_timedwait(&signal->raised, &signal->lock, &until);
	pthread_mutex_unlock(&signal->lock);
}
