/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_TICK_H
#define CAPTURE_TICK_H

#include <stdbool.h>
#include <stdint.h>

/* Unit of a pcapng interface's time stamps. draft-ietf-opsawg-pcapng, 4.2, if_tsresol and if_tsoffset. */
struct tick {
	uint8_t exponent;  /* ticks per second: 10^exponent, or 2^exponent if `binary` */
	bool binary;
	int64_t offset_seconds;
};

/* Microseconds since 1970, the default without options. */
void tick_init(struct tick *tick);

/* Sets the resolution from an if_tsresol byte; all values are valid. */
void tick_set_resolution(struct tick *tick, uint8_t resolution);

/* Decimal fractional digits that the time stamps need, at most the 9 of nanoseconds. */
uint8_t tick_digits(const struct tick *tick);

/* The range of frame times, chosen so that the difference of any two fits into 64 bits. */
#define TICK_EARLIEST_NS (INT64_MIN / 2)
#define TICK_LATEST_NS (INT64_MAX / 2)

/* Nanoseconds since 1970 of a time stamp, rounded down. *held: it is outside of this range and was clamped. */
int64_t tick_to_ns(const struct tick *tick, uint64_t ticks, bool *held);

/*
 * Nanoseconds since 1970 of the time stamp at the start of an ERF record: 32 bits of fraction, 32 bits of seconds,
 * little-endian; rounded to nearest. EDM11-01, ERF types. Its resolution is finer than the file's.
 */
int64_t tick_erf_to_ns(const uint8_t stamp[8]);

#endif
