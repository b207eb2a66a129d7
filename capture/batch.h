/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_BATCH_H
#define CAPTURE_BATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/frame.h>

/* Frames that one batch holds at most. */
#define BATCH_FRAMES 1024

/*
 * Where blocks and batches come from and go back to. Outlives its owner for as long as any block or batch of it is
 * held; these may be released by any thread.
 */
struct batch_pool;

/* Memory that files are read into and that frames point into. */
struct batch_block {
	atomic_uint references;
	struct batch_pool *pool;
	struct batch_block *next; /* in the pool */
	size_t size;
	uint8_t bytes[];
};

/*
 * Memory that is not a pool's and that a batch's frames point into: receive buffers that a device lends. It is embedded in
 * whatever the device knows its buffers by.
 */
struct batch_loan {
	/* The batch is gone. Called once for each batch that it was lent to, by the thread that released it last. */
	void (*give_back)(struct batch_loan *loan);
};

/*
 * A frame of an Ethernet device in a row of slots. A quarter of what struct rtap_frame takes: what one processor writes and another one
 * reads costs both of them.
 */
struct batch_packed {
	uint32_t slot, wire_length;
	int64_t time_ns;
};

/* A batch being filled. */
struct batch {
	struct rtap_batch shared; /* what users see; the first member */
	atomic_uint references;
	struct batch_pool *pool;
	struct batch *next;               /* in the pool */
	struct batch_block *block;        /* that its frames point into; NULL: none yet */
	struct batch_loan *loan;          /* what its frames point into instead; NULL: nothing is lent */
	bool counts_only;                 /* shared.frames is NULL; these have so many bytes captured, and so many were cut */
	uint64_t counted_bytes, counted_cut; /* the bytes also of packed ones */
	const uint8_t *slots;             /* `packed` has the frames until batch_unpack(); NULL: `frames` has */
	uint32_t slot_stride, slot_most;  /* from slot to slot; bytes captured of a frame at the most */
	bool closed;                      /* no more frames may be added: its block is full, or its loan ends here */
	struct rtap_batch **held;         /* other batches that its frames point into */
	size_t held_count, held_room;
	struct batch_comments *comments;  /* where frame->comments point to */
	struct batch_packed packed[BATCH_FRAMES];
	struct rtap_frame frames[BATCH_FRAMES];
};

/* Blocks get `block_size` bytes unless more is asked for. Returns NULL when memory is out. */
struct batch_pool *batch_pool_create(size_t block_size);

/* The owner's reference goes. NULL is ignored. */
void batch_pool_release(struct batch_pool *pool);

size_t batch_pool_block_size(const struct batch_pool *pool);

/* Gives a block of at least `size` bytes with one reference, or NULL when memory is out. */
struct batch_block *batch_block_get(struct batch_pool *pool, size_t size);
struct batch_block *batch_block_hold(struct batch_block *block);
void batch_block_release(struct batch_block *block);

/* Whether the caller has the only reference, so that the bytes may change. */
bool batch_block_is_unshared(struct batch_block *block);

/* Gives an empty batch with one reference, or NULL when memory is out. rtap_batch_release() gives it back. */
struct batch *batch_get(struct batch_pool *pool);

/* Writes the frames out that are packed, if any are. */
void batch_unpack(struct batch *batch);

/* Keeps `other` for as long as `batch` lives. False: memory is out. */
bool batch_keep(struct batch *batch, struct rtap_batch *other) __attribute__((warn_unused_result));

/* Room for `count` comments of one frame that lives as long as the batch, or NULL when memory is out. */
struct rtap_span *batch_comments(struct batch *batch, uint32_t count);

#endif
