/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "capture/batch.h"

/* Spare blocks beyond this number are freed. */
#define SPARE_BLOCKS 8
#define SPARE_BATCHES 32
#define COMMENTS_A_CHUNK 64

struct batch_pool {
	atomic_uint references; /* the owner's, and one per block and batch in use */
	size_t block_size;
	pthread_mutex_t lock;
	SLIST_HEAD(, batch_block) blocks;
	SLIST_HEAD(, batch) batches;
	unsigned block_count, batch_count;
};

struct batch_comments {
	SLIST_ENTRY(batch_comments) link;
	size_t used, room;
	struct rtap_span spans[];
};

struct batch_pool *batch_pool_create(size_t block_size)
{
	struct batch_pool *pool = calloc(1, sizeof *pool);

	if (!pool)
		return NULL;
	if (pthread_mutex_init(&pool->lock, NULL)) {
		free(pool);
		return NULL;
	}
	atomic_init(&pool->references, 1);
	pool->block_size = block_size;
	return pool;
}

size_t batch_pool_block_size(const struct batch_pool *pool)
{
	return pool->block_size;
}

static void batch_free(struct batch *batch)
{
	free(batch->held);
	free(batch);
}

void batch_pool_release(struct batch_pool *pool)
{
	struct batch_block *block;
	struct batch *batch;

	if (!pool || atomic_fetch_sub_explicit(&pool->references, 1, memory_order_acq_rel) != 1)
		return;
	while ((block = SLIST_FIRST(&pool->blocks))) {
		SLIST_REMOVE_HEAD(&pool->blocks, spare);
		free(block);
	}
	while ((batch = SLIST_FIRST(&pool->batches))) {
		SLIST_REMOVE_HEAD(&pool->batches, spare);
		batch_free(batch);
	}
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

static struct batch_block *take_spare_block(struct batch_pool *pool)
{
	struct batch_block *block;

	pthread_mutex_lock(&pool->lock);
	block = SLIST_FIRST(&pool->blocks);
	if (block) {
		SLIST_REMOVE_HEAD(&pool->blocks, spare);
		pool->block_count--;
	}
	pthread_mutex_unlock(&pool->lock);
	return block;
}

struct batch_block *batch_block_get(struct batch_pool *pool, size_t size)
{
	struct batch_block *block = NULL;

	if (size <= pool->block_size) {
		size = pool->block_size;
		block = take_spare_block(pool);
	}
	if (!block) {
		block = malloc(sizeof *block + size);
		if (!block)
			return NULL;
		block->pool = pool;
		block->size = size;
	}
	atomic_init(&block->references, 1);
	atomic_fetch_add_explicit(&pool->references, 1, memory_order_relaxed);
	return block;
}

struct batch_block *batch_block_hold(struct batch_block *block)
{
	atomic_fetch_add_explicit(&block->references, 1, memory_order_relaxed);
	return block;
}

void batch_block_release(struct batch_block *block)
{
	struct batch_pool *pool;

	if (!block || atomic_fetch_sub_explicit(&block->references, 1, memory_order_acq_rel) != 1)
		return;
	pool = block->pool;
	pthread_mutex_lock(&pool->lock);
	if (block->size == pool->block_size && pool->block_count < SPARE_BLOCKS) {
		SLIST_INSERT_HEAD(&pool->blocks, block, spare);
		pool->block_count++;
		block = NULL;
	}
	pthread_mutex_unlock(&pool->lock);
	free(block);
	batch_pool_release(pool);
}

bool batch_block_is_unshared(struct batch_block *block)
{
	return atomic_load_explicit(&block->references, memory_order_acquire) == 1;
}

struct batch *batch_get(struct batch_pool *pool)
{
	struct batch *batch;

	pthread_mutex_lock(&pool->lock);
	batch = SLIST_FIRST(&pool->batches);
	if (batch) {
		SLIST_REMOVE_HEAD(&pool->batches, spare);
		pool->batch_count--;
	}
	pthread_mutex_unlock(&pool->lock);
	if (!batch) {
		batch = malloc(sizeof *batch);
		if (!batch)
			return NULL;
		batch->pool = pool;
		batch->block = NULL;
		batch->borrowed = NULL;
		batch->held = NULL;
		batch->held_count = batch->held_room = 0;
		SLIST_INIT(&batch->comments);
	}
	batch->shared.frames = batch->frames;
	batch->shared.count = 0;
	batch->counts_only = false;
	batch->records = NULL;
	batch->closed = false;
	atomic_init(&batch->references, 1);
	atomic_fetch_add_explicit(&pool->references, 1, memory_order_relaxed);
	return batch;
}

void batch_unpack(struct batch *batch)
{
	const uint8_t *record = batch->records;

	if (!record)
		return;
	for (size_t i = 0; i < batch->shared.count; i++) {
		batch->frames[i] = record_frame(batch->record_form, record);
		record += record_size(batch->record_form, record);
	}
	batch->shared.frames = batch->frames;
	batch->records = NULL;
}

bool batch_keep(struct batch *batch, struct rtap_batch *other)
{
	struct rtap_batch **held = array_grow(batch->held, &batch->held_room, batch->held_count + 1, sizeof *held);

	if (!held)
		return false;
	batch->held = held;
	batch->held[batch->held_count++] = rtap_batch_hold(other);
	return true;
}

struct rtap_span *batch_comments(struct batch *batch, uint32_t count)
{
	struct batch_comments *chunk = SLIST_FIRST(&batch->comments);

	if (!chunk || chunk->room - chunk->used < count) {
		size_t room = count > COMMENTS_A_CHUNK ? count : COMMENTS_A_CHUNK;

		chunk = malloc(sizeof *chunk + room * sizeof chunk->spans[0]);
		if (!chunk)
			return NULL;
		chunk->used = 0;
		chunk->room = room;
		SLIST_INSERT_HEAD(&batch->comments, chunk, link);
	}
	chunk->used += count;
	return chunk->spans + chunk->used - count;
}

struct rtap_batch *rtap_batch_hold(struct rtap_batch *batch)
{
	atomic_fetch_add_explicit(&((struct batch *)batch)->references, 1, memory_order_relaxed);
	return batch;
}

static void batch_empty(struct batch *batch)
{
	struct batch_comments *chunk;

	batch_block_release(batch->block);
	batch->block = NULL;
	if (batch->borrowed)
		batch->borrowed->give_back(batch->borrowed);
	batch->borrowed = NULL;
	while (batch->held_count)
		rtap_batch_release(batch->held[--batch->held_count]);
	while ((chunk = SLIST_FIRST(&batch->comments))) {
		SLIST_REMOVE_HEAD(&batch->comments, link);
		free(chunk);
	}
}

void rtap_batch_release(struct rtap_batch *shared)
{
	struct batch *batch = (struct batch *)shared;
	struct batch_pool *pool;

	if (!batch || atomic_fetch_sub_explicit(&batch->references, 1, memory_order_acq_rel) != 1)
		return;
	pool = batch->pool;
	batch_empty(batch);
	pthread_mutex_lock(&pool->lock);
	if (pool->batch_count < SPARE_BATCHES) {
		SLIST_INSERT_HEAD(&pool->batches, batch, spare);
		pool->batch_count++;
		batch = NULL;
	}
	pthread_mutex_unlock(&pool->lock);
	if (batch)
		batch_free(batch);
	batch_pool_release(pool);
}
