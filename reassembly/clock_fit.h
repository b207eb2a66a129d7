/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Offset, drift and steps of one clock against another one, from packets that were captured by both.
 *
 * The copy of a packet that is farther from the sender was captured later, so packets of one direction bound the difference of the clocks
 * from above, and those of the other one from below. Any straight line between these bounds is possible; where none is, the clock was set.
 */
#ifndef REASSEMBLY_CLOCK_FIT_H
#define REASSEMBLY_CLOCK_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock_piece.h"

/* A packet captured by both. */
struct clock_sample {
	uint64_t frame;            /* number in its file */
	int64_t time_ns;           /* by the measured clock */
	int64_t after_ns;          /* how much that is after the time by the other clock */
	uint64_t other_frame;      /* number in the file of the other clock; 0: unknown */
	uint32_t file;             /* of the other clock; for the caller */
	bool from_higher;          /* direction */
};

/*
 * Samples in the file's order. Returns the number of pieces; 0: the clocks can be the same, with the uncertainty of the first piece. Of all lines that are possible,
 * one without drift is preferred, then the middle one.
 */
size_t clock_fit(const struct clock_sample *samples, size_t count, struct clock_piece pieces[CLOCK_PIECES]);

#endif
