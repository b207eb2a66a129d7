/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/thread.h"
#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "capture/worker_pool.h"

/*
 * Batches in the pool at a time: enough that a thread rarely waits for a slower one, and few enough to stay in the processors' caches.
 * At most AHEAD of them are read and not yet taken: one for each thread to prepare, and some.
 */
#define PLACES 16
#define AHEAD(workers) ((workers) + 6)
#define FEW 2

/*
 * The consumer wakes a thread only for this many batches to finish or read, because waking takes as long as several frames. With fewer
 * the consumer does the work itself before it would wait.
 */
#define WORTH_WAKING 8

/* State of the batch in a place. */
enum stage { FREE, READ, PREPARING, TAKEN, GIVEN };

struct place {
	enum stage stage;
	bool tried;              /* to prepare it */
	bool finished;
	struct worker_pool_batch batch;
};

struct worker_pool {
	struct worker_pool_stages stages;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct place places[PLACES]; /* of batch n: n % PLACES */
	/* Numbers of batches that have reached each stage; each is at most the previous one. */
	uint64_t read, taken, given, begun, finished; /* started: to be finished */
	bool reading, ended, stop;
	unsigned sleeping;
	unsigned workers;
	struct worker {
		struct worker_pool *pool;
		unsigned number;
		pthread_t thread;
	} threads[WORKER_POOL_MAX];     /* the first is the caller's */
};

static struct place *place_of(struct worker_pool *pool, uint64_t order)
{
	return &pool->places[order % PLACES];
}

static void wake(struct worker_pool *pool)
{
	if (pool->sleeping)
		pthread_cond_broadcast(&pool->changed);
}

static void sleep_until_change(struct worker_pool *pool)
{
	pool->sleeping++;
	pthread_cond_wait(&pool->changed, &pool->lock);
	pool->sleeping--;
}

static bool is_last(const struct worker_pool_batch *batch)
{
	return batch->status == RTAP_STATUS_END || batch->status == RTAP_STATUS_FAILED;
}

/* The functions below are called with the lock held and release it while they work. */

static bool can_read(const struct worker_pool *pool)
{
	return !pool->reading && !pool->ended && !pool->stop && pool->read - pool->finished < PLACES &&
	       pool->read - pool->taken < AHEAD(pool->workers);
}

static void read_one(struct worker_pool *pool)
{
	struct place *place = place_of(pool, pool->read);
	void *work = place->batch.work;

	pool->reading = true;
	pthread_mutex_unlock(&pool->lock);
	place->batch = (struct worker_pool_batch){ .order = pool->read, .work = work };
	pool->stages.read(pool->stages.owner, &place->batch);
	pthread_mutex_lock(&pool->lock);
	place->stage = READ;
	place->tried = place->finished = false;
	pool->ended = is_last(&place->batch);
	pool->reading = false;
	pool->read++;
	wake(pool);
}

/* The first batch that no thread prepares, but not the next one to be taken: that may happen at any time. */
static struct place *to_prepare(struct worker_pool *pool)
{
	if (!pool->stages.prepare || pool->stop)
		return NULL;
	for (uint64_t i = pool->taken + 1; i < pool->read; i++) {
		struct place *place = place_of(pool, i);

		if (place->stage == READ && place->batch.status == RTAP_STATUS_OK && !place->tried)
			return place;
	}
	return NULL;
}

static void prepare_one(struct worker_pool *pool, struct place *place)
{
	place->stage = PREPARING;
	pthread_mutex_unlock(&pool->lock);
	place->batch.prepared = pool->stages.prepare(pool->stages.owner, &place->batch);
	pthread_mutex_lock(&pool->lock);
	place->stage = READ;
	place->tried = true;
	wake(pool);
}

static void finish_one(struct worker_pool *pool, unsigned worker)
{
	struct place *place = place_of(pool, pool->begun++);

	pthread_mutex_unlock(&pool->lock);
	if (pool->stages.finish && place->batch.status == RTAP_STATUS_OK)
		pool->stages.finish(pool->stages.owner, &place->batch, worker);
	if (!place->batch.taken_over)
		rtap_batch_release(place->batch.batch);
	pthread_mutex_lock(&pool->lock);
	place->finished = true;
	while (pool->finished < pool->begun && place_of(pool, pool->finished)->finished)
		place_of(pool, pool->finished++)->stage = FREE;
	wake(pool);
}

/*
 * The consumer will have to wait soon. Reading then goes first: only one thread at a time can read, and of compressed files that may
 * take longest, while finishing can be done by any thread that waits.
 */
static bool runs_dry(const struct worker_pool *pool)
{
	return pool->read - pool->taken < FEW;
}

static void *run(void *argument)
{
	struct worker *worker = argument;
	struct worker_pool *pool = worker->pool;

	pthread_mutex_lock(&pool->lock);
	while (!pool->stop) {
		struct place *place;

		if (can_read(pool) && runs_dry(pool))
			read_one(pool);
		else if (pool->begun < pool->given)
			finish_one(pool, worker->number);
		else if (can_read(pool))
			read_one(pool);
		else if ((place = to_prepare(pool)))
			prepare_one(pool, place);
		else
			sleep_until_change(pool);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

static void start(struct worker_pool *pool, unsigned workers)
{
	pthread_mutex_lock(&pool->lock);
	for (pool->workers = 1; pool->workers < workers; pool->workers++) {
		struct worker *worker = &pool->threads[pool->workers];

		*worker = (struct worker){ .pool = pool, .number = pool->workers };
		if (thread_start(&worker->thread, run, worker))
			break;
	}
	pthread_mutex_unlock(&pool->lock);
}

struct worker_pool *worker_pool_open(const struct worker_pool_stages *stages, unsigned workers)
{
	struct worker_pool *pool = calloc(1, sizeof *pool);

	if (!pool)
		return NULL;
	pool->stages = *stages;
	if (pthread_mutex_init(&pool->lock, NULL))
		goto no_lock;
	if (pthread_cond_init(&pool->changed, NULL))
		goto no_condition;
	start(pool, workers < WORKER_POOL_MAX ? workers : WORKER_POOL_MAX);
	return pool;
no_condition:
	pthread_mutex_destroy(&pool->lock);
no_lock:
	free(pool);
	return NULL;
}

struct worker_pool_batch *worker_pool_take(struct worker_pool *pool)
{
	struct place *place;

	pthread_mutex_lock(&pool->lock);
	place = place_of(pool, pool->taken);
	/* it is not read, or being prepared */
	while (pool->taken == pool->read || place->stage != READ)
		if (pool->begun < pool->given)
			finish_one(pool, 0);
		else if (pool->taken == pool->read && can_read(pool))
			read_one(pool);
		else
			sleep_until_change(pool);
	if (!is_last(&place->batch)) {
		place->stage = TAKEN;
		pool->taken++;
	}
	pthread_mutex_unlock(&pool->lock);
	return &place->batch;
}

void worker_pool_give(struct worker_pool *pool, struct worker_pool_batch *batch)
{
	if (is_last(batch))
		return;
	pthread_mutex_lock(&pool->lock);
	place_of(pool, batch->order)->stage = GIVEN;
	pool->given++;
	if (pool->given - pool->begun + AHEAD(pool->workers) - (pool->read - pool->taken) >= WORTH_WAKING)
		wake(pool);
	pthread_mutex_unlock(&pool->lock);
}

void worker_pool_wait_turn(struct worker_pool *pool, const struct worker_pool_batch *batch)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->finished < batch->order)
		sleep_until_change(pool);
	pthread_mutex_unlock(&pool->lock);
}

bool worker_pool_has_turn(struct worker_pool *pool, const struct worker_pool_batch *batch)
{
	bool has;

	pthread_mutex_lock(&pool->lock);
	has = pool->finished >= batch->order;
	pthread_mutex_unlock(&pool->lock);
	return has;
}

void worker_pool_drain(struct worker_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->finished < pool->given)
		if (pool->begun < pool->given)
			finish_one(pool, 0);
		else
			sleep_until_change(pool);
	pthread_mutex_unlock(&pool->lock);
}

void worker_pool_close(struct worker_pool *pool)
{
	if (!pool)
		return;
	worker_pool_drain(pool);
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	wake(pool);
	pthread_mutex_unlock(&pool->lock);
	while (--pool->workers)
		pthread_join(pool->threads[pool->workers].thread, NULL);
	for (; pool->taken < pool->read; pool->taken++)
		rtap_batch_release(place_of(pool, pool->taken)->batch.batch);
	for (unsigned i = 0; i < PLACES; i++)
		if (pool->places[i].batch.work)
			pool->stages.dispose(pool->stages.owner, pool->places[i].batch.work);
	pthread_cond_destroy(&pool->changed);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}
