/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "capture/frame_ring.h"

#define CHUNKS 32                    /* at the least, unless they would be too short for long frames */
#define LEAST_CHUNK (320u * 1024)    /* longer than any frame of libpcap */
#define MOST_CHUNK (4u << 20)
#define ALIGNMENT 8

/* Before the bytes of a frame. */
struct stored {
	int64_t time_ns;
	uint64_t number;
	uint32_t captured_length, wire_length, link_type, interface;
	uint8_t time_digits;
};

/* Frames, one after the other. Those before `used` do not change. */
struct chunk {
	TAILQ_ENTRY(chunk) link;
	atomic_size_t used;
	int64_t latest_ns;
	_Alignas(ALIGNMENT) uint8_t bytes[];
};

TAILQ_HEAD(chunk_list, chunk);

struct frame_ring {
	size_t chunk_size, most;       /* bytes of a chunk; chunks */
	int64_t max_age_ns;
	struct chunk *last;            /* the appending thread's; NULL: none */
	struct frame_ring_state state; /* the appending thread's */
	pthread_mutex_t lock;
	pthread_cond_t moved;          /* the reader has left a chunk */
	struct chunk_list chunks, spare;
	size_t count, spare_count;     /* of `chunks`, which hold frames; of `spare` */
	struct chunk *read;            /* the reader's; NULL: there is no reader */
	size_t read_at;                /* the reading thread's */
};

struct frame_ring *frame_ring_create(uint64_t max_bytes, int64_t max_age_ns)
{
	struct frame_ring *ring = calloc(1, sizeof *ring);
	uint64_t size = max_bytes / CHUNKS;

	if (!ring)
		return NULL;
	if (pthread_mutex_init(&ring->lock, NULL)) {
		free(ring);
		return NULL;
	}
	if (pthread_cond_init(&ring->moved, NULL)) {
		pthread_mutex_destroy(&ring->lock);
		free(ring);
		return NULL;
	}
	ring->chunk_size = size < LEAST_CHUNK ? LEAST_CHUNK : size > MOST_CHUNK ? MOST_CHUNK : (size_t)size;
	ring->most = (size_t)(max_bytes / ring->chunk_size);
	ring->max_age_ns = max_age_ns;
	TAILQ_INIT(&ring->chunks);
	TAILQ_INIT(&ring->spare);
	return ring;
}

static void free_chunks(struct chunk_list *chunks)
{
	struct chunk *chunk;

	while ((chunk = TAILQ_FIRST(chunks))) {
		TAILQ_REMOVE(chunks, chunk, link);
		free(chunk);
	}
}

void frame_ring_destroy(struct frame_ring *ring)
{
	if (!ring)
		return;
	free_chunks(&ring->chunks);
	free_chunks(&ring->spare);
	pthread_cond_destroy(&ring->moved);
	pthread_mutex_destroy(&ring->lock);
	free(ring);
}

/* Under the lock: the oldest chunk, unless it is still to be read. */
static struct chunk *oldest(struct frame_ring *ring)
{
	struct chunk *chunk = TAILQ_FIRST(&ring->chunks);

	return chunk == ring->read ? NULL : chunk;
}

/* Under the lock. */
static void forget(struct frame_ring *ring, struct chunk *chunk)
{
	TAILQ_REMOVE(&ring->chunks, chunk, link);
	ring->count--;
	TAILQ_INSERT_HEAD(&ring->spare, chunk, link);
	ring->spare_count++;
	ring->state.has_forgotten = true;
}

/* Under the lock: what is too old, and what exceeds three quarters of the memory. */
static void forget_old(struct frame_ring *ring)
{
	size_t history = ring->most - ring->most / 4;
	struct chunk *chunk;

	while ((chunk = oldest(ring)) && chunk != ring->last &&
	       (ring->count >= history || (ring->max_age_ns && ring->state.latest_ns - chunk->latest_ns > ring->max_age_ns)))
		forget(ring, chunk);
}

/* Under the lock, which is released meanwhile: a chunk to fill. NULL: out of memory. */
static struct chunk *get_chunk(struct frame_ring *ring)
{
	struct chunk *chunk;

	forget_old(ring);
	if (TAILQ_EMPTY(&ring->spare) && ring->count < ring->most) {
		chunk = malloc(sizeof *chunk + ring->chunk_size);
		if (chunk)
			return chunk;
	}
	while (TAILQ_EMPTY(&ring->spare)) {
		chunk = oldest(ring);
		if (chunk) {
			forget(ring, chunk);
		} else if (ring->read) {
			ring->state.waits++;
			pthread_cond_wait(&ring->moved, &ring->lock);
		} else {
			return NULL;
		}
	}
	chunk = TAILQ_FIRST(&ring->spare);
	TAILQ_REMOVE(&ring->spare, chunk, link);
	ring->spare_count--;
	return chunk;
}

static bool next_chunk(struct frame_ring *ring)
{
	struct chunk *chunk;

	pthread_mutex_lock(&ring->lock);
	chunk = get_chunk(ring);
	if (chunk) {
		atomic_init(&chunk->used, 0);
		chunk->latest_ns = INT64_MIN;
		TAILQ_INSERT_TAIL(&ring->chunks, chunk, link);
		ring->count++;
		ring->last = chunk;
	}
	pthread_mutex_unlock(&ring->lock);
	return chunk;
}

static size_t stored_size(uint32_t length)
{
	return sizeof(struct stored) + (((size_t)length + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1));
}

static void append(struct frame_ring *ring, const struct rtap_frame *frame)
{
	const struct stored stored = { frame->time_ns, frame->number, frame->captured_length, frame->wire_length, frame->link_type,
				       frame->interface, frame->time_digits };
	size_t size = stored_size(frame->captured_length), used = ring->last ? atomic_load_explicit(&ring->last->used, memory_order_relaxed) : 0;

	if (size > ring->chunk_size || ((!ring->last || used + size > ring->chunk_size) && !next_chunk(ring))) {
		ring->state.lost++;
		return;
	}
	used = atomic_load_explicit(&ring->last->used, memory_order_relaxed);
	memcpy(ring->last->bytes + used, &stored, sizeof stored);
	memcpy(ring->last->bytes + used + sizeof stored, frame->bytes, frame->captured_length);
	if (frame->time_ns > ring->last->latest_ns)
		ring->last->latest_ns = frame->time_ns;
	if (!ring->state.frames || frame->time_ns > ring->state.latest_ns)
		ring->state.latest_ns = frame->time_ns;
	ring->state.frames++;
	atomic_store_explicit(&ring->last->used, used + size, memory_order_release);
}

void frame_ring_append(struct frame_ring *ring, const struct rtap_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++)
		append(ring, &frames[i]);
}

struct frame_ring_state frame_ring_state(struct frame_ring *ring)
{
	struct stored stored;

	pthread_mutex_lock(&ring->lock);
	ring->state.bytes = (ring->count + ring->spare_count) * (sizeof(struct chunk) + ring->chunk_size);
	if (ring->count) {
		memcpy(&stored, TAILQ_FIRST(&ring->chunks)->bytes, sizeof stored);
		ring->state.earliest_ns = stored.time_ns;
	}
	pthread_mutex_unlock(&ring->lock);
	return ring->state;
}

void frame_ring_begin(struct frame_ring *ring, int64_t begin_ns)
{
	struct chunk *chunk;

	/* without memory, nothing will be appended either */
	if (!ring->last && !next_chunk(ring))
		return;
	pthread_mutex_lock(&ring->lock);
	TAILQ_FOREACH(chunk, &ring->chunks, link)
		if (chunk == ring->last || chunk->latest_ns >= begin_ns)
			break;
	ring->read = chunk;
	ring->read_at = 0;
	pthread_mutex_unlock(&ring->lock);
}

/* Goes on to the next chunk if this one has been read. False: there is no frame that was not read. */
static bool find_frame(struct frame_ring *ring)
{
	bool found;

	pthread_mutex_lock(&ring->lock);
	/* it may have been filled up just now */
	found = ring->read_at < atomic_load_explicit(&ring->read->used, memory_order_acquire);
	if (!found && TAILQ_NEXT(ring->read, link)) {
		ring->read = TAILQ_NEXT(ring->read, link);
		ring->read_at = 0;
		pthread_cond_signal(&ring->moved);
		found = true;
	}
	pthread_mutex_unlock(&ring->lock);
	return found;
}

bool frame_ring_next(struct frame_ring *ring, struct rtap_frame *frame)
{
	struct stored stored;

	if (!ring->read)
		return false;
	while (ring->read_at >= atomic_load_explicit(&ring->read->used, memory_order_acquire))
		if (!find_frame(ring))
			return false;
	memcpy(&stored, ring->read->bytes + ring->read_at, sizeof stored);
	*frame = (struct rtap_frame){
		.bytes = ring->read->bytes + ring->read_at + sizeof stored, .captured_length = stored.captured_length, .wire_length = stored.wire_length,
		.link_type = stored.link_type, .interface = stored.interface, .number = stored.number, .time_ns = stored.time_ns,
		.time_digits = stored.time_digits,
	};
	ring->read_at += stored_size(stored.captured_length);
	return true;
}

void frame_ring_end(struct frame_ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	ring->read = NULL;
	pthread_cond_signal(&ring->moved);
	pthread_mutex_unlock(&ring->lock);
}
