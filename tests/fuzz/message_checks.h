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

/* Gives the tracker a frame of IP in a block of just its size: reading outside of it is seen. */
static inline void message_checks_give(struct rtap_tracker *tracker, const uint8_t *bytes, uint32_t captured, uint32_t wire, uint64_t number,
				       int64_t time_ns, struct rtap_packet *packet)
{
	uint8_t *block = malloc(captured);
	struct rtap_frame frame = {
		.bytes = block, .captured_length = captured, .wire_length = wire, .link_type = RTAP_LINK_RAW, .number = number,
		.time_ns = time_ns,
	};

	REQUIRE(block);
	memcpy(block, bytes, captured);
	rtap_tracker_frame(tracker, &frame, packet);
	free(block);
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
