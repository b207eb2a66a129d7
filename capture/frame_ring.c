/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include "capture/frame_ring.h"

#define CHUNKS 32                    /* minimum number, unless they would be too short for long frames */
#define LEAST_CHUNK (320u * 1024)    /* longer than any frame of libpcap */
#define MOST_CHUNK (4u << 20)
#define ALIGNMENT 8
#define NS_A_MS 1000000
#define MS_A_SECOND 1000

/* Before the bytes of a copied frame. */
struct stored {
	int64_t time_ns;
	uint64_t number;
	uint32_t captured_length, wire_length, link_type, interface;
	uint8_t time_digits;
};

/* Frames, one after the other: copies, or the records of a batch. Those before `used` do not change. */
struct chunk {
	TAILQ_ENTRY(chunk) link;
	atomic_size_t used;
	int64_t earliest_ns, latest_ns; /* time of the first frame; the latest time */
	int64_t set_back_ns;      /* until then */
	uint64_t first, count;    /* frames appended before it; the appending thread's: frames of it */
	size_t charge;            /* memory */
	struct batch_block *block; /* with the records; NULL: copies */
	const uint8_t *records;
	enum record_form form;
	_Alignas(ALIGNMENT) uint8_t copies[];
};

TAILQ_HEAD(chunk_list, chunk);

/* Place of a reader: the chunk is not reused. NULL: there is no reader, or it has not begun. */
struct place {
	struct chunk *chunk;
	size_t at;                /* the reading thread's */
	uint64_t number;          /* the reading thread's: frames before `at` since the ring was created */
	int64_t set_back_ns;      /* when reading began */
};

struct frame_ring {
	size_t chunk_size;             /* bytes of the copies of a chunk */
	uint64_t max_bytes;
	int64_t max_age_ns;
	struct chunk *last;            /* the appending thread's: receives copies; NULL: none */
	struct frame_ring_state state; /* the appending thread's */
	atomic_uint follower_waits;    /* 0 or 1; changed and read by read-modify-write, which orders it with the frames appended */
	pthread_mutex_t lock;
	pthread_cond_t moved;          /* the reader has left a chunk */
	pthread_cond_t appended;       /* for the follower */
	struct chunk_list chunks, spare; /* with frames; chunks for copies */
	uint64_t bytes;                /* of all chunks */
	struct place reader, follower;
	bool follower_is_late;         /* its chunk is not in the list any more */
};

static bool init_timed_wait(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;
	bool done;

	if (pthread_condattr_init(&attributes))
		return false;
	done = !pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) && !pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
	return done;
}

static bool init_threads(struct frame_ring *ring)
{
	if (pthread_mutex_init(&ring->lock, NULL))
		return false;
	if (!pthread_cond_init(&ring->moved, NULL)) {
		if (init_timed_wait(&ring->appended))
			return true;
		pthread_cond_destroy(&ring->moved);
	}
	pthread_mutex_destroy(&ring->lock);
	return false;
}

struct frame_ring *frame_ring_create(uint64_t max_bytes, int64_t max_age_ns)
{
	struct frame_ring *ring = calloc(1, sizeof *ring);
	uint64_t size = max_bytes / CHUNKS;

	if (!ring || !init_threads(ring)) {
		free(ring);
		return NULL;
	}
	ring->chunk_size = size < LEAST_CHUNK ? LEAST_CHUNK : size > MOST_CHUNK ? MOST_CHUNK : (size_t)size;
	ring->max_bytes = max_bytes;
	ring->max_age_ns = max_age_ns;
	TAILQ_INIT(&ring->chunks);
	TAILQ_INIT(&ring->spare);
	return ring;
}

static void free_chunk(struct frame_ring *ring, struct chunk *chunk)
{
	ring->bytes -= chunk->charge;
	batch_block_release(chunk->block);
	free(chunk);
}

static void free_chunks(struct frame_ring *ring, struct chunk_list *chunks)
{
	struct chunk *chunk;

	while ((chunk = TAILQ_FIRST(chunks))) {
		TAILQ_REMOVE(chunks, chunk, link);
		free_chunk(ring, chunk);
	}
}

void frame_ring_destroy(struct frame_ring *ring)
{
	if (!ring)
		return;
	if (ring->follower_is_late)
		free_chunk(ring, ring->follower.chunk);
	free_chunks(ring, &ring->chunks);
	free_chunks(ring, &ring->spare);
	pthread_cond_destroy(&ring->appended);
	pthread_cond_destroy(&ring->moved);
	pthread_mutex_destroy(&ring->lock);
	free(ring);
}

/* Call with the lock held: the oldest chunk, unless the reader still needs it. */
static struct chunk *oldest(struct frame_ring *ring)
{
	struct chunk *chunk = TAILQ_FIRST(&ring->chunks);

	return chunk == ring->reader.chunk ? NULL : chunk;
}

/* Call with the lock held: frees a chunk that is not in the list any more, or keeps it for copies. */
static void recycle(struct frame_ring *ring, struct chunk *chunk)
{
	if (chunk->block)
		free_chunk(ring, chunk);
	else
		TAILQ_INSERT_HEAD(&ring->spare, chunk, link);
}

/* Call with the lock held. */
static void discard(struct frame_ring *ring, struct chunk *chunk)
{
	TAILQ_REMOVE(&ring->chunks, chunk, link);
	ring->state.has_overwritten = true;
	if (chunk == ring->last)
		ring->last = NULL;
	if (chunk == ring->follower.chunk)
		ring->follower_is_late = true;
	else
		recycle(ring, chunk);
}

static int64_t by_present_clock(const struct frame_ring *ring, const struct chunk *chunk, int64_t time_ns)
{
	return time_ns - (ring->state.set_back_ns - chunk->set_back_ns);
}

/* Call with the lock held: drops chunks that are too old, and those that, with `more` bytes, exceed three quarters of the memory. */
static void discard_old(struct frame_ring *ring, size_t more)
{
	uint64_t history = ring->max_bytes - ring->max_bytes / 4;
	struct chunk *chunk;

	while ((chunk = oldest(ring)) && TAILQ_NEXT(chunk, link) &&
	       ((ring->bytes + more > history && (chunk->block || TAILQ_EMPTY(&ring->spare))) ||
		(ring->max_age_ns && by_present_clock(ring, chunk, chunk->latest_ns) < ring->state.latest_ns - ring->max_age_ns)))
		discard(ring, chunk);
}

/* Call with the lock held, which is released meanwhile: makes room for `more` bytes. False: there is no room and never will be. */
static bool make_room(struct frame_ring *ring, size_t more)
{
	struct chunk *chunk;

	while (ring->bytes + more > ring->max_bytes) {
		if ((chunk = TAILQ_FIRST(&ring->spare))) {
			TAILQ_REMOVE(&ring->spare, chunk, link);
			free_chunk(ring, chunk);
		} else if ((chunk = oldest(ring))) {
			discard(ring, chunk);
		} else if (ring->reader.chunk) {
			ring->state.waits++;
			pthread_cond_wait(&ring->moved, &ring->lock);
		} else {
			return false;
		}
	}
	return true;
}

/* Call with the lock held, which is released meanwhile: a chunk for copies. NULL: out of memory. */
static struct chunk *get_chunk(struct frame_ring *ring)
{
	const size_t charge = sizeof(struct chunk) + ring->chunk_size;
	struct chunk *chunk;

	discard_old(ring, charge);
	chunk = TAILQ_FIRST(&ring->spare);
	if (chunk) {
		TAILQ_REMOVE(&ring->spare, chunk, link);
		return chunk;
	}
	if (!make_room(ring, charge) || !(chunk = malloc(charge)))
		return NULL;
	ring->bytes += charge;
	chunk->charge = charge;
	chunk->block = NULL;
	return chunk;
}

/* Call with the lock held. */
static void add_chunk(struct frame_ring *ring, struct chunk *chunk)
{
	chunk->first = ring->state.frames;
	chunk->set_back_ns = ring->state.set_back_ns;
	chunk->count = 0;
	TAILQ_INSERT_TAIL(&ring->chunks, chunk, link);
}

static bool next_chunk(struct frame_ring *ring)
{
	struct chunk *chunk;

	pthread_mutex_lock(&ring->lock);
	chunk = get_chunk(ring);
	if (chunk) {
		atomic_init(&chunk->used, 0);
		chunk->latest_ns = INT64_MIN;
		add_chunk(ring, chunk);
	}
	ring->last = chunk;
	pthread_mutex_unlock(&ring->lock);
	return chunk;
}

static size_t stored_size(uint32_t length)
{
	return sizeof(struct stored) + (((size_t)length + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1));
}

static void note_time(struct frame_ring *ring, int64_t time_ns)
{
	if (!ring->state.frames || time_ns > ring->state.latest_ns)
		ring->state.latest_ns = time_ns;
}

static int64_t latest_of(const struct rtap_frame *frames, size_t count)
{
	int64_t latest_ns = INT64_MIN;

	for (size_t i = 0; i < count; i++)
		latest_ns = frames[i].time_ns > latest_ns ? frames[i].time_ns : latest_ns;
	return latest_ns;
}

/* The number of frames after which all others are so much earlier that their clock was set back. */
static size_t frames_before_set_back(const struct frame_ring *ring, const struct rtap_frame *frames, size_t count)
{
	int64_t latest_ns = latest_of(frames, count);

	if (ring->state.frames && ring->state.latest_ns > latest_ns)
		latest_ns = ring->state.latest_ns;
	while (count && frames[count - 1].time_ns <= latest_ns - BATCH_SET_BACK_NS)
		count--;
	return count;
}

/* The latest time of frames that are to be appended, and that of the first: frames after a clock was set back have chunks of their own. */
static void follow_clock(struct frame_ring *ring, int64_t latest_ns, int64_t first_ns)
{
	if (!ring->state.frames || latest_ns > ring->state.latest_ns - BATCH_SET_BACK_NS)
		return;
	pthread_mutex_lock(&ring->lock);
	ring->state.set_back_ns += ring->state.latest_ns - first_ns;
	ring->state.latest_ns = first_ns;
	ring->last = NULL;
	pthread_mutex_unlock(&ring->lock);
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
	memcpy(ring->last->copies + used, &stored, sizeof stored);
	memcpy(ring->last->copies + used + sizeof stored, frame->bytes, frame->captured_length);
	if (!ring->last->count++)
		ring->last->earliest_ns = frame->time_ns;
	if (frame->time_ns > ring->last->latest_ns)
		ring->last->latest_ns = frame->time_ns;
	note_time(ring, frame->time_ns);
	ring->state.frames++;
	atomic_store_explicit(&ring->last->used, used + size, memory_order_release);
}

/* The follower has something to read. */
static void wake_follower(struct frame_ring *ring)
{
	if (!atomic_fetch_or(&ring->follower_waits, 0))
		return;
	pthread_mutex_lock(&ring->lock);
	pthread_cond_signal(&ring->appended);
	pthread_mutex_unlock(&ring->lock);
}

void frame_ring_append(struct frame_ring *ring, const struct rtap_frame *frames, size_t count)
{
	size_t same = frames_before_set_back(ring, frames, count);

	for (size_t i = 0; i < same; i++)
		append(ring, &frames[i]);
	if (same < count)
		follow_clock(ring, latest_of(frames + same, count - same), frames[same].time_ns);
	for (size_t i = same; i < count; i++)
		append(ring, &frames[i]);
	wake_follower(ring);
}

/* Bytes of the first `count` records. */
static size_t records_size(const struct batch *batch, size_t count)
{
	size_t size = 0;

	if (count == batch->shared.count)
		return batch->record_bytes;
	for (size_t i = 0; i < count; i++)
		size += record_size(batch->record_form, batch->records + size);
	return size;
}

static void append_records(struct frame_ring *ring, const struct batch *batch, size_t count)
{
	size_t size = records_size(batch, count), charge = sizeof(struct chunk) + size;
	int64_t first_ns = record_frame(batch->record_form, batch->records).time_ns;
	struct chunk *chunk = malloc(sizeof *chunk);

	follow_clock(ring, batch->latest_ns, first_ns);
	pthread_mutex_lock(&ring->lock);
	discard_old(ring, charge);
	if (!chunk || !make_room(ring, charge)) {
		ring->state.lost += count;
		pthread_mutex_unlock(&ring->lock);
		free(chunk);
		return;
	}
	ring->bytes += charge;
	chunk->charge = charge;
	chunk->block = batch_block_hold(batch->block);
	chunk->records = batch->records;
	chunk->form = batch->record_form;
	chunk->earliest_ns = first_ns;
	chunk->latest_ns = batch->latest_ns;
	add_chunk(ring, chunk);
	chunk->count = count;
	atomic_init(&chunk->used, size);
	ring->last = NULL;
	note_time(ring, batch->latest_ns);
	ring->state.frames += count;
	pthread_mutex_unlock(&ring->lock);
}

void frame_ring_append_batch(struct frame_ring *ring, struct batch *batch, size_t count)
{
	if (!count)
		return;
	if (batch->records && batch->has_set_back) {
		batch_unpack(batch);
		for (size_t i = 0; i < count; i++) {
			batch->frames[i].number = ring->state.frames + i + 1;
			batch->frames[i].time_digits = 9;
		}
	}
	if (!batch->records) {
		frame_ring_append(ring, batch->shared.frames, count);
		return;
	}
	append_records(ring, batch, count);
	wake_follower(ring);
}

struct frame_ring_state frame_ring_state(struct frame_ring *ring)
{
	const struct chunk *chunk;

	pthread_mutex_lock(&ring->lock);
	ring->state.bytes = ring->bytes;
	chunk = TAILQ_FIRST(&ring->chunks);
	if (chunk && chunk->count)
		ring->state.earliest_ns = by_present_clock(ring, chunk, chunk->earliest_ns);
	pthread_mutex_unlock(&ring->lock);
	return ring->state;
}

void frame_ring_begin(struct frame_ring *ring, int64_t begin_ns)
{
	struct chunk *chunk;

	/* without memory, nothing will be appended either */
	if (TAILQ_EMPTY(&ring->chunks) && !next_chunk(ring))
		return;
	pthread_mutex_lock(&ring->lock);
	TAILQ_FOREACH(chunk, &ring->chunks, link)
		if (!TAILQ_NEXT(chunk, link) || by_present_clock(ring, chunk, chunk->latest_ns) >= begin_ns)
			break;
	ring->reader = (struct place){ chunk, 0, chunk->first, ring->state.set_back_ns };
	pthread_mutex_unlock(&ring->lock);
}

static size_t used(const struct chunk *chunk)
{
	return atomic_load_explicit(&chunk->used, memory_order_acquire);
}

/* Call with the lock held. False: the place is in the last chunk. */
static bool move_on(struct place *place)
{
	struct chunk *next = TAILQ_NEXT(place->chunk, link);

	if (!next)
		return false;
	*place = (struct place){ next, 0, next->first, place->set_back_ns };
	return true;
}

/* Advances to the next chunk if this one has been read. False: all frames have been read. */
static bool find_frame(struct frame_ring *ring)
{
	bool found;

	pthread_mutex_lock(&ring->lock);
	/* it may have been filled up just now */
	found = ring->reader.at < used(ring->reader.chunk);
	if (!found && move_on(&ring->reader)) {
		pthread_cond_signal(&ring->moved);
		found = true;
	}
	pthread_mutex_unlock(&ring->lock);
	return found;
}

/* The frame at the place, which moves after it. */
static struct rtap_frame take(struct place *place)
{
	const struct chunk *chunk = place->chunk;
	const uint8_t *copy = chunk->copies + place->at;
	struct rtap_frame frame;
	struct stored stored;

	place->number++;
	if (chunk->block) {
		frame = record_frame(chunk->form, chunk->records + place->at);
		frame.number = place->number;
		frame.time_digits = 9;
		place->at += record_size(chunk->form, chunk->records + place->at);
		return frame;
	}
	memcpy(&stored, copy, sizeof stored);
	place->at += stored_size(stored.captured_length);
	return (struct rtap_frame){
		.bytes = copy + sizeof stored, .captured_length = stored.captured_length, .wire_length = stored.wire_length,
		.link_type = stored.link_type, .interface = stored.interface, .number = stored.number, .time_ns = stored.time_ns,
		.time_digits = stored.time_digits,
	};
}

bool frame_ring_next(struct frame_ring *ring, struct rtap_frame *frame)
{
	if (!ring->reader.chunk)
		return false;
	while (ring->reader.at >= used(ring->reader.chunk))
		if (!find_frame(ring))
			return false;
	*frame = take(&ring->reader);
	return true;
}

int64_t frame_ring_correction(const struct frame_ring *ring)
{
	return ring->reader.chunk->set_back_ns - ring->reader.set_back_ns;
}

void frame_ring_end(struct frame_ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	ring->reader.chunk = NULL;
	pthread_cond_signal(&ring->moved);
	pthread_mutex_unlock(&ring->lock);
}

/* Call with the lock held: finds a chunk with frames for the follower. False: there is none yet. */
static bool find_for_follower(struct frame_ring *ring, uint64_t *missed)
{
	struct place *place = &ring->follower;
	struct chunk *left = place->chunk;

	if (left && place->at < used(left))
		return true;
	if (left && !ring->follower_is_late)
		return move_on(place) && place->at < used(place->chunk);
	if (TAILQ_EMPTY(&ring->chunks))
		return false;
	place->chunk = TAILQ_FIRST(&ring->chunks);
	place->at = 0;
	*missed += place->chunk->first - place->number;
	place->number = place->chunk->first;
	if (left)
		recycle(ring, left);
	ring->follower_is_late = false;
	return used(place->chunk);
}

static struct timespec after(unsigned wait_ms)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_sec += wait_ms / MS_A_SECOND;
	time.tv_nsec += (long)(wait_ms % MS_A_SECOND) * NS_A_MS;
	if (time.tv_nsec >= (long)MS_A_SECOND * NS_A_MS) {
		time.tv_sec++;
		time.tv_nsec -= (long)MS_A_SECOND * NS_A_MS;
	}
	return time;
}

size_t frame_ring_follow(struct frame_ring *ring, struct rtap_frame *frames, size_t most, unsigned wait_ms, uint64_t *missed)
{
	const struct timespec until = after(wait_ms);
	size_t count = 0;
	bool found;

	*missed = 0;
	pthread_mutex_lock(&ring->lock);
	atomic_exchange(&ring->follower_waits, 1);
	while (!(found = find_for_follower(ring, missed)) && wait_ms && !pthread_cond_timedwait(&ring->appended, &ring->lock, &until))
		;
	atomic_store_explicit(&ring->follower_waits, 0, memory_order_relaxed);
	pthread_mutex_unlock(&ring->lock);
	while (found && count < most && ring->follower.at < used(ring->follower.chunk))
		frames[count++] = take(&ring->follower);
	return count;
}
