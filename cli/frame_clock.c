/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <time.h>

#include "capture/batch.h"
#include "cli/frame_clock.h"

static int64_t read_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void frame_clock_take(struct frame_clock *clock, int64_t frame_ns)
{
	if (clock->taken_ns && frame_ns <= clock->frame_ns && clock->frame_ns - frame_ns < BATCH_SET_BACK_NS)
		return;
	clock->frame_ns = frame_ns;
	clock->taken_ns = read_ns(CLOCK_MONOTONIC);
}

int64_t frame_clock_now(const struct frame_clock *clock)
{
	return clock->taken_ns ? clock->frame_ns + read_ns(CLOCK_MONOTONIC) - clock->taken_ns : read_ns(CLOCK_REALTIME);
}
