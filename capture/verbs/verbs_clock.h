/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Converting the device's clock to wall clock time.
 */
#ifndef CAPTURE_VERBS_VERBS_CLOCK_H
#define CAPTURE_VERBS_VERBS_CLOCK_H

#include "capture/verbs/verbs.h"

/* khz: nominal frequency according to the device, used only until the second reading. */
void verbs_clock_init(struct verbs_clock *clock, uint64_t mask, uint64_t khz);

/* Adds a reading: the device's clock was at `ticks` when the wall clock was at wall_ns. */
void verbs_clock_read(struct verbs_clock *clock, uint64_t ticks, int64_t wall_ns);

/* Wall clock time of a time stamp, which may be before or after the last reading by up to half of the counter's range. */
int64_t verbs_clock_to_ns(const struct verbs_clock *clock, uint64_t ticks);

#endif
