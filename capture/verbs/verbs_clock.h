/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The device's clock as wall clock time.
 */
#ifndef CAPTURE_VERBS_VERBS_CLOCK_H
#define CAPTURE_VERBS_VERBS_CLOCK_H

#include "capture/verbs/verbs.h"

/* The clock ticks khz times in a millisecond, by the device; this much is only believed until the second reading. */
void verbs_clock_init(struct verbs_clock *clock, uint64_t mask, uint64_t khz);

/* A reading: the device showed `ticks` when the wall clock showed wall_ns. */
void verbs_clock_read(struct verbs_clock *clock, uint64_t ticks, int64_t wall_ns);

/* Wall clock time of a stamp, which may be from before or after the last reading, by up to half of what the count holds. */
int64_t verbs_clock_to_ns(const struct verbs_clock *clock, uint64_t ticks);

#endif
