/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "capture/frame_ring.h"

#define MS 1000000
#define HOUR (INT64_C(3600000) * MS)

/* Frame `number`: one millisecond each, its number at both ends, between 16 and 2,000 bytes. */
static struct rtap_frame frame_of(uint64_t number, uint8_t *bytes)
{
	uint32_t length = 16 + (uint32_t)(number * 2654435761u % 1985);

	memset(bytes, (int)(number % 251), length);
	memcpy(bytes, &number, sizeof number);
	memcpy(bytes + length - sizeof number, &number, sizeof number);
	return (struct rtap_frame){ .bytes = bytes, .captured_length = length, .wire_length = length + 7, .link_type = 1, .interface = 2,
				    .number = number, .time_ns = (int64_t)number * MS };
}

static void append(struct frame_ring *ring, uint64_t from, uint64_t to)
{
	uint8_t bytes[2048];

	for (uint64_t number = from; number < to; number++) {
		struct rtap_frame frame = frame_of(number, bytes);

		frame_ring_append(ring, &frame, 1);
	}
}

static void check(const struct rtap_frame *frame, uint64_t number)
{
	uint8_t bytes[2048];
	struct rtap_frame wanted = frame_of(number, bytes);

	cr_assert_eq(frame->number, number, "frame %lu instead of %lu", (unsigned long)frame->number, (unsigned long)number);
	cr_assert_eq(frame->captured_length, wanted.captured_length);
	cr_assert_eq(frame->wire_length, wanted.wire_length);
	cr_assert_eq(frame->time_ns, wanted.time_ns);
	cr_assert_eq(frame->interface, 2);
	cr_assert_arr_eq(frame->bytes, bytes, wanted.captured_length);
}

TestSuite(frame_ring, .timeout = HANG_SECONDS);

Test(frame_ring, the_latest_frames_are_kept_in_the_memory_given)
{
	struct frame_ring *ring = frame_ring_create(FRAME_RING_LEAST, 0);
	struct frame_ring_state state;
	struct rtap_frame frame;
	uint64_t next;

	append(ring, 1, 100001); /* some 100 MB */
	state = frame_ring_state(ring);
	cr_assert(state.has_overwritten);
	cr_assert_leq(state.bytes, FRAME_RING_LEAST + FRAME_RING_LEAST / 100);
	cr_assert_eq(state.frames, 100000);
	cr_assert_eq(state.latest_ns, INT64_C(100000) * MS);
	frame_ring_begin(ring, 0);
	next = (uint64_t)(state.earliest_ns / MS);
	/* more than half of the memory is history */
	cr_assert_geq((100001 - next) * 1000, FRAME_RING_LEAST / 2);
	for (; frame_ring_next(ring, &frame); next++)
		check(&frame, next);
	cr_assert_eq(next, 100001);
	frame_ring_end(ring);
	cr_assert_eq(state.lost, 0);
	frame_ring_destroy(ring);
}

Test(frame_ring, old_frames_are_discarded_by_age)
{
	struct frame_ring *ring = frame_ring_create(UINT64_C(64) << 20, INT64_C(5000) * MS);

	append(ring, 1, 30001);
	cr_assert_geq(frame_ring_state(ring).earliest_ns, INT64_C(21000) * MS);
	cr_assert_leq(frame_ring_state(ring).earliest_ns, INT64_C(25000) * MS);
	frame_ring_destroy(ring);
}

Test(frame_ring, reading_begins_in_the_past)
{
	struct frame_ring *ring = frame_ring_create(UINT64_C(16) << 20, 0);
	struct rtap_frame frame;

	append(ring, 1, 10001);
	frame_ring_begin(ring, INT64_C(9000) * MS);
	cr_assert(frame_ring_next(ring, &frame));
	cr_assert_leq(frame.number, 9000);
	cr_assert_gt(frame.number, 8000);
	frame_ring_end(ring);
	frame_ring_destroy(ring);
}

/* Frames 1 to 10,000, and 10,001 to `last` with times that are an hour earlier; `at_once` are appended together. */
static void append_set_back(struct frame_ring *ring, uint64_t last, size_t at_once)
{
	static uint8_t bytes[1000][2048];
	struct rtap_frame frames[1000];

	for (uint64_t number = 1; number <= last; number += at_once) {
		for (size_t i = 0; i < at_once; i++) {
			frames[i] = frame_of(number + i, bytes[i]);
			if (number + i > 10000)
				frames[i].time_ns -= HOUR;
		}
		frame_ring_append(ring, frames, at_once);
	}
}

Test(frame_ring, frames_from_before_a_clock_was_set_back_are_compared_by_the_present_one)
{
	static const size_t at_once[] = { 1, 700, 1000 };

	for (size_t i = 0; i < sizeof at_once / sizeof at_once[0]; i++) {
		struct frame_ring *ring = frame_ring_create(UINT64_C(64) << 20, INT64_C(8000) * MS);
		uint64_t last = 12600, next;
		struct rtap_frame frame;

		append_set_back(ring, last, at_once[i]);
		last = frame_ring_state(ring).frames;
		cr_assert_geq(last, 12600);
		cr_assert_eq(frame_ring_state(ring).latest_ns, (int64_t)last * MS - HOUR);
		/* the last frame before is taken to be of the time of the first one after */
		cr_assert_eq(frame_ring_state(ring).set_back_ns, HOUR - MS);
		/* of 8 seconds, and what was in a block with them */
		cr_assert_leq(frame_ring_state(ring).earliest_ns, INT64_C(5600) * MS - HOUR);
		cr_assert_geq(frame_ring_state(ring).earliest_ns, INT64_C(500) * MS - HOUR);
		frame_ring_begin(ring, INT64_C(9000) * MS - HOUR);
		cr_assert(frame_ring_next(ring, &frame));
		cr_assert_leq(frame.number, 9000);
		cr_assert_gt(frame.number, 4000);
		for (next = frame.number + 1; frame_ring_next(ring, &frame); next++) {
			int64_t time_ns = frame.time_ns + frame_ring_correction(ring);

			cr_assert_eq(frame.number, next);
			cr_assert_eq(frame.time_ns, (int64_t)next * MS - (next > 10000 ? HOUR : 0));
			cr_assert_eq(time_ns, (int64_t)(next + (next <= 10000)) * MS - HOUR, "%lu", (unsigned long)next);
		}
		cr_assert_eq(next, last + 1);
		frame_ring_end(ring);
		frame_ring_destroy(ring);
	}
}

Test(frame_ring, an_empty_ring_can_be_read)
{
	struct frame_ring *ring = frame_ring_create(FRAME_RING_LEAST, 0);
	struct rtap_frame frame;

	frame_ring_begin(ring, 0);
	cr_assert_not(frame_ring_next(ring, &frame));
	append(ring, 5, 6);
	cr_assert(frame_ring_next(ring, &frame));
	check(&frame, 5);
	frame_ring_end(ring);
	frame_ring_destroy(ring);
}

Test(frame_ring, a_frame_that_is_too_long_is_counted)
{
	struct frame_ring *ring = frame_ring_create(FRAME_RING_LEAST, 0);
	static uint8_t bytes[1 << 20];
	struct rtap_frame frame = { .bytes = bytes, .captured_length = sizeof bytes, .wire_length = sizeof bytes };

	frame_ring_append(ring, &frame, 1);
	cr_assert_eq(frame_ring_state(ring).lost, 1);
	cr_assert_eq(frame_ring_state(ring).frames, 0);
	frame_ring_destroy(ring);
}

#define LAST 400000 /* some 400 MB, through 8 MB */

static void *read_all(void *argument)
{
	struct frame_ring *ring = argument;
	struct rtap_frame frame;
	uint64_t next = 0;

	while (next < LAST) {
		if (!frame_ring_next(ring, &frame))
			continue;
		check(&frame, next ? next + 1 : frame.number);
		next = frame.number;
	}
	frame_ring_end(ring);
	return NULL;
}

Test(frame_ring, a_reader_that_is_slower_misses_nothing)
{
	struct frame_ring *ring = frame_ring_create(FRAME_RING_LEAST, 0);
	pthread_t reader;

	append(ring, 1, 20001);
	frame_ring_begin(ring, INT64_C(19000) * MS);
	cr_assert_eq(pthread_create(&reader, NULL, read_all, ring), 0);
	append(ring, 20001, LAST + 1);
	pthread_join(reader, NULL);
	cr_assert_eq(frame_ring_state(ring).lost, 0);
	cr_assert_leq(frame_ring_state(ring).bytes, FRAME_RING_LEAST + FRAME_RING_LEAST / 100);
	/* afterwards it goes on */
	append(ring, LAST + 1, LAST + 20001);
	cr_assert_eq(frame_ring_state(ring).latest_ns, INT64_C(420000) * MS);
	frame_ring_destroy(ring);
}

/* Follows frames until `last`; with gaps, if it is late. Returns how many were missed. */
static uint64_t follow(struct frame_ring *ring, uint64_t from, uint64_t last)
{
	uint64_t next = from, missed, all = 0;
	struct rtap_frame frames[100];

	while (next <= last) {
		size_t count = frame_ring_follow(ring, frames, 100, 1000, &missed);

		cr_assert_gt(count, 0);
		next += missed;
		all += missed;
		for (size_t i = 0; i < count; i++)
			check(&frames[i], next++);
	}
	cr_assert_eq(next, last + 1);
	cr_assert_eq(frame_ring_follow(ring, frames, 100, 0, &missed), 0);
	cr_assert_eq(missed, 0);
	return all;
}

Test(frame_ring, a_late_follower_counts_the_frames_that_it_missed)
{
	struct frame_ring *ring = frame_ring_create(FRAME_RING_LEAST, 0);
	struct rtap_frame frames[100];
	uint64_t missed;

	cr_assert_eq(frame_ring_follow(ring, frames, 100, 0, &missed), 0);
	append(ring, 1, 1001);
	cr_assert_eq(follow(ring, 1, 1000), 0);
	append(ring, 1001, 2001);
	cr_assert_eq(frame_ring_follow(ring, frames, 100, 0, &missed), 100);
	append(ring, 2001, 60001); /* some 60 MB */
	/* what it was given is still there */
	for (size_t i = 0; i < 100; i++)
		check(&frames[i], 1001 + i);
	cr_assert_gt(follow(ring, 1101, 60000), 40000);
	cr_assert_leq(frame_ring_state(ring).bytes, FRAME_RING_LEAST + FRAME_RING_LEAST / 100);
	frame_ring_begin(ring, 0);
	for (uint64_t next = (uint64_t)(frame_ring_state(ring).earliest_ns / MS); frame_ring_next(ring, &frames[0]); next++)
		check(&frames[0], next);
	frame_ring_end(ring);
	append(ring, 60001, 70001);
	follow(ring, 60001, 70000);
	frame_ring_destroy(ring);
}

static void *follow_all(void *argument)
{
	follow(argument, 1, LAST);
	return NULL;
}

Test(frame_ring, a_follower_runs_while_frames_are_appended)
{
	struct frame_ring *ring = frame_ring_create(FRAME_RING_LEAST, 0);
	pthread_t follower;

	cr_assert_eq(pthread_create(&follower, NULL, follow_all, ring), 0);
	append(ring, 1, LAST + 1);
	pthread_join(follower, NULL);
	cr_assert_eq(frame_ring_state(ring).lost, 0);
	frame_ring_destroy(ring);
}

/* A batch of records: frames `from` to `from` + `count` - 1. */
static struct batch *records_of(struct batch_pool *pool, uint64_t from, size_t count)
{
	struct batch *batch = batch_get(pool);
	uint8_t bytes[2048];

	batch->block = batch_block_get(pool, count * record_room(sizeof bytes));
	batch->records = batch->block->bytes;
	batch->record_form = RECORD_PCAPNG;
	batch->record_bytes = 0;
	batch->has_set_back = false;
	batch->shared.frames = NULL;
	batch->shared.count = count;
	for (uint64_t number = from; number < from + count; number++) {
		struct rtap_frame frame = frame_of(number, bytes);

		batch->record_bytes += record_make(RECORD_PCAPNG, batch->block->bytes + batch->record_bytes, bytes, frame.captured_length,
						   frame.wire_length, frame.time_ns);
		batch->latest_ns = frame.time_ns;
	}
	return batch;
}

static void check_record(const struct rtap_frame *frame, uint64_t number)
{
	struct rtap_frame whole = *frame;

	cr_assert_eq(frame->interface, 0);
	whole.interface = 2;
	check(&whole, number);
}

Test(frame_ring, records_are_held_and_not_copied)
{
	struct batch_pool *pool = batch_pool_create(1);
	struct frame_ring *ring = frame_ring_create(FRAME_RING_LEAST, 0);
	struct frame_ring_state state;
	struct rtap_frame frame;
	uint64_t missed, next;

	for (uint64_t from = 1; from < 40001; from += 100) {
		struct batch *batch = records_of(pool, from, 100);

		frame_ring_append_batch(ring, batch, 100);
		rtap_batch_release(&batch->shared);
	}
	state = frame_ring_state(ring);
	cr_assert(state.has_overwritten);
	cr_assert_leq(state.bytes, FRAME_RING_LEAST);
	cr_assert_eq(state.frames, 40000);
	cr_assert_eq(state.latest_ns, INT64_C(40000) * MS);
	frame_ring_begin(ring, 0);
	for (next = (uint64_t)(state.earliest_ns / MS); frame_ring_next(ring, &frame); next++)
		check_record(&frame, next);
	cr_assert_eq(next, 40001);
	frame_ring_end(ring);
	cr_assert_eq(frame_ring_follow(ring, &frame, 1, 0, &missed), 1);
	cr_assert_eq(missed, frame.number - 1);
	check_record(&frame, (uint64_t)(state.earliest_ns / MS));
	/* copies and records in turn, of which only some are taken */
	append(ring, 40001, 40002);
	struct batch *batch = records_of(pool, 40002, 100);
	frame_ring_append_batch(ring, batch, 10);
	rtap_batch_release(&batch->shared);
	append(ring, 40012, 40013);
	frame_ring_begin(ring, INT64_C(40001) * MS);
	for (next = 40001; frame_ring_next(ring, &frame); next++)
		cr_assert_eq(frame.number, next);
	cr_assert_eq(next, 40013);
	frame_ring_end(ring);
	frame_ring_destroy(ring);
	batch_pool_release(pool);
}
