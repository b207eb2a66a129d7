/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_TICK_H
#define CAPTURE_TICK_H

#include <stdbool.h>
#include <stdint.h>

/* What one unit of a pcapng interface's time stamps is. draft-ietf-opsawg-pcapng, 4.2, if_tsresol and if_tsoffset. */
struct tick {
	uint8_t exponent;  /* ticks a second: 10^exponent, or 2^exponent */
	bool binary;
	int64_t offset_seconds;
};

/* Microseconds since 1970, as when no option tells otherwise. */
void tick_init(struct tick *tick);

/* Takes an if_tsresol byte; any is possible. */
void tick_set_resolution(struct tick *tick, uint8_t resolution);

/* The times that frames can have: the difference of any two fits into 64 bits, so that nobody who subtracts need ask. */
#define TICK_EARLIEST_NS (INT64_MIN / 2)
#define TICK_LATEST_NS (INT64_MAX / 2)

/* Nanoseconds since 1970 of a time stamp, rounded down. *held: it is outside of these times, and the nearest of them is given. */
int64_t tick_to_ns(const struct tick *tick, uint64_t ticks, bool *held);

/*
 * Nanoseconds since 1970 of the time stamp that an ERF record begins with: 32 bits of seconds, 32 of their fraction,
 * the least significant byte first; rounded to the nearest. EDM11-01, ERF types. It is finer than the file's own.
 */
int64_t tick_erf_to_ns(const uint8_t stamp[8]);

#endif
