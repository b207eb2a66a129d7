/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Known clocks, estimated from packets with random transit times. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "reassembly/clock_fit.h"

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define COUNT 20000

static struct clock_sample samples[COUNT];
static struct clock_piece pieces[CLOCK_PIECES];

/* A clock that is `ahead_ns` at first, drifts, and is set at `set_at` seconds. */
struct clock_case {
	int64_t ahead_ns;
	double drift;
	double set_at;
	int64_t set_by_ns;
	int64_t least_transit_ns;
	unsigned percent_later;    /* of the packets, those that the measured clock captures later */
};

static uint64_t state;

static uint64_t random_below(uint64_t limit)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (state >> 33) % limit;
}

static int64_t ahead_at(const struct clock_case *clock, int64_t true_ns)
{
	return clock->ahead_ns + (int64_t)(clock->drift * (double)true_ns) + ((double)true_ns / 1e9 >= clock->set_at ? clock->set_by_ns : 0);
}

/* Packets of an hour. Most take a little longer than the least transit time, and some much longer. */
static void make_samples(const struct clock_case *clock, size_t count)
{
	state = 1;
	for (size_t i = 0; i < count; i++) {
		int64_t true_ns = (int64_t)i * 3600 * SECOND / (int64_t)count, transit_ns = clock->least_transit_ns;
		bool is_later = random_below(100) < clock->percent_later;

		transit_ns += (int64_t)random_below(random_below(10) ? 200000 : 50 * MS);
		samples[i] = (struct clock_sample){
			.frame = 2 * i + 1, .time_ns = 1700000000 * SECOND + true_ns + ahead_at(clock, true_ns), .from_higher = is_later,
			.after_ns = ahead_at(clock, true_ns) + (is_later ? transit_ns : -transit_ns),
		};
	}
}

static void check(const struct clock_case *clock, size_t count)
{
	size_t found, piece = 0;

	make_samples(clock, count);
	found = clock_fit(samples, count, pieces);
	cr_assert_eq(found, clock->set_by_ns ? 2 : 1, "%zu pieces", found);
	for (size_t i = 0; i < count; i++) {
		int64_t true_ns = (int64_t)i * 3600 * SECOND / (int64_t)count, wrong_ns;

		while (piece + 1 < found && pieces[piece + 1].first_frame <= samples[i].frame)
			piece++;
		wrong_ns = clock_piece_ahead_ns(&pieces[piece], samples[i].time_ns) - ahead_at(clock, true_ns);
		/* one-way, a transit time looks like an offset */
		cr_assert_leq(llabs(wrong_ns), clock->least_transit_ns + (count < COUNT ? 2 * MS : MS / 2), "%ld ns wrong at sample %zu", (long)wrong_ns, i);
		cr_assert(!pieces[piece].uncertainty_ns || llabs(wrong_ns) <= pieces[piece].uncertainty_ns, "%ld ns wrong at sample %zu, within %ld ns",
			  (long)wrong_ns, i, (long)pieces[piece].uncertainty_ns);
	}
	cr_expect(fabs(pieces[0].drift - clock->drift) < 1e-6, "%g instead of %g", pieces[0].drift, clock->drift);
}

TestSuite(clock_fit, .timeout = HANG_SECONDS);

Test(clock_fit, finds_offset_drift_and_steps)
{
	static const struct clock_case clocks[] = {
		{ 3600 * SECOND, 0, 1e9, 0, 100000, 50 },
		{ -3600 * SECOND, 200e-6, 1e9, 0, 100000, 50 },
		{ 5 * MS, -200e-6, 1e9, 0, 1000, 50 },
		{ 0, 50e-6, 1e9, 0, 20000, 10 },
		{ 0, 50e-6, 1e9, 0, 20000, 100 },
		{ SECOND, 0, 1800, SECOND, 100000, 50 },
		{ SECOND, 20e-6, 1000, -3600 * SECOND, 100000, 70 },
		{ 0, -100e-6, 3000, 20 * MS, 10000, 30 },
		{ 0, 150e-6, 1200, -60 * MS, 100000, 50 },
	};

	for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
		check(&clocks[i], COUNT);
		check(&clocks[i], COUNT / 20);
	}
}

static bool is_unclear(size_t found, uint64_t frame)
{
	for (size_t i = 0; i < found; i++)
		if (frame > pieces[i].unclear_from && frame < pieces[i].unclear_to)
			return true;
	return false;
}

static bool is_unconfirmed(size_t found, uint64_t frame)
{
	return found && (frame < pieces[0].confirmed_from || (pieces[found - 1].confirmed_to && frame > pieces[found - 1].confirmed_to));
}

/* With round trips of 200 us and more, most of these cannot be seen in the packets, or not where they were. */
Test(clock_fit, states_an_uncertainty_that_is_true_with_small_steps)
{
	static const int64_t steps_ns[] = { 20000, -20000, 50000, -50000, 100000, -100000, 200000, -200000, 400000, -400000, 5 * MS, -5 * MS };
	/* the last two are so near to the ends that packets cannot show the smaller ones */
	static const double times[] = { 600, 1800, 2400, 3200, 5, 3597 };

	for (size_t i = 0; i < sizeof steps_ns / sizeof steps_ns[0] * 6; i++) {
		const struct clock_case clock = { SECOND, 0, times[i % 6], steps_ns[i / 6], 100000, 50 };
		size_t count = COUNT / 4, found, piece = 0, unclear = 0, unconfirmed = 0;

		make_samples(&clock, count);
		found = clock_fit(samples, count, pieces);
		for (size_t at = 0; at < count; at++) {
			int64_t wrong_ns;

			while (piece + 1 < found && pieces[piece + 1].first_frame <= samples[at].frame)
				piece++;
			unclear += is_unclear(found, samples[at].frame);
			unconfirmed += is_unconfirmed(found, samples[at].frame);
			if (is_unclear(found, samples[at].frame) || is_unconfirmed(found, samples[at].frame))
				continue;
			wrong_ns = clock_piece_ahead_ns(&pieces[piece], samples[at].time_ns) - ahead_at(&clock, (int64_t)at * 3600 * SECOND / (int64_t)count);
			cr_assert(llabs(wrong_ns) <= pieces[piece].uncertainty_ns, "step of %ld ns: %ld ns wrong at sample %zu, within %ld ns",
				  (long)clock.set_by_ns, (long)wrong_ns, at, (long)pieces[piece].uncertainty_ns);
		}
		cr_expect_lt(unconfirmed, 1100, "step of %ld ns: %zu samples", (long)clock.set_by_ns, unconfirmed);
		cr_expect_lt(unclear, count / 20, "step of %ld ns: %zu samples", (long)clock.set_by_ns, unclear);
	}
}

/* Near the end, packets of one direction wait: they could conceal a step. A clock that is known within a millisecond stays so. */
Test(clock_fit, does_not_confirm_an_end_rather_than_be_uncertain)
{
	const size_t first = COUNT - 1500;

	make_samples(&(struct clock_case){ SECOND, 0, 1e9, 0, 100000, 50 }, COUNT);
	for (size_t i = first; i < COUNT; i++)
		samples[i].after_ns += samples[i].from_higher ? 3 * MS : 0;
	cr_assert_eq(clock_fit(samples, COUNT, pieces), 1);
	cr_expect_lt(pieces[0].uncertainty_ns, MS, "%ld ns", (long)pieces[0].uncertainty_ns);
	cr_expect(pieces[0].confirmed_to >= samples[first - 500].frame && pieces[0].confirmed_to <= samples[first].frame, "%lu",
		  (unsigned long)pieces[0].confirmed_to);
}

Test(clock_fit, leaves_clocks_that_can_be_the_same)
{
	make_samples(&(struct clock_case){ 0, 0, 1e9, 0, 100000, 50 }, COUNT);
	cr_assert_eq(clock_fit(samples, COUNT, pieces), 0);
	make_samples(&(struct clock_case){ 0, 0, 1e9, 0, 100000, 100 }, COUNT);
	cr_assert_eq(clock_fit(samples, COUNT, pieces), 0);
	cr_assert_eq(clock_fit(samples, 0, pieces), 0);
}

/* Retransmissions that were mistaken for the first transmission. */
Test(clock_fit, ignores_single_packets_that_no_clock_allows)
{
	make_samples(&(struct clock_case){ SECOND, 50e-6, 1e9, 0, 100000, 50 }, COUNT);
	for (size_t i = 100; i < COUNT; i += 500)
		samples[i].after_ns += samples[i].from_higher ? -SECOND : SECOND;
	cr_assert_eq(clock_fit(samples, COUNT, pieces), 1);
	cr_expect(fabs(pieces[0].drift - 50e-6) < 1e-6);
}

Test(clock_fit, takes_times_that_cannot_be)
{
	for (size_t i = 0; i < COUNT; i++)
		samples[i] = (struct clock_sample){
			.frame = i + 1, .time_ns = random_below(2) ? INT64_MAX - (int64_t)i : INT64_MIN + (int64_t)i,
			.after_ns = random_below(2) ? INT64_MAX : INT64_MIN, .from_higher = random_below(2),
		};
	cr_assert_leq(clock_fit(samples, COUNT, pieces), CLOCK_PIECES);
}
