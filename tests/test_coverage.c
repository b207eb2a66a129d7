/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include <criterion/criterion.h>
#include <zlib.h>

#include "reassembly/store/coverage.h"

#define ROOM 6000
#define BASE (UINT64_C(1) << 40)

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % below;
}

/* The expected coverage, one byte per position. */
struct model {
	bool there[ROOM];
	uint8_t bytes[ROOM];
};

static uint64_t add_to_model(struct model *model, uint32_t at, const uint8_t *bytes, uint32_t length)
{
	uint64_t fresh = 0;

	for (uint32_t i = 0; i < length; i++) {
		if (model->there[at + i])
			continue;
		model->there[at + i] = true;
		model->bytes[at + i] = bytes[i];
		fresh++;
	}
	return fresh;
}

static void expect_same(const struct coverage *coverage, const struct model *model, unsigned keep)
{
	uint32_t at = 0, run = 0;
	uint64_t total = 0;

	while (at < ROOM) {
		const struct coverage_run *got = coverage_runs(coverage) + run;
		uint32_t begin;

		while (at < ROOM && !model->there[at])
			at++;
		begin = at;
		while (at < ROOM && model->there[at])
			at++;
		if (begin == at)
			break;
		cr_assert_lt(run, coverage->count);
		cr_assert_eq(got->begin, BASE + begin);
		cr_assert_eq(got->end, BASE + at);
		total += at - begin;
		cr_assert(got->crc_known || !(keep & COVERAGE_CRC));
		if (got->crc_known)
			cr_assert_eq(got->crc, crc32_z(0, model->bytes + begin, at - begin));
		cr_assert(coverage_bytes(coverage, got) || !(keep & COVERAGE_BYTES));
		if (coverage_bytes(coverage, got))
			cr_assert_arr_eq(coverage_bytes(coverage, got), model->bytes + begin, at - begin);
		run++;
	}
	cr_assert_eq(coverage->count, run);
	cr_assert_eq(coverage->total, total);
	cr_assert(!(keep & COVERAGE_BYTES) || !coverage->bytes || coverage->bytes_room >= total);
}

static void add_random(struct coverage *coverage, struct model *model, uint32_t from, uint32_t to, unsigned keep)
{
	uint32_t at = from + draw(to - from), length = 1 + draw(draw(4) ? 40 : 600);
	uint8_t bytes[600];
	uint64_t fresh = 0, room;

	if (length > to - at)
		length = to - at;
	for (uint32_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)draw(256);
	room = coverage_room_for(coverage, BASE + at, length);
	cr_assert(coverage_add(coverage, BASE + at, keep ? bytes : NULL, length, (uint32_t)crc32_z(0, bytes, length), keep, &fresh));
	cr_assert_eq(fresh, add_to_model(model, at, bytes, length));
	/* a piece that covers all others makes room on both sides */
	cr_assert(!(keep & COVERAGE_BYTES) || coverage->bytes_room <= room + 4 * sizeof bytes);
}

static const unsigned keeps[] = { COVERAGE_ONLY, COVERAGE_CRC, COVERAGE_BYTES, COVERAGE_CRC | COVERAGE_BYTES };

TestSuite(coverage, .timeout = HANG_SECONDS);

Test(coverage, pieces_in_any_order_and_overlap_are_as_byte_by_byte)
{
	for (uint32_t seed = 0; seed < 400; seed++) {
		struct coverage coverage = { 0 };
		struct model model = { .there = { false } };
		unsigned keep = keeps[seed % 4];

		random_state = seed;
		for (int i = 0; i < 120; i++) {
			add_random(&coverage, &model, 0, ROOM, keep);
			if (i % 8 == 0)
				expect_same(&coverage, &model, keep);
		}
		expect_same(&coverage, &model, keep);
		coverage_fini(&coverage);
		cr_assert_eq(coverage_memory(&coverage), 0);
	}
}

Test(coverage, the_checksum_of_a_whole_is_that_of_its_bytes_whatever_the_order_of_its_pieces)
{
	static uint8_t whole[ROOM];

	for (uint32_t seed = 0; seed < 300; seed++) {
		struct coverage coverage = { 0 };
		uint32_t piece = 1 + seed % 97, count = (ROOM + piece - 1) / piece, order[ROOM];
		uint64_t fresh;

		random_state = seed;
		for (uint32_t i = 0; i < ROOM; i++)
			whole[i] = (uint8_t)draw(256);
		for (uint32_t i = 0; i < count; i++)
			order[i] = i;
		for (uint32_t i = count; i > 1; i--) {
			uint32_t other = seed % 3 ? draw(i) : i - 1, kept = order[i - 1];

			order[i - 1] = order[other];
			order[other] = kept;
		}
		for (uint32_t i = 0; i < count; i++) {
			uint32_t at = (seed % 3 == 1 ? count - 1 - i : order[i]) * piece, length = piece < ROOM - at ? piece : ROOM - at;

			cr_assert(coverage_add(&coverage, BASE + at, whole + at, length, (uint32_t)crc32_z(0, whole + at, length),
					       COVERAGE_CRC | COVERAGE_BYTES, &fresh));
		}
		cr_assert_eq(coverage.count, 1);
		cr_assert_eq(coverage_runs(&coverage)->crc, crc32_z(0, whole, ROOM));
		cr_assert_arr_eq(coverage.bytes + (BASE - coverage.origin), whole, ROOM);
		coverage_fini(&coverage);
	}
}

/* With bytes, joined pieces may overlap; the first copy counts. */
Test(coverage, joined_coverages_are_as_byte_by_byte)
{
	for (uint32_t seed = 0; seed < 400; seed++) {
		struct coverage coverage = { 0 }, other = { 0 };
		struct model model = { .there = { false } }, taken = { .there = { false } };
		unsigned keep = keeps[seed % 4];
		bool apart = seed % 8 < 4 || keep == COVERAGE_CRC;

		random_state = seed;
		for (uint32_t i = 0, pieces = draw(30); i < pieces; i++)
			add_random(&coverage, &model, apart ? ROOM / 2 * (seed / 8 % 2) : 0, apart ? ROOM / 2 + ROOM / 2 * (seed / 8 % 2) : ROOM, keep);
		for (uint32_t i = 0, pieces = draw(30); i < pieces; i++)
			add_random(&other, &taken, apart ? ROOM / 2 * (1 - seed / 8 % 2) : 0, apart ? ROOM - ROOM / 2 * (seed / 8 % 2) : ROOM, keep);
		for (uint32_t i = 0; i < ROOM; i++)
			if (taken.there[i])
				add_to_model(&model, i, &taken.bytes[i], 1);
		cr_assert(coverage_join(&coverage, &other, 0, keep));
		cr_assert_eq(coverage_memory(&other), 0);
		expect_same(&coverage, &model, keep);
		coverage_fini(&coverage);
	}
}

/* Without bytes, removed ranges end where pieces end: the checksum of the rest of a run is unknown. */
Test(coverage, removing_equals_removing_byte_by_byte)
{
	for (uint32_t seed = 0; seed < 400; seed++) {
		struct coverage coverage = { 0 };
		struct model model = { .there = { false } };
		unsigned keep = keeps[seed % 4];

		random_state = seed;
		for (uint32_t i = 0; i < 60; i++) {
			uint32_t from = draw(ROOM), to = from + draw(600);
			uint64_t there = 0;

			add_random(&coverage, &model, 0, ROOM, keep);
			if (draw(3))
				continue;
			to = to < ROOM ? to : ROOM;
			for (uint32_t at = from; at < to; at++)
				there += model.there[at];
			memset(model.there + from, 0, to - from);
			cr_assert_eq(coverage_remove(&coverage, BASE + from, BASE + to, keep), there);
			expect_same(&coverage, &model, keep == COVERAGE_CRC ? COVERAGE_ONLY : keep);
		}
		coverage_fini(&coverage);
		cr_assert_eq(coverage_memory(&coverage), 0);
	}
}

Test(coverage, the_checksum_of_a_part_without_bytes_is_not_known)
{
	struct coverage coverage = { 0 }, other = { 0 };
	uint8_t bytes[100] = { 1, 2, 3 };
	uint64_t fresh;

	cr_assert(coverage_add(&coverage, BASE, bytes, 60, (uint32_t)crc32_z(0, bytes, 60), COVERAGE_CRC, &fresh));
	cr_assert(coverage_add(&other, BASE + 50, bytes, 50, (uint32_t)crc32_z(0, bytes, 50), COVERAGE_CRC, &fresh));
	cr_expect(coverage_runs(&coverage)->crc_known && coverage_runs(&other)->crc_known);
	cr_assert(coverage_join(&coverage, &other, 0, COVERAGE_CRC));
	cr_expect_eq(coverage.count, 1);
	cr_expect_eq(coverage.total, 100);
	cr_expect_not(coverage_runs(&coverage)->crc_known);
	coverage_fini(&coverage);
}

/* Of pieces of which only some have bytes, or are to be kept: bytes of every run or of none, and no wrong ones. */
Test(coverage, bytes_are_of_every_run_or_of_none)
{
	uint64_t had_bytes = 0, had_none = 0;

	for (uint32_t seed = 0; seed < 2000; seed++) {
		struct coverage parts[3] = { { .count = 0 } };
		struct model models[3] = { { .there = { false } } };

		random_state = seed;
		for (int i = 0; i < 40; i++) {
			uint32_t which = draw(3), other = draw(3), at = draw(ROOM - 600), length = 1 + draw(600);
			unsigned keep = keeps[draw(seed % 3 ? 2 : 1) + 2];
			uint8_t bytes[600];
			uint64_t fresh;

			for (uint32_t j = 0; j < length; j++)
				bytes[j] = (uint8_t)draw(256);
			if (i % 5 == 4 && which != other) {
				for (uint32_t j = at; j < at + length; j++)
					if (models[other].there[j])
						add_to_model(&models[which], j + 3, &models[other].bytes[j], 1);
				cr_assert(coverage_copy(&parts[which], &parts[other], BASE + at, BASE + at + length, 3, keep));
			} else {
				cr_assert(coverage_add(&parts[which], BASE + at, draw(20) ? bytes : NULL, length,
						       (uint32_t)crc32_z(0, bytes, length), draw(20) ? keep : keeps[draw(4)], &fresh));
				cr_assert_eq(fresh, add_to_model(&models[which], at, bytes, length));
			}
			expect_same(&parts[which], &models[which], 0);
			had_bytes += parts[which].bytes != NULL;
			had_none += parts[which].bytes == NULL;
		}
		for (int i = 0; i < 3; i++)
			coverage_fini(&parts[i]);
	}
	cr_expect(had_bytes > 1000 && had_none > 1000, "%" PRIu64 " %" PRIu64, had_bytes, had_none);
}

Test(coverage, a_position_beyond_all_numbers_is_refused)
{
	struct coverage coverage = { 0 };
	uint8_t bytes[16] = { 0 };
	uint64_t fresh;

	cr_assert(coverage_add(&coverage, 4, bytes, sizeof bytes, 0, COVERAGE_BYTES, &fresh));
	cr_expect_not(coverage_add(&coverage, UINT64_MAX - 7, bytes, sizeof bytes, 0, COVERAGE_BYTES, &fresh));
	cr_expect_not(coverage_add(&coverage, UINT64_MAX - 20, bytes, sizeof bytes, 0, COVERAGE_BYTES, &fresh));
	cr_expect_eq(coverage.total, sizeof bytes);
	coverage_fini(&coverage);
}

Test(coverage, descending_pieces_do_not_move_all_bytes_each_time)
{
	struct coverage coverage = { 0 };
	uint8_t bytes[64] = { 0 };
	uint64_t fresh;
	uint32_t grown = 0;

	for (uint32_t i = 0; i < 100000; i++) {
		uint64_t room = coverage.bytes_room;

		cr_assert(coverage_add(&coverage, BASE - i * sizeof bytes, bytes, sizeof bytes, 0, COVERAGE_BYTES, &fresh));
		grown += coverage.bytes_room != room;
	}
	cr_expect_eq(coverage.total, 100000 * sizeof bytes);
	cr_expect_lt(grown, 30);
	coverage_fini(&coverage);
}

Test(coverage, reserved_memory_is_enough_for_what_it_was_reserved_for)
{
	struct coverage coverage = { 0 };
	uint8_t bytes[64];
	uint64_t fresh;

	memset(bytes, 7, sizeof bytes);
	coverage_reserve(&coverage, BASE, 4 * sizeof bytes);
	cr_expect_eq(coverage.count, 0);
	cr_expect_eq(coverage.bytes_room, 4 * sizeof bytes);
	for (uint32_t i = 4; i-- > 0;)
		cr_assert(coverage_add(&coverage, BASE + i * sizeof bytes, bytes, sizeof bytes, 0, COVERAGE_BYTES, &fresh));
	cr_expect_eq(coverage.bytes_room, 4 * sizeof bytes);
	cr_expect_arr_eq(coverage_bytes(&coverage, coverage_runs(&coverage)) + 3 * sizeof bytes, bytes, sizeof bytes);
	coverage_reserve(&coverage, BASE, 8 * sizeof bytes);
	cr_expect_eq(coverage.bytes_room, 4 * sizeof bytes, "what is covered stays");
	cr_assert(coverage_add(&coverage, BASE - 1, bytes, 1, 0, COVERAGE_BYTES, &fresh));
	cr_expect_eq(coverage.total, 4 * sizeof bytes + 1);
	coverage_fini(&coverage);
}
