/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Live: the time by the clock of the frames' time stamps, which may be that of a device.
 */
#ifndef CLI_FRAME_CLOCK_H
#define CLI_FRAME_CLOCK_H

#include <stdint.h>

/* Initially zero: no frame is known. */
struct frame_clock {
	int64_t frame_ns; /* the latest time stamp */
	int64_t taken_ns; /* when it was taken; monotonic clock */
};

/*
 * A frame with this time stamp was taken just now, or earlier; ignored unless it is later than the others, or so
 * much earlier that the clock was set back.
 */
void frame_clock_take(struct frame_clock *clock, int64_t frame_ns);

/* The time now; without a frame, the host's. */
int64_t frame_clock_now(const struct frame_clock *clock);

#endif
