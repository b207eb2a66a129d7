/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The difference between two clocks over time, in pieces: each is a straight line.
 */
#ifndef BASE_CLOCK_PIECE_H
#define BASE_CLOCK_PIECE_H

#include <stdint.h>

/* Most pieces of one clock. */
#define CLOCK_PIECES 16

struct clock_piece {
	uint64_t after_frame; /* the frames of its file from this one to `first_frame` belong to this piece or to the one before */
	uint64_t first_frame; /* number in its file; all until the next piece belong to this one */
	uint64_t unclear_from, unclear_to; /* the frames between these two may have been captured before the clock was set or after; both 0: none */
	/*
	 * Of the first piece and the last one: the frames before and after these two do not confirm the line by themselves. If the clock was set
	 * within them, their leads are wrong by that. 0: none.
	 */
	uint64_t confirmed_from, confirmed_to;
	int64_t time_ns;      /* start of the piece by this clock */
	int64_t ahead_ns;     /* its lead at that time */
	double drift;         /* its gain in seconds per second */
	/*
	 * Upper limit of the error of the lead, anywhere in the piece but in frames that are unclear or not confirmed; 0: unknown. Takes into account
	 * that the clock may have been set once by less than the transit times.
	 */
	int64_t uncertainty_ns;
};

/* By how much the clock is ahead when it shows `time_ns`. Saturates. */
int64_t clock_piece_ahead_ns(const struct clock_piece *piece, int64_t time_ns);

#endif
