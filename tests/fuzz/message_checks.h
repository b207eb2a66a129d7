/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For harnesses that compare the messages of a tracker with those of a model.
 */
#ifndef RDMATAP_TESTS_FUZZ_MESSAGE_CHECKS_H
#define RDMATAP_TESTS_FUZZ_MESSAGE_CHECKS_H

#include <stdlib.h>
#include <string.h>

#include <rdmatap/tracker.h>

#include "harness.h"
#include "network_model.h"

/* Of the first byte of an input. */
enum { MESSAGE_BYTES = 64 /* keep bytes */, MESSAGE_SUMS = 128 /* checksums */ };

#define MESSAGE_TIGHT_MEMORY (UINT64_C(1) << 16)

/* The first member of a harness's state, which owns the tracker's callbacks. */
struct message_run {
	struct rtap_tracker *tracker;
	uint64_t frames;         /* given */
	bool is_exact;           /* the capture has every frame whole and in order, and there is enough memory */
	bool is_tight;           /* there is not */
};

/* Gives the tracker a frame of IP in a block of just its size: reading outside of it is seen. */
static inline void message_run_give(struct message_run *run, const uint8_t *bytes, uint32_t captured, uint32_t wire, int64_t time_ns,
				    struct rtap_packet *packet)
{
	uint8_t *block = malloc(captured);
	struct rtap_frame frame = {
		.bytes = block, .captured_length = captured, .wire_length = wire, .link_type = RTAP_LINK_RAW, .number = ++run->frames,
		.time_ns = time_ns,
	};

	REQUIRE(block);
	memcpy(block, bytes, captured);
	rtap_tracker_frame(run->tracker, &frame, packet);
	free(block);
}

/* Gives a tracker the capture of a network that ran as the input said. */
static inline void message_run(struct message_run *run, const uint8_t *input, struct rtap_tracker_options *options, const struct network *network,
			       void (*give_setup)(struct message_run *run), void (*give_frame)(struct message_run *run, unsigned number),
			       void (*give_end)(struct message_run *run))
{
	const struct network_fate *const *order;
	unsigned count = network_capture(network, &order);

	run->is_tight = input[7] >> 4 == 15;
	run->is_exact &= !run->is_tight;
	options->bytes = input[0] & MESSAGE_BYTES;
	options->checksums = input[0] & MESSAGE_SUMS;
	options->max_memory = run->is_tight ? MESSAGE_TIGHT_MEMORY : 0;
	REQUIRE(rtap_tracker_open(&run->tracker, options, NULL) == RTAP_STATUS_OK);
	give_setup(run);
	for (unsigned i = 0; i < count; i++)
		give_frame(run, order[i]->number);
	give_end(run);
	rtap_tracker_finish(run->tracker);
	rtap_tracker_close(run->tracker);
}

/* Bytes of a part of the message that are listed as missing. */
static inline uint64_t message_checks_missing(const struct rtap_message *shown, uint64_t begin, uint64_t end)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < shown->missing_count; i++) {
		uint64_t from = shown->missing[i].offset, to = from + shown->missing[i].length;

		if (from < begin)
			from = begin;
		if (to > end)
			to = end;
		sum += to > from ? to - from : 0;
	}
	return sum;
}

#endif
