/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Wakes a thread that waits for any of several others.
 */
#ifndef CAPTURE_LIVE_LIVE_SIGNAL_H
#define CAPTURE_LIVE_LIVE_SIGNAL_H

#include <pthread.h>
#include <stdbool.h>

struct live_signal {
	pthread_mutex_t lock;
	pthread_cond_t raised;
	unsigned count; /* times that it was raised, under the lock */
};

/* False: out of resources. */
bool live_signal_init(struct live_signal *signal) __attribute__((warn_unused_result));
void live_signal_fini(struct live_signal *signal);

void live_signal_raise(struct live_signal *signal);
unsigned live_signal_count(struct live_signal *signal);

/* Waits until the count is another one than `seen`, at most `timeout_ms`. */
void live_signal_wait(struct live_signal *signal, unsigned seen, unsigned timeout_ms);

#endif
