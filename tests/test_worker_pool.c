/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "capture/worker_pool.h"

#define BATCHES 1000

/* Batches without frames, that each stage leaves a mark on. */
struct job {
	struct worker_pool *pool;
	enum rtap_status end;
	uint64_t read, written; /* batches; written in turn only */
	atomic_uint reading, prepared, disposed;
	bool slow, can_prepare;
};

struct marks {
	uint64_t prepared_for, taken;
};

static void work_a_while(const struct job *job, uint64_t order)
{
	atomic_uint spins = 0;

	for (uint64_t i = 0; job->slow && i < order * 7919 % 4001; i++)
		spins++;
}

static struct marks *marks_of(struct worker_pool_batch *batch)
{
	if (!batch->work)
		batch->work = calloc(1, sizeof(struct marks));
	return batch->work;
}

static void read_one(void *owner, struct worker_pool_batch *batch)
{
	struct job *job = owner;

	cr_assert_eq(atomic_fetch_add(&job->reading, 1), 0);
	cr_assert_eq(batch->order, job->read);
	work_a_while(job, batch->order);
	batch->status = batch->order == BATCHES ? job->end : batch->order % 100 == 99 ? RTAP_STATUS_BROKEN : RTAP_STATUS_OK;
	marks_of(batch)->prepared_for = UINT64_MAX;
	job->read++;
	atomic_fetch_sub(&job->reading, 1);
}

static bool prepare_one(void *owner, struct worker_pool_batch *batch)
{
	struct job *job = owner;

	cr_assert_eq(batch->status, RTAP_STATUS_OK);
	work_a_while(job, batch->order + 17);
	marks_of(batch)->prepared_for = batch->order;
	atomic_fetch_add(&job->prepared, 1);
	return job->can_prepare;
}

static void finish_one(void *owner, struct worker_pool_batch *batch, unsigned worker)
{
	struct job *job = owner;

	cr_assert_lt(worker, WORKER_POOL_MAX);
	cr_assert_eq(marks_of(batch)->taken, batch->order);
	work_a_while(job, batch->order + 3);
	worker_pool_wait_turn(job->pool, batch);
	cr_assert(worker_pool_has_turn(job->pool, batch));
	/* without a lock: that it is somebody's turn is one */
	cr_assert_leq(job->written, batch->order);
	job->written = batch->order + 1;
}

static void dispose(void *owner, void *work)
{
	atomic_fetch_add(&((struct job *)owner)->disposed, 1);
	free(work);
}

/* Takes up to `count` batches and returns them. */
static void take_some(struct job *job, unsigned workers, uint64_t count)
{
	struct worker_pool_stages stages = { .owner = job, .read = read_one, .prepare = prepare_one, .finish = finish_one, .dispose = dispose };
	struct worker_pool_batch *batch;

	job->pool = worker_pool_open(&stages, workers);
	cr_assert(job->pool);
	for (uint64_t order = 0; order < count; order++) {
		batch = worker_pool_take(job->pool);
		cr_assert_eq(batch->order, order);
		cr_assert_eq(batch->status, order % 100 == 99 ? RTAP_STATUS_BROKEN : RTAP_STATUS_OK);
		cr_assert(!batch->prepared || marks_of(batch)->prepared_for == order);
		cr_assert(job->can_prepare || !batch->prepared);
		marks_of(batch)->taken = order;
		work_a_while(job, order + 5);
		worker_pool_give(job->pool, batch);
		if (order % 64 == 0) {
			worker_pool_drain(job->pool);
			cr_assert_eq(job->written, order + 1);
		}
	}
	for (int again = 0; count == BATCHES && again < 3; again++) {
		batch = worker_pool_take(job->pool);
		cr_assert_eq(batch->status, job->end);
		worker_pool_give(job->pool, batch);
	}
}

TestSuite(worker_pool, .timeout = HANG_SECONDS);

Test(worker_pool, takes_and_finishes_in_order_whatever_the_number_of_threads)
{
	for (unsigned workers = 2; workers <= WORKER_POOL_MAX; workers++) {
		for (int slow = 0; slow < 2; slow++) {
			struct job job = { .end = workers % 2 ? RTAP_STATUS_END : RTAP_STATUS_FAILED, .slow = slow, .can_prepare = true };

			take_some(&job, workers, BATCHES);
			worker_pool_close(job.pool);
			cr_assert_eq(job.read, BATCHES + 1);
			/* the last one is broken, and so is not written */
			cr_assert_eq(job.written, BATCHES - 1);
			cr_assert_gt(job.disposed, 0);
		}
	}
}

Test(worker_pool, can_be_closed_at_any_time)
{
	for (uint64_t count = 0; count < 120; count++) {
		struct job job = { .end = RTAP_STATUS_END, .slow = count % 2, .can_prepare = count % 3 };

		take_some(&job, 2 + (unsigned)count % 3, count);
		worker_pool_close(job.pool);
		cr_assert_eq(job.written, count == 100 ? 99 : count);
	}
	worker_pool_close(NULL);
}
