/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "capture/compressor.h"
#include "capture/packer.h"

#define ROOM (PACKER_BLOCK + 2 * COMPRESSOR_ROOM) /* also for a block that does not become shorter */
#define NICENESS 5 /* of the threads: receiving and writing come first */

struct job {
	size_t length, packed_length;
	bool is_begun, is_done, failed;
	uint8_t block[PACKER_BLOCK], packed[ROOM];
};

struct packer {
	enum compression compression;
	struct compressor *compressor; /* of the calling thread, while there is no other */
	pthread_t threads[PACKER_JOBS];
	unsigned thread_count;
	uint64_t put, taken;           /* blocks; block N is job N mod PACKER_JOBS */
	/* Under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t is_put, is_done;
	uint64_t begun;                /* blocks whose compression has begun */
	bool ends;
	struct job jobs[PACKER_JOBS];
};

struct packer *packer_create(enum compression compression)
{
	struct packer *packer = malloc(sizeof *packer);

	if (!packer)
		return NULL;
	memset(packer, 0, offsetof(struct packer, jobs));
	packer->compression = compression;
	packer->compressor = compressor_create(compression);
	if (!packer->compressor || pthread_mutex_init(&packer->lock, NULL))
		goto no_lock;
	if (pthread_cond_init(&packer->is_put, NULL))
		goto no_condition;
	if (!pthread_cond_init(&packer->is_done, NULL))
		return packer;
	pthread_cond_destroy(&packer->is_put);
no_condition:
	pthread_mutex_destroy(&packer->lock);
no_lock:
	compressor_destroy(packer->compressor);
	free(packer);
	return NULL;
}

static bool compress(struct compressor *compressor, struct job *job)
{
	const uint8_t *from = job->block;
	size_t left = job->length, made;
	int more;

	job->packed_length = 0;
	if (!compressor_restart(compressor))
		return false;
	do {
		if (ROOM - job->packed_length < COMPRESSOR_ROOM)
			return false;
		more = compressor_run(compressor, COMPRESSOR_END, &from, &left, job->packed + job->packed_length, ROOM - job->packed_length, &made);
		job->packed_length += made;
	} while (more > 0);
	return !more;
}

static void *run(void *argument)
{
	struct packer *packer = argument;
	struct compressor *compressor = compressor_create(packer->compression);

	thread_be_helper(NICENESS);
	pthread_mutex_lock(&packer->lock);
	while (true) {
		struct job *job;
		bool done;

		while (packer->begun == packer->put && !packer->ends)
			pthread_cond_wait(&packer->is_put, &packer->lock);
		if (packer->begun == packer->put)
			break;
		job = &packer->jobs[packer->begun++ % PACKER_JOBS];
		pthread_mutex_unlock(&packer->lock);
		done = compressor && compress(compressor, job);
		pthread_mutex_lock(&packer->lock);
		job->failed = !done;
		job->is_done = true;
		pthread_cond_signal(&packer->is_done);
	}
	pthread_mutex_unlock(&packer->lock);
	compressor_destroy(compressor);
	return NULL;
}

/* Without a thread, the calling one compresses. */
static void start_threads(struct packer *packer)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	while (packer->thread_count < PACKER_JOBS && packer->thread_count < processors &&
	       !thread_start(&packer->threads[packer->thread_count], run, packer))
		packer->thread_count++;
}

bool packer_is_full(const struct packer *packer)
{
	return packer->put - packer->taken == PACKER_JOBS;
}

bool packer_is_empty(const struct packer *packer)
{
	return packer->put == packer->taken;
}

void packer_put(struct packer *packer, const uint8_t *bytes, size_t length)
{
	struct job *job = &packer->jobs[packer->put % PACKER_JOBS];

	memcpy(job->block, bytes, length);
	job->length = length;
	job->is_done = job->failed = false;
	if (!packer->thread_count && !packer_is_empty(packer))
		start_threads(packer);
	pthread_mutex_lock(&packer->lock);
	packer->put++;
	pthread_cond_broadcast(&packer->is_put);
	pthread_mutex_unlock(&packer->lock);
}

bool packer_take(struct packer *packer, const uint8_t **bytes, size_t *length)
{
	struct job *job = &packer->jobs[packer->taken++ % PACKER_JOBS];

	pthread_mutex_lock(&packer->lock);
	if (!packer->thread_count) {
		packer->begun++;
		job->failed = !compress(packer->compressor, job);
		job->is_done = true;
	}
	while (!job->is_done)
		pthread_cond_wait(&packer->is_done, &packer->lock);
	pthread_mutex_unlock(&packer->lock);
	*bytes = job->packed;
	*length = job->packed_length;
	return !job->failed;
}

void packer_destroy(struct packer *packer)
{
	if (!packer)
		return;
	pthread_mutex_lock(&packer->lock);
	packer->ends = true;
	pthread_cond_broadcast(&packer->is_put);
	pthread_mutex_unlock(&packer->lock);
	for (unsigned i = 0; i < packer->thread_count; i++)
		pthread_join(packer->threads[i], NULL);
	pthread_cond_destroy(&packer->is_done);
	pthread_cond_destroy(&packer->is_put);
	pthread_mutex_destroy(&packer->lock);
	compressor_destroy(packer->compressor);
	free(packer);
}
