/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_clock.h"

/* A rate computed from readings closer than this would be mostly measurement error. */
#define LEAST_BETWEEN_NS 100000000

void verbs_clock_init(struct verbs_clock *clock, uint64_t mask, uint64_t khz)
{
	memset(clock, 0, sizeof *clock);
	clock->mask = khz ? mask : 0;
	clock->ns_a_tick = khz ? 1e6 / (double)khz : 0;
}

/* How far `ticks` is from the base, forward or back: the nearer of the two. */
static int64_t distance(const struct verbs_clock *clock, uint64_t ticks)
{
	uint64_t forward = (ticks - clock->base_ticks) & clock->mask;

	return forward <= clock->mask / 2 ? (int64_t)forward : -(int64_t)((clock->base_ticks - ticks) & clock->mask);
}

void verbs_clock_read(struct verbs_clock *clock, uint64_t ticks, int64_t wall_ns)
{
	int64_t passed = distance(clock, ticks);

	if (clock->read_ns && wall_ns - clock->read_ns >= LEAST_BETWEEN_NS && passed > 0) {
		double measured = (double)(wall_ns - clock->base_ns) / (double)passed;

		/* The wall clock may be set at any time: a rate that is off by more than 1000 ppm is not the device's. */
		if (measured > clock->ns_a_tick * 0.999 && measured < clock->ns_a_tick * 1.001)
			clock->ns_a_tick = measured;
	}
	clock->base_ticks = ticks & clock->mask;
	clock->base_ns = wall_ns;
	clock->read_ns = wall_ns;
}

int64_t verbs_clock_to_ns(const struct verbs_clock *clock, uint64_t ticks)
{
	return clock->base_ns + (int64_t)((double)distance(clock, ticks) * clock->ns_a_tick);
}
