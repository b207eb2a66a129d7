/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Common code of tests of capturing and sending on the simulated device, which is linked before libibverbs. */
#ifndef TESTS_VERBS_KIT_H
#define TESTS_VERBS_KIT_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <rdmatap/device.h>
#include <rdmatap/live.h>
#include <rdmatap/writer.h>

#include "tests/verbs_sim/verbs_sim.h"

#define MOST_FRAMES 20000

static inline void simulate(const char *format, ...) __attribute__((format(printf, 1, 2)));

static inline void simulate(const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	setenv(VERBS_SIM_VARIABLE, text, 1);
	verbs_sim_reset();
}

/* The result of a capture. */
struct run {
	enum rtap_status opened, ended; /* ended: of the last read */
	struct rtap_error error;        /* of either, if it failed */
	char reported[4096];            /* all that was reported on the way */
	struct rtap_batch **batches;
	size_t batch_count;
	const struct rtap_frame **frames;
	size_t count;
	struct rtap_interface interface;
	char description[256];
	char notes[4096];
	uint64_t enough; /* the capture stops when the device has received so many; 0: not for this reason */
};

/* Captures until there are `wanted` frames, the device has received `run->enough`, or `patience` reads have returned none. */
static inline void read_all(struct run *run, struct rtap_source *source, size_t wanted, int patience)
{
	bool stopped = false;

	for (;;) {
		struct rtap_batch *batch;
		struct rtap_error error;
		enum rtap_status status = rtap_source_read_batch(source, &batch, &error);

		if (status == RTAP_STATUS_BROKEN) {
			strncat(run->reported, error.text, sizeof run->reported - strlen(run->reported) - 2);
			strcat(run->reported, "\n");
			continue;
		}
		if (status) {
			run->ended = status;
			run->error = error;
			return;
		}
		patience -= !batch->count;
		for (size_t i = 0; i < batch->count && run->count < MOST_FRAMES; i++)
			run->frames[run->count++] = &batch->frames[i];
		run->batches[run->batch_count++] = batch;
		if (!stopped && (run->count >= wanted || !patience ||
				 (run->enough && rtap_source_interface(source, 0)->received >= run->enough))) {
			rtap_source_stop(source);
			stopped = true;
		}
	}
}

/* The same with all options, until the device has received `enough` (0: any number); patience is in reads of options->wake_ms. */
static inline void capture_received(struct run *run, const char *name, const struct rtap_live_options *options, uint64_t enough, size_t wanted,
				    int patience)
{
	struct rtap_source *source;

	memset(run, 0, sizeof *run);
	run->enough = enough;
	run->frames = calloc(MOST_FRAMES, sizeof run->frames[0]);
	run->batches = calloc(MOST_FRAMES, sizeof run->batches[0]);
	run->opened = rtap_source_open_live(&source, name, options, &run->error);
	if (run->opened)
		return;
	read_all(run, source, wanted, patience);
	run->interface = *rtap_source_interface(source, 0);
	snprintf(run->description, sizeof run->description, "%s", run->interface.description);
	for (size_t i = 0; i < rtap_source_note_count(source); i++) {
		strncat(run->notes, rtap_source_note(source, i), sizeof run->notes - strlen(run->notes) - 2);
		strcat(run->notes, "\n");
	}
	rtap_source_close(source);
}

static inline void capture_by(struct run *run, const char *name, const struct rtap_live_options *options, size_t wanted, int patience)
{
	capture_received(run, name, options, 0, wanted, patience);
}

/* Options of raw-packet queue pairs. */
#define VERBS(...) &(const struct rtap_verbs_options){ .size = sizeof(struct rtap_verbs_options), __VA_ARGS__ }

/* Patience is in reads of 50 ms. */
static inline void capture_for(struct run *run, const char *name, const struct rtap_verbs_options *verbs, uint32_t snap_length, size_t wanted,
			       int patience)
{
	struct rtap_verbs_options own = verbs ? *verbs : (struct rtap_verbs_options){ .force = false };
	struct rtap_live_options options = { .size = sizeof options, .wake_ms = 50, .snap_length = snap_length, .buffer_bytes = 80 << 20, .verbs = &own };

	own.size = sizeof own;
	capture_by(run, name, &options, wanted, patience);
}

/* All `wanted` frames will come: on a busy machine the receiving thread may not run for seconds. */
static inline void capture(struct run *run, const char *name, const struct rtap_verbs_options *verbs, uint32_t snap_length, size_t wanted)
{
	capture_for(run, name, verbs, snap_length, wanted, 400);
}

#if defined(__SANITIZE_ADDRESS__)
int __lsan_do_recoverable_leak_check(void);
#else
static inline int __lsan_do_recoverable_leak_check(void)
{
	return 0;
}
#endif

/* Captured frames are readable until now, although the source is closed; all objects of the device were destroyed. */
static inline void run_free(struct run *run)
{
	for (size_t i = 0; i < run->batch_count; i++)
		rtap_batch_release(run->batches[i]);
	free(run->batches);
	free(run->frames);
	cr_assert_eq(verbs_sim_objects(), 0);
	cr_assert_eq(verbs_sim_violations(), 0);
	cr_assert_eq(__lsan_do_recoverable_leak_check(), 0);
}

/* The file that the device is fed with; each test is a process of its own. */
static char fed_name[64];

static inline void name_feed(void)
{
	snprintf(fed_name, sizeof fed_name, "test_verbs_fed.%ld.pcap", (long)getpid());
}

/* A capture of testdata as a plain pcap file for the device, and as the reader of files has it. */
static inline struct rtap_batch *make_feed(size_t *count)
{
	const char *name = TESTDATA "/roce-nfs3.pcap.gz";
	struct rtap_source *source;
	struct rtap_writer *writer;
	struct rtap_batch *batch;
	struct rtap_error error;

	name_feed();
	cr_assert_eq(rtap_source_open_files(&source, &name, 1, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_assert_eq(rtap_writer_open(&writer, fed_name, NULL, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_assert_eq(rtap_source_read_batch(source, &batch, &error), RTAP_STATUS_OK, "%s", error.text);
	for (size_t i = 0; i < batch->count; i++)
		cr_assert_eq(rtap_writer_write(writer, &batch->frames[i], &error), RTAP_STATUS_OK, "%s", error.text);
	cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK, "%s", error.text);
	rtap_source_close(source);
	*count = batch->count;
	return batch;
}

static inline void expect_equal(const struct run *run, size_t index, const struct rtap_frame *fed, const char *what)
{
	const struct rtap_frame *frame = run->frames[index];

	cr_assert_eq(frame->wire_length, fed->captured_length, "%s: frame %zu", what, index);
	cr_assert_eq(frame->captured_length, fed->captured_length, "%s: frame %zu", what, index);
	cr_assert(!memcmp(frame->bytes, fed->bytes, fed->captured_length), "%s: frame %zu", what, index);
}

/* The number that the generator put at the frame's end. */
static inline uint64_t number_of(const struct rtap_frame *frame)
{
	uint64_t number;

	memcpy(&number, frame->bytes + frame->captured_length - sizeof number, sizeof number);
	return number;
}

#endif
