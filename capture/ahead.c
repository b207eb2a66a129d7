/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "capture/ahead.h"

/* Some, so that neither side waits for the other's hiccups; few, so that they stay in the processor's cache. */
#define BATCHES 4

struct ahead {
	ahead_reader *reader;
	void *owner;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct ahead_batch batches[BATCHES];
	unsigned first, count;
	bool stop;
};

static bool is_last(const struct ahead_batch *batch)
{
	return batch->status == RTAP_STATUS_END || batch->status == RTAP_STATUS_FAILED;
}

/* Waits for room. False: nobody wants it any more. */
static bool put(struct ahead *ahead, const struct ahead_batch *batch)
{
	bool wanted;

	pthread_mutex_lock(&ahead->lock);
	while (ahead->count == BATCHES && !ahead->stop)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	wanted = !ahead->stop;
	if (wanted) {
		ahead->batches[(ahead->first + ahead->count++) % BATCHES] = *batch;
		pthread_cond_signal(&ahead->changed);
	}
	pthread_mutex_unlock(&ahead->lock);
	return wanted;
}

static void *run(void *argument)
{
	struct ahead *ahead = argument;
	struct ahead_batch batch;

	do {
		batch = (struct ahead_batch){ .status = RTAP_STATUS_OK };
		ahead->reader(ahead->owner, &batch);
		if (!put(ahead, &batch)) {
			rtap_batch_release(batch.batch);
			break;
		}
	} while (!is_last(&batch));
	return NULL;
}

/* Signals are for the program's own threads. */
static int start(struct ahead *ahead)
{
	sigset_t all, before;
	int result;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&ahead->thread, NULL, run, ahead);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
}

struct ahead *ahead_open(ahead_reader *reader, void *owner)
{
	struct ahead *ahead = calloc(1, sizeof *ahead);

	if (!ahead)
		return NULL;
	ahead->reader = reader;
	ahead->owner = owner;
	if (pthread_mutex_init(&ahead->lock, NULL))
		goto no_lock;
	if (pthread_cond_init(&ahead->changed, NULL))
		goto no_condition;
	if (start(ahead))
		goto no_thread;
	return ahead;
no_thread:
	pthread_cond_destroy(&ahead->changed);
no_condition:
	pthread_mutex_destroy(&ahead->lock);
no_lock:
	free(ahead);
	return NULL;
}

void ahead_take(struct ahead *ahead, struct ahead_batch *taken)
{
	pthread_mutex_lock(&ahead->lock);
	while (!ahead->count)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	*taken = ahead->batches[ahead->first];
	if (!is_last(taken)) {
		ahead->first = (ahead->first + 1) % BATCHES;
		ahead->count--;
		pthread_cond_signal(&ahead->changed);
	}
	pthread_mutex_unlock(&ahead->lock);
}

void ahead_close(struct ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->stop = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	for (; ahead->count; ahead->count--) {
		rtap_batch_release(ahead->batches[ahead->first].batch);
		ahead->first = (ahead->first + 1) % BATCHES;
	}
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}
