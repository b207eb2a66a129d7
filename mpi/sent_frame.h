/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A frame on its way to another rank.
 */
#ifndef MPI_SENT_FRAME_H
#define MPI_SENT_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* The fixed part; the bytes of the frame follow. */
struct sent_frame {
	uint64_t number;
	int64_t time_ns, before_ns;
	uint32_t captured_length, wire_length, link_type;
	uint16_t interface, capture_point; /* fewer than SOURCE_MAX_INTERFACES */
};

/* Copies the fixed part at `at` without moving on. False: it says more than there is before `end`. */
bool sent_frame_read(const uint8_t *at, const uint8_t *end, struct sent_frame *sent) __attribute__((warn_unused_result));

#endif
