/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "capture/live.h"
#include "capture/live/live_device.h"
#include "capture/live/live_queue.h"

#define FRAME_LENGTH 1000
#define BUFFERS 64

struct buffer {
	struct batch_buffer buffer; /* the first member */
	atomic_uint given_back;
	uint8_t bytes[FRAME_LENGTH];
};

/* A device that delivers numbered frames by a plan. */
struct plan {
	uint64_t frames;         /* in all */
	unsigned at_a_time;
	uint64_t broken_at, failed_at; /* after so many frames; 0: never */
	uint64_t after_stop;     /* frames that come out only after the stop */
	bool lends, endless, pauses; /* pauses: each second receive gives nothing */
	uint32_t link_type;
	struct live_statistics statistics;
};

struct fake {
	struct live_device device; /* the first member */
	struct plan plan;
	uint64_t given;
	bool stopped, broken_reported, paused;
};

static struct buffer *buffers;
static atomic_uint closed;
static atomic_ullong given_in_all;

static void give_back(struct batch_buffer *buffer)
{
	atomic_fetch_add(&((struct buffer *)buffer)->given_back, 1);
}

static bool give(struct fake *fake, struct batch *batch)
{
	uint8_t bytes[FRAME_LENGTH] = { 0 };
	struct rtap_frame frame = { .bytes = bytes, .captured_length = FRAME_LENGTH, .wire_length = FRAME_LENGTH + 1,
		.link_type = fake->plan.link_type, .time_ns = (int64_t)fake->given };

	memcpy(bytes, &fake->given, sizeof fake->given);
	if (fake->plan.lends) {
		struct buffer *buffer = &buffers[fake->given % BUFFERS];

		if (batch->shared.count)
			return false;
		memcpy(buffer->bytes, bytes, sizeof bytes);
		batch->borrowed = &buffer->buffer;
		frame.bytes = buffer->bytes;
		batch->frames[batch->shared.count++] = frame;
		batch->closed = true;
	} else if (!live_append(&fake->device, batch, &frame)) {
		cr_assert(batch->closed);
		return false;
	}
	fake->given++;
	atomic_fetch_add(&given_in_all, 1);
	return true;
}

static enum rtap_status fake_receive(struct live_device *device, struct batch *batch, unsigned timeout_ms, struct rtap_error *error)
{
	struct fake *fake = (struct fake *)device;
	uint64_t most = fake->plan.frames + (fake->stopped ? fake->plan.after_stop : 0);

	if (fake->plan.broken_at && fake->given >= fake->plan.broken_at && !fake->broken_reported) {
		fake->broken_reported = true;
		rtap_error_set(error, RTAP_ERROR_EVENT, "a cable was moved");
		return RTAP_STATUS_BROKEN;
	}
	if (fake->plan.failed_at && fake->given >= fake->plan.failed_at) {
		rtap_error_set(error, RTAP_ERROR_DEVICE, "it burns");
		return RTAP_STATUS_FAILED;
	}
	fake->paused = fake->plan.pauses && !fake->paused;
	if (fake->paused)
		return RTAP_STATUS_OK;
	if (fake->given == most)
		poll(NULL, 0, (int)timeout_ms);
	for (unsigned i = 0; i < fake->plan.at_a_time && (fake->given < most || (fake->plan.endless && !fake->stopped)); i++)
		if (!give(fake, batch))
			break;
	return RTAP_STATUS_OK;
}

static void fake_stop(struct live_device *device)
{
	((struct fake *)device)->stopped = true;
}

static void fake_statistics(struct live_device *device, struct live_statistics *statistics)
{
	*statistics = ((struct fake *)device)->plan.statistics;
}

static void fake_close(struct live_device *device)
{
	atomic_fetch_add(&closed, 1);
	free(device);
}

static void fake_notes(struct live_device *device, void (*take)(void *owner, const char *text), void *owner)
{
	(void)device;
	take(owner, "one thing");
	take(owner, "another");
}

static const struct live_operations fake_operations = { fake_receive, fake_stop, fake_statistics, NULL, fake_notes, fake_close };

/* A minimal source on such a device. */
struct run {
	struct batch_pool *pool;
	struct source_metadata metadata;
	struct live *live;
};

static enum rtap_status begin(struct run *run, const struct plan *plan, const struct rtap_live_options *options, struct rtap_error *error)
{
	struct fake *fake = calloc(1, sizeof *fake);

	cr_assert(fake);
	buffers = calloc(BUFFERS, sizeof *buffers);
	for (size_t i = 0; i < BUFFERS; i++)
		buffers[i].buffer.give_back = give_back;
	atomic_store(&closed, 0);
	atomic_store(&given_in_all, 0);
	fake->device.operations = &fake_operations;
	fake->device.interface = (struct rtap_interface){ .name = "f0", .link_type = plan->link_type };
	fake->device.drain_ms = 1;
	fake->plan = *plan;
	if (!fake->plan.at_a_time)
		fake->plan.at_a_time = 7;
	*run = (struct run){ .pool = batch_pool_create(64 * 1024) };
	return live_run(&run->live, &fake->device, "fake:f0", options, run->pool, &run->metadata, error);
}

static void end(struct run *run)
{
	live_close(run->live);
	cr_assert_eq(atomic_load(&closed), 1);
	source_metadata_fini(&run->metadata);
	batch_pool_release(run->pool);
	free(buffers);
}

/* Checks that the frames go on from *next, or beyond if some may be missing. */
static void check_batch(const struct batch *batch, uint64_t *next, bool with_gaps)
{
	for (size_t i = 0; i < batch->shared.count; i++) {
		const struct rtap_frame *frame = &batch->shared.frames[i];
		uint64_t number;

		memcpy(&number, frame->bytes, sizeof number);
		cr_assert(with_gaps ? number >= *next : number == *next);
		cr_assert_eq((uint64_t)frame->time_ns, number);
		cr_assert_eq(frame->captured_length, FRAME_LENGTH);
		cr_assert_eq(frame->wire_length, FRAME_LENGTH + 1);
		*next = number + 1;
	}
}

/* Reads until there are `count` frames, or END or FAILED. Returns the last status. */
static enum rtap_status read_some(struct run *run, uint64_t count, uint64_t *next, unsigned *broken, struct rtap_error *error)
{
	uint64_t got = 0;

	while (got < count) {
		struct batch *batch;
		enum rtap_status status = live_read(run->live, &batch, error);

		if (status == RTAP_STATUS_BROKEN) {
			++*broken;
			continue;
		}
		if (status)
			return status;
		check_batch(batch, next, false);
		got += batch->shared.count;
		rtap_batch_release(&batch->shared);
	}
	return RTAP_STATUS_OK;
}

static const struct rtap_live_options no_options = { .size = sizeof no_options, .capture_filter = NULL };

TestSuite(live, .timeout = HANG_SECONDS);

Test(live, passes_on_frames_in_order_and_drains_the_device_at_the_stop)
{
	const struct plan plan = { .frames = 10000, .after_stop = 3000, .link_type = 1 };
	struct rtap_error error;
	struct run run;
	uint64_t next = 0;
	unsigned broken = 0;

	cr_assert_eq(begin(&run, &plan, &no_options, &error), RTAP_STATUS_OK);
	cr_assert_eq(read_some(&run, 10000, &next, &broken, &error), RTAP_STATUS_OK);
	cr_assert_eq(next, 10000);
	cr_assert_eq(run.metadata.note_count, 0);
	live_stop(run.live);
	cr_assert_eq(read_some(&run, UINT64_MAX, &next, &broken, &error), RTAP_STATUS_END);
	cr_assert_eq(next, 13000);
	cr_assert_eq(read_some(&run, 1, &next, &broken, &error), RTAP_STATUS_END);
	cr_assert_eq(broken, 0);
	cr_assert_eq(run.metadata.note_count, 2, "%zu notes, reported once", run.metadata.note_count);
	cr_assert(strstr(run.metadata.notes[0], ": one thing"), "%s", run.metadata.notes[0]);
	end(&run);
}

Test(live, counts_frames_beyond_the_queue)
{
	const struct plan plan = { .endless = true, .link_type = 1 };
	const struct rtap_live_options options = { .size = sizeof options, .queue_bytes = 2 << 20 };
	struct rtap_error error;
	uint64_t next = 0, delivered = 0;
	enum rtap_status status;
	struct batch *batch;
	struct run run;

	cr_assert_eq(begin(&run, &plan, &options, &error), RTAP_STATUS_OK);
	cr_assert_eq(live_read(run.live, &batch, &error), RTAP_STATUS_OK);
	check_batch(batch, &next, true);
	delivered += batch->shared.count;
	rtap_batch_release(&batch->shared);
	while (atomic_load(&given_in_all) < 20000)
		poll(NULL, 0, 1);
	live_stop(run.live);
	while (!(status = live_read(run.live, &batch, &error))) {
		check_batch(batch, &next, true);
		delivered += batch->shared.count;
		rtap_batch_release(&batch->shared);
	}
	cr_assert_eq(status, RTAP_STATUS_END);
	cr_assert(source_metadata_interface(&run.metadata, 0)->dropped_here.known);
	cr_assert_gt(source_metadata_interface(&run.metadata, 0)->dropped_here.value, 10000);
	cr_assert_eq(delivered + source_metadata_interface(&run.metadata, 0)->dropped_here.value, atomic_load(&given_in_all));
	cr_assert_lt(delivered, (4 << 20) / FRAME_LENGTH);
	end(&run);
}

Test(live, reports_errors_in_their_place_and_goes_on)
{
	const struct plan plan = { .frames = 100, .broken_at = 50, .after_stop = 1, .link_type = 1 };
	struct rtap_error error;
	struct run run;
	uint64_t next = 0;
	unsigned broken = 0;

	cr_assert_eq(begin(&run, &plan, &no_options, &error), RTAP_STATUS_OK);
	cr_assert_eq(read_some(&run, 100, &next, &broken, &error), RTAP_STATUS_OK);
	cr_assert_eq(broken, 1);
	cr_assert_str_eq(error.text, "a cable was moved");
	end(&run);
}

Test(live, delivers_all_before_a_failure_and_ends_after_it)
{
	const struct plan plan = { .frames = 1000, .failed_at = 500, .link_type = 1 };
	struct rtap_error error;
	struct run run;
	uint64_t next = 0;
	unsigned broken = 0;

	cr_assert_eq(begin(&run, &plan, &no_options, &error), RTAP_STATUS_OK);
	cr_assert_eq(read_some(&run, UINT64_MAX, &next, &broken, &error), RTAP_STATUS_FAILED);
	cr_assert_str_eq(error.text, "it burns");
	cr_assert(next >= 500 && next < 510);
	cr_assert_eq(read_some(&run, 1, &next, &broken, &error), RTAP_STATUS_END);
	end(&run);
}

Test(live, gives_buffers_back_once_and_only_when_the_batch_is_released)
{
	const struct plan plan = { .frames = BUFFERS, .lends = true, .link_type = 1 };
	struct rtap_error error;
	struct batch *held[2], *batch;
	struct run run;
	uint64_t next = 0;

	cr_assert_eq(begin(&run, &plan, &no_options, &error), RTAP_STATUS_OK);
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(live_read(run.live, &held[i], &error), RTAP_STATUS_OK);
		check_batch(held[i], &next, false);
	}
	while (next < BUFFERS) {
		cr_assert_eq(live_read(run.live, &batch, &error), RTAP_STATUS_OK);
		check_batch(batch, &next, false);
		rtap_batch_release(&batch->shared);
	}
	for (size_t i = 0; i < BUFFERS; i++)
		cr_assert_eq(atomic_load(&buffers[i].given_back), i >= 2);
	rtap_batch_release(&held[0]->shared);
	cr_assert_eq(atomic_load(&buffers[0].given_back), 1);
	cr_assert_eq(atomic_load(&buffers[1].given_back), 0);
	rtap_batch_release(&held[1]->shared);
	cr_assert_eq(atomic_load(&buffers[1].given_back), 1);
	end(&run);
}

Test(live, keeps_batches_beyond_its_end)
{
	const struct plan plan = { .frames = 20, .link_type = 1 };
	struct rtap_error error;
	struct batch *batch;
	struct run run;
	uint64_t next = 0;

	cr_assert_eq(begin(&run, &plan, &no_options, &error), RTAP_STATUS_OK);
	cr_assert_eq(live_read(run.live, &batch, &error), RTAP_STATUS_OK);
	end(&run);
	check_batch(batch, &next, false);
	cr_assert_gt(next, 0);
	rtap_batch_release(&batch->shared);
}

Test(live, ends_without_having_been_read)
{
	const struct plan plan = { .frames = 20, .link_type = 1 };
	struct rtap_error error;
	struct run run;

	cr_assert_eq(begin(&run, &plan, &no_options, &error), RTAP_STATUS_OK);
	end(&run);
}

Test(live, reports_only_known_statistics)
{
	const struct plan plan = { .frames = 1, .link_type = 1,
				   .statistics = { .received = { true, 5000000000 }, .dropped_by_system = { true, 3 } } };
	struct rtap_error error;
	struct run run;
	uint64_t next = 0;
	unsigned broken = 0;
	const struct rtap_interface *interface;

	cr_assert_eq(begin(&run, &plan, &no_options, &error), RTAP_STATUS_OK);
	cr_assert_eq(read_some(&run, 1, &next, &broken, &error), RTAP_STATUS_OK);
	live_stop(run.live);
	cr_assert_eq(read_some(&run, 1, &next, &broken, &error), RTAP_STATUS_END);
	interface = source_metadata_interface(&run.metadata, 0);
	cr_assert_str_eq(interface->name, "f0");
	cr_assert_str_eq(interface->file, "fake:f0");
	cr_assert(interface->has_received && interface->received == 5000000000);
	cr_assert(interface->dropped_by_system.known && interface->dropped_by_system.value == 3);
	cr_assert(!interface->has_dropped);
	cr_assert(interface->dropped_here.known && interface->dropped_here.value == 0);
	end(&run);
}

Test(live, wakes_up_whoever_waits_in_vain)
{
	const struct plan plan = { .frames = 0, .link_type = 1 };
	const struct rtap_live_options options = { .size = sizeof options, .wake_ms = 10 };
	struct rtap_error error;
	struct batch *batch;
	struct run run;

	cr_assert_eq(begin(&run, &plan, &options, &error), RTAP_STATUS_OK);
	cr_assert_eq(live_read(run.live, &batch, &error), RTAP_STATUS_OK);
	cr_assert_eq(batch->shared.count, 0);
	rtap_batch_release(&batch->shared);
	end(&run);
}

Test(live, filters_where_the_device_does_not)
{
	/* the first two bytes are the low bytes of the number */
	const struct plan plan = { .frames = 1000, .link_type = 1, .after_stop = 24 };
	const struct rtap_live_options options = { .size = sizeof options, .capture_filter = "link[0] = 3" };
	struct rtap_error error;
	struct batch *batch;
	struct run run;
	uint64_t passed = 0;

	cr_assert_eq(begin(&run, &plan, &options, &error), RTAP_STATUS_OK);
	live_stop(run.live);
	while (!live_read(run.live, &batch, &error)) {
		for (size_t i = 0; i < batch->shared.count; i++)
			cr_assert_eq(batch->shared.frames[i].bytes[0], 3);
		passed += batch->shared.count;
		rtap_batch_release(&batch->shared);
	}
	cr_assert_eq(passed, 4);
	end(&run);
}

Test(live, refuses_a_filter_at_the_start)
{
	static const struct {
		const char *filter;
		uint32_t link_type;
		const char *message;
	} cases[] = {
		{ "udp porrt 3", 1, "syntax error" },
		{ "udp", RTAP_LINK_ERF, "has no BPF; use -Y" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct rtap_live_options options = { .size = sizeof options, .capture_filter = cases[i].filter };
		const struct plan plan = { .link_type = cases[i].link_type };
		struct rtap_error error;
		struct run run;

		cr_assert_eq(begin(&run, &plan, &options, &error), RTAP_STATUS_FAILED);
		cr_assert(strstr(error.text, cases[i].message), "%s", error.text);
		cr_assert_null(run.live);
		end(&run);
	}
}

Test(live, shares_blocks_between_batches_and_closes_a_batch_at_a_blocks_end)
{
	struct batch_pool *pool = batch_pool_create(10 * FRAME_LENGTH);
	struct live_device device = { .operations = NULL };
	uint8_t bytes[20 * FRAME_LENGTH] = { 0 };
	struct rtap_frame frame = { .bytes = bytes, .captured_length = FRAME_LENGTH };
	struct batch *first = batch_get(pool), *second = batch_get(pool), *third = batch_get(pool);

	for (int i = 0; i < 6; i++)
		cr_assert(live_append(&device, first, &frame));
	for (int i = 0; i < 4; i++)
		cr_assert(live_append(&device, second, &frame));
	cr_assert_eq(first->block, second->block);
	cr_assert(!second->closed);
	cr_assert(!live_append(&device, second, &frame));
	cr_assert(second->closed);
	cr_assert(live_append(&device, third, &frame));
	cr_assert_neq(third->block, second->block);
	rtap_batch_release(&third->shared);
	/* no pointer into the block remains */
	third = batch_get(pool);
	for (int i = 0; i < 10; i++)
		cr_assert(live_append(&device, third, &frame));
	cr_assert(!live_append(&device, third, &frame));
	/* more than a block usually has */
	rtap_batch_release(&second->shared);
	second = batch_get(pool);
	frame.captured_length = sizeof bytes;
	cr_assert(live_append(&device, second, &frame));
	rtap_batch_release(&first->shared);
	rtap_batch_release(&second->shared);
	rtap_batch_release(&third->shared);
	batch_block_release(device.block);
	batch_pool_release(pool);
}

Test(live, a_reader_that_stalls_at_a_low_rate_loses_nothing_while_there_is_memory)
{
	/* single frames: 20,000 batches of 1,024 frames each would be 1.8 GB */
	const struct plan plan = { .frames = 20000, .at_a_time = 1, .pauses = true, .link_type = 1 };
	struct rtap_error error;
	struct batch *batch;
	struct run run;
	uint64_t next = 0;
	unsigned broken = 0;

	cr_assert_eq(begin(&run, &plan, &no_options, &error), RTAP_STATUS_OK);
	cr_assert_eq(live_read(run.live, &batch, &error), RTAP_STATUS_OK);
	check_batch(batch, &next, false);
	while (atomic_load(&given_in_all) < plan.frames)
		poll(NULL, 0, 1);
	rtap_batch_release(&batch->shared);
	cr_assert_eq(read_some(&run, plan.frames - next, &next, &broken, &error), RTAP_STATUS_OK);
	cr_expect_eq(next, plan.frames);
	cr_expect_eq(source_metadata_interface(&run.metadata, 0)->dropped_here.value, 0);
	end(&run);
}

Test(live, a_filter_tests_bytes_beyond_the_snap_length)
{
	/* the byte at 900 is not captured with 64 bytes of each frame */
	const struct rtap_live_options options = { .size = sizeof options, .capture_filter = "ether[900] = 0", .snap_length = 64 };
	const struct plan plan = { .frames = 100, .link_type = 1 };
	struct rtap_error error;
	struct run run;
	uint64_t got = 0;

	cr_assert_eq(begin(&run, &plan, &options, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_expect_eq(source_metadata_interface(&run.metadata, 0)->snap_length, 64);
	while (got < plan.frames) {
		struct batch *batch;

		cr_assert_eq(live_read(run.live, &batch, &error), RTAP_STATUS_OK);
		for (size_t i = 0; i < batch->shared.count; i++)
			cr_expect_eq(batch->shared.frames[i].captured_length, 64);
		got += batch->shared.count;
		rtap_batch_release(&batch->shared);
	}
	end(&run);
}
