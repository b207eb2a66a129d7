/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The latest frames in bounded memory. One thread appends. At the same time one thread may read from a past time on, for
 * which appending waits if necessary, and another one may follow, which misses frames if it is too slow.
 *
 * If all appended frames are more than 10 seconds earlier than the latest one, the clock was set back. The frames before are
 * then compared as if they had been stamped by the new clock, the last one at the time of the first one after.
 */
#ifndef CAPTURE_FRAME_RING_H
#define CAPTURE_FRAME_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/frame.h>

#include "capture/batch.h"

#define FRAME_RING_LEAST (UINT64_C(8) << 20) /* bytes */

struct frame_ring;

/* Keeps frames in at most `max_bytes` (at least FRAME_RING_LEAST), and none older than `max_age_ns` (0: any age). NULL: out of memory. */
struct frame_ring *frame_ring_create(uint64_t max_bytes, int64_t max_age_ns);

/* NULL is ignored. */
void frame_ring_destroy(struct frame_ring *ring);

/*
 * Appends copies of the frames, without comments. A quarter of the memory is reserved for appending during reading; if it is full,
 * appending waits for the reader, so that no frame that it needs is overwritten.
 */
void frame_ring_append(struct frame_ring *ring, const struct rtap_frame *frames, size_t count);

/*
 * Like frame_ring_append() for the first `count` frames of a batch. Records are not copied: the ring holds their block.
 * Records are numbered in the order in which they are appended, from 1.
 */
void frame_ring_append_batch(struct frame_ring *ring, struct batch *batch, size_t count);

/* Contents and counters of the ring. */
struct frame_ring_state {
	uint64_t bytes;        /* of memory in use */
	uint64_t frames;       /* appended so far */
	uint64_t lost;         /* frames not kept: too long, or out of memory */
	uint64_t waits;        /* times that appending waited for the reader */
	bool has_overwritten;  /* older frames have been overwritten */
	int64_t earliest_ns;   /* time of the oldest frame, by the present clock; valid with frames */
	int64_t latest_ns;     /* the latest time, by the present clock; valid with frames */
	int64_t set_back_ns;   /* by which the clock of the frames was set back since the first one, in total */
};

/* For the appending thread. */
struct frame_ring_state frame_ring_state(struct frame_ring *ring);

/*
 * For the appending thread: reading begins with the oldest block that has a frame of `begin_ns` or later, by the present clock. One reader at
 * a time.
 */
void frame_ring_begin(struct frame_ring *ring, int64_t begin_ns);

/* The next frame; valid until the next call. False: the reader has read all that was appended. For the reading thread. */
bool frame_ring_next(struct frame_ring *ring, struct rtap_frame *frame);

/* What to add to the time of the frame read last: it is by the clock of the beginning then. For the reading thread. */
int64_t frame_ring_correction(const struct frame_ring *ring);

/* Ends reading. For the reading thread. */
void frame_ring_end(struct frame_ring *ring);

/*
 * The next frames, at most `most`, of the following thread, in order; waits up to `wait_ms` for the first one. They are
 * valid until the next call. *missed: frames overwritten before these, since the last call.
 */
size_t frame_ring_follow(struct frame_ring *ring, struct rtap_frame *frames, size_t most, unsigned wait_ms, uint64_t *missed);

#endif
