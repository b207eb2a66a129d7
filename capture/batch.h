/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_BATCH_H
#define CAPTURE_BATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rdmatap/frame.h>

#include "capture/record.h"

/* Maximum number of frames in a batch. */
#define BATCH_FRAMES 1024

/* Frames that are so much earlier than those before are not late: their clock was set back. */
#define BATCH_SET_BACK_NS INT64_C(10000000000)

/*
 * A pool of blocks and batches. It outlives its owner while any of its blocks or batches is referenced; any thread may
 * release these.
 */
struct batch_pool;

/* Memory into which files are read and to which frames point. */
struct batch_block {
	atomic_uint references;
	struct batch_pool *pool;
	SLIST_ENTRY(batch_block) spare; /* in the pool */
	size_t size;
	uint8_t bytes[];
};

/*
 * Borrowed memory outside of the pool to which a batch's frames point: a device's receive buffers. It is embedded in the device's
 * own description of the buffer.
 */
struct batch_buffer {
	/* Returns the buffer. Called once for each batch that borrowed it, by the thread that drops the batch's last reference. */
	void (*give_back)(struct batch_buffer *borrowed);
};

/* A batch being filled. */
struct batch {
	struct rtap_batch shared; /* the public part; the first member */
	atomic_uint references;
	struct batch_pool *pool;
	SLIST_ENTRY(batch) spare;         /* in the pool */
	struct batch_block *block;        /* to which its frames point; NULL: none yet */
	struct batch_buffer *borrowed;    /* borrowed buffer to which its frames point instead; NULL: none */
	bool counts_only;                 /* shared.frames is NULL; the two below are valid */
	uint64_t counted_bytes, counted_cut; /* captured bytes and truncated frames; also of records */
	const uint8_t *records;           /* records in `block`; shared.frames is NULL until batch_unpack(). NULL: none */
	size_t record_bytes;
	enum record_form record_form;
	int64_t latest_ns;                /* the latest time of the records */
	bool has_set_back;                /* the clock of the records was set back after some of them */
	bool closed;                      /* no more frames may be added: its block is full, or the borrowed buffer ends */
	struct rtap_batch **held;         /* other batches to whose memory its frames point */
	size_t held_count, held_room;
	SLIST_HEAD(, batch_comments) comments; /* to which frame->comments point */
	struct rtap_frame frames[BATCH_FRAMES];
};

/* Blocks have `block_size` bytes unless more are requested. Returns NULL if out of memory. */
struct batch_pool *batch_pool_create(size_t block_size);

/* Drops the owner's reference. NULL is ignored. */
void batch_pool_release(struct batch_pool *pool);

size_t batch_pool_block_size(const struct batch_pool *pool);

/* Returns a block of at least `size` bytes with one reference, or NULL if out of memory. */
struct batch_block *batch_block_get(struct batch_pool *pool, size_t size);
struct batch_block *batch_block_hold(struct batch_block *block);
void batch_block_release(struct batch_block *block);

/* Returns whether the caller has the only reference and may change the bytes. */
bool batch_block_is_unshared(struct batch_block *block);

/* Returns an empty batch with one reference, or NULL if out of memory. Release it with rtap_batch_release(). */
struct batch *batch_get(struct batch_pool *pool);

/* Expands records, if any, to shared.frames. */
void batch_unpack(struct batch *batch);

/* Holds a reference to `other` for the lifetime of `batch`. False: out of memory. */
bool batch_keep(struct batch *batch, struct rtap_batch *other) __attribute__((warn_unused_result));

/* Allocates `count` comments of one frame with the lifetime of the batch; NULL if out of memory. */
struct rtap_span *batch_comments(struct batch *batch, uint32_t count);

#endif
