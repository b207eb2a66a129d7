/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A pool of threads that process batches for a consumer, which takes them in order: they read ahead, may prepare batches not yet
 * taken, and finish those given back. While the consumer would have to wait, it works too.
 */
#ifndef CAPTURE_WORKER_POOL_H
#define CAPTURE_WORKER_POOL_H

#include <rdmatap/source.h>

struct worker_pool;

/* A batch, or the reason why there is none. */
struct worker_pool_batch {
	uint64_t order;           /* from 0, as read */
	enum rtap_status status;
	struct rtap_batch *batch; /* OK: with one reference, owned by the pool until taken_over is set */
	struct rtap_error error;  /* BROKEN, FAILED */
	uint64_t read_bytes;      /* position in the input after it */
	struct rtap_source_counters counters; /* likewise */
	bool prepared;            /* `prepare` returned true */
	bool taken_over;          /* the consumer owns the batch */
	void *work;               /* the user's, for any batch in this slot; NULL at first */
};

/* The stages of the work; each may be called by any of the threads. */
struct worker_pool_stages {
	void *owner;
	/* Reads the next batch: one at a time, until END or FAILED. */
	void (*read)(void *owner, struct worker_pool_batch *batch);
	/* Prepares a batch before it is taken; not called for each. False: it could not. NULL: there is nothing to prepare. */
	bool (*prepare)(void *owner, struct worker_pool_batch *batch);
	/* Finishes a batch that was given back. `worker`: number of the calling thread, from 0. NULL: there is nothing to finish. */
	void (*finish)(void *owner, struct worker_pool_batch *batch, unsigned worker);
	/* Frees batch->work. */
	void (*dispose)(void *owner, void *work);
};

#define WORKER_POOL_MAX 8

/*
 * Creates a pool of `workers` threads, 1 to WORKER_POOL_MAX including the caller's, or fewer if no more can be created: that of the caller
 * is sufficient, then nothing is done ahead. NULL: out of memory.
 */
struct worker_pool *worker_pool_open(const struct worker_pool_stages *stages, unsigned workers);

/* Returns the next batch, in order; after END or FAILED always the same one. Give it back before taking the next. */
struct worker_pool_batch *worker_pool_take(struct worker_pool *pool);
void worker_pool_give(struct worker_pool *pool, struct worker_pool_batch *batch);

/* For `finish`: waits until all earlier batches are finished, so that output is written in order. */
void worker_pool_wait_turn(struct worker_pool *pool, const struct worker_pool_batch *batch);

/* Whether worker_pool_wait_turn() would return at once. */
bool worker_pool_has_turn(struct worker_pool *pool, const struct worker_pool_batch *batch);

/* Waits until all batches that were given back are finished. */
void worker_pool_drain(struct worker_pool *pool);

/* Drains, ends the threads once the batch being read is complete, and drops batches that were not taken. NULL is ignored. */
void worker_pool_close(struct worker_pool *pool);

#endif
