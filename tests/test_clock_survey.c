/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files with more packets than the survey keeps, and a clock that is set late: one pass, and two. */
#include "config.h"

#include <criterion/criterion.h>

#include "reassembly/clock_survey.h"

#define MS INT64_C(1000000)
#define FIRST 131072       /* packets taken of each file before the survey decides how to go on */
#define COUNT (2 * FIRST)
#define STEP_AT 200000     /* the packet before which the second clock is set */
#define AHEAD_NS (250 * MS)
#define STEP_NS (100 * MS)
#define TRANSIT_NS 20000
#define MEMORY (UINT64_C(512) << 20)

/* Numbers without an order, each once. */
static uint32_t mixed(uint32_t number)
{
	number = (number ^ number >> 16) * UINT32_C(0x7feb352d);
	number = (number ^ number >> 15) * UINT32_C(0x846ca68b);
	return number ^ number >> 16;
}

/* Packet `number`, from 0, as a file has it. Both ends send in turns. */
static struct clock_survey_packet packet_of(size_t file, uint64_t number)
{
	bool from_higher = number & 1;
	int64_t time_ns = (int64_t)number * MS / 10 + (from_higher == !file ? TRANSIT_NS : 0);

	if (file)
		time_ns += AHEAD_NS + (number >= STEP_AT ? STEP_NS : 0);
	return (struct clock_survey_packet){
		.hash = (number + 1) * UINT64_C(0x9e3779b97f4a7c15), .frame = number + 1, .time_ns = time_ns,
		.sample = mixed((uint32_t)number), .ip_id = (uint16_t)number, .sender = from_higher, .from_higher = from_higher,
	};
}

static void take(struct clock_survey *survey, size_t file, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		struct clock_survey_packet packet = packet_of(file, i);

		clock_survey_take(survey, file, &packet);
	}
}

static void take_in_two_passes(struct clock_survey *survey)
{
	for (size_t file = 0; file < 2; file++) {
		take(survey, file, 0, FIRST);
		clock_survey_end_file(survey, file);
	}
	clock_survey_begin_whole(survey);
	for (size_t file = 0; file < 2; file++) {
		take(survey, file, 0, COUNT);
		clock_survey_end_file(survey, file);
	}
}

static void take_in_one_pass(struct clock_survey *survey)
{
	for (size_t file = 0; file < 2; file++) {
		take(survey, file, 0, FIRST);
		if (!file)
			clock_survey_go_on_thinned(survey);
		take(survey, file, FIRST, COUNT);
		clock_survey_end_file(survey, file);
	}
}

static void check(void (*take_all)(struct clock_survey *survey))
{
	struct clock_survey *survey = clock_survey_create(2, MEMORY);
	const struct clock_piece *pieces;

	cr_assert_not_null(survey);
	take_all(survey);
	cr_assert(clock_survey_is_whole(survey));
	cr_expect_gt(clock_survey_mask(survey), 0, "all packets were kept");
	cr_expect_eq(clock_survey_reference(survey, 1), 0);
	cr_assert_eq(clock_survey_pieces(survey, 1, &pieces), 2);
	for (size_t i = 0; i < 2; i++) {
		int64_t wrong_ns = clock_piece_ahead_ns(&pieces[i], pieces[i].time_ns) - AHEAD_NS - (i ? STEP_NS : 0);

		cr_expect(wrong_ns <= TRANSIT_NS && wrong_ns >= -TRANSIT_NS, "piece %zu: %lld ns wrong", i, (long long)wrong_ns);
	}
	cr_expect(pieces[1].after_frame <= STEP_AT && pieces[1].first_frame > STEP_AT, "the step is between frames %llu and %llu",
		  (unsigned long long)pieces[1].after_frame, (unsigned long long)pieces[1].first_frame);
	cr_expect_lt(pieces[1].first_frame - pieces[1].after_frame, 100);
	clock_survey_destroy(survey);
}

Test(clock_survey, one_pass_finds_a_late_step)
{
	check(take_in_one_pass);
}

Test(clock_survey, two_passes_find_it_too)
{
	check(take_in_two_passes);
}
