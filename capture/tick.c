/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "capture/tick.h"

#define NS_A_SECOND 1000000000

/* 10^20 is beyond 64 bits. */
#define MAX_POWER 19

static const uint64_t powers_of_ten[MAX_POWER + 1] = {
	1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u,
	10000000000u, 100000000000u, 1000000000000u, 10000000000000u, 100000000000000u, 1000000000000000u,
	10000000000000000u, 100000000000000000u, 1000000000000000000u, 10000000000000000000u,
};

void tick_init(struct tick *tick)
{
	*tick = (struct tick){ .exponent = 6 };
}

void tick_set_resolution(struct tick *tick, uint8_t resolution)
{
	tick->exponent = resolution & 0x7f;
	tick->binary = resolution & 0x80;
}

uint8_t tick_digits(const struct tick *tick)
{
	/* 2^-n has n decimal digits */
	return tick->exponent < 9 ? tick->exponent : 9;
}

static uint64_t decimal_parts(unsigned exponent, uint64_t ticks, uint64_t *ns)
{
	uint64_t seconds = 0;

	if (exponent <= MAX_POWER) {
		seconds = ticks / powers_of_ten[exponent];
		ticks %= powers_of_ten[exponent];
	}
	if (exponent <= 9)
		*ns = ticks * powers_of_ten[9 - exponent];
	else
		*ns = exponent - 9 <= MAX_POWER ? ticks / powers_of_ten[exponent - 9] : 0;
	return seconds;
}

static uint64_t binary_parts(unsigned exponent, uint64_t ticks, uint64_t *ns)
{
	uint64_t seconds = 0, upper, lower;

	if (exponent < 64) {
		seconds = ticks >> exponent;
		ticks &= ((uint64_t)1 << exponent) - 1;
	}
	/* ticks * 10^9 / 2^exponent, with a product of 96 bits. */
	lower = (ticks & UINT32_MAX) * NS_A_SECOND;
	upper = (ticks >> 32) * NS_A_SECOND + (lower >> 32);
	if (exponent <= 32)
		*ns = lower >> exponent;
	else
		*ns = exponent - 32 < 64 ? upper >> (exponent - 32) : 0;
	return seconds;
}

int64_t tick_to_ns(const struct tick *tick, uint64_t ticks, bool *held)
{
	/* beyond both ends by more than a second, and far from where products overflow */
	const int64_t far = TICK_LATEST_NS / NS_A_SECOND + 2;
	uint64_t ns, seconds;
	int64_t sum, time;

	seconds = tick->binary ? binary_parts(tick->exponent, ticks, &ns) : decimal_parts(tick->exponent, ticks, &ns);
	/* The offset is signed, the count is not: their sum may fit although the count alone does not. */
	if (__builtin_add_overflow(seconds, tick->offset_seconds, &sum) || sum > far)
		sum = far;
	if (sum < -far)
		sum = -far;
	time = sum * NS_A_SECOND + (int64_t)ns;
	*held = time < TICK_EARLIEST_NS || time > TICK_LATEST_NS;
	if (*held)
		time = time < 0 ? TICK_EARLIEST_NS : TICK_LATEST_NS;
	return time;
}

int64_t tick_erf_to_ns(const uint8_t stamp[8])
{
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | stamp[i];
	/* 32-bit numbers on both sides: this cannot overflow */
	return (int64_t)((value >> 32) * 1000000000 + (((value & UINT32_MAX) * 1000000000 + (UINT64_C(1) << 31)) >> 32));
}
