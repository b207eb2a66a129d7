/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include <criterion/criterion.h>

#include "output/export/export_ranges.h"

TestSuite(export_ranges, .timeout = HANG_SECONDS);

Test(export_ranges, the_last_setting_counts_and_adjacent_ranges_join)
{
	struct ranges ranges = { 0 };
	bool known;

	cr_expect(ranges_set(&ranges, 10, 20, RANGE_DATA));
	cr_expect(ranges_set(&ranges, 30, 40, RANGE_DATA));
	cr_expect(ranges_set(&ranges, 20, 30, RANGE_DATA));
	cr_expect_eq(ranges.count, 1);
	cr_expect(ranges_set(&ranges, 15, 17, RANGE_MISSING));
	cr_expect_eq(ranges.count, 3);
	cr_expect(ranges_set(&ranges, 12, 18, RANGE_DATA));
	cr_expect_eq(ranges.count, 1);
	cr_expect(ranges_fill(&ranges, 0, 50, RANGE_MISSING));
	cr_expect_eq(ranges.count, 3);
	cr_expect_eq(ranges_at(&ranges, 5, &known).end, 10);
	cr_expect(known);
	ranges_cut(&ranges, 45);
	cr_expect_eq(ranges.at[2].end, 45);
	ranges_cut(&ranges, 10);
	cr_expect_eq(ranges.count, 1);
	ranges_fini(&ranges);
}

Test(export_ranges, equal_an_array_of_bytes)
{
	struct ranges ranges = { 0 };
	uint8_t bytes[64] = { 0 };
	uint32_t random = 1;

	for (int step = 0; step < 20000; step++) {
		random = random * 1103515245 + 12345;
		uint64_t begin = random >> 8 & 63, end = begin + (random >> 16 & 15);
		unsigned state = random >> 24 & 3;
		bool fill = random >> 28 & 1;

		if (end > 64)
			end = 64;
		cr_assert(fill ? ranges_fill(&ranges, begin, end, state) : ranges_set(&ranges, begin, end, state));
		for (uint64_t i = begin; i < end; i++)
			if (!fill || !bytes[i])
				bytes[i] = (uint8_t)(state + 1);
		if (step % 50 == 0) {
			ranges_cut(&ranges, begin);
			memset(bytes + begin, 0, 64 - begin);
		}
		for (uint32_t i = 0; i < ranges.count; i++) {
			cr_assert_lt(ranges.at[i].begin, ranges.at[i].end);
			if (i)
				cr_assert(ranges.at[i - 1].end < ranges.at[i].begin ||
					  (ranges.at[i - 1].end == ranges.at[i].begin && ranges.at[i - 1].state != ranges.at[i].state));
		}
		for (uint64_t i = 0; i < 64; i++) {
			bool known;
			struct range here = ranges_at(&ranges, i, &known);

			cr_assert_eq(known ? here.state + 1 : 0, bytes[i]);
		}
	}
	ranges_fini(&ranges);
}

Test(export_ranges, are_limited)
{
	struct ranges ranges = { 0 };

	for (uint64_t i = 0; i < RANGES_MAX; i++)
		cr_assert(ranges_set(&ranges, i * 2, i * 2 + 1, RANGE_DATA));
	cr_expect_not(ranges_set(&ranges, UINT64_C(1) << 40, (UINT64_C(1) << 40) + 1, RANGE_DATA));
	cr_expect(ranges_set(&ranges, 0, UINT64_C(1) << 40, RANGE_ZEROS));
	cr_expect_eq(ranges.count, 1);
	ranges_fini(&ranges);
}

Test(export_ranges, spoiling_takes_whole_ranges_and_no_memory)
{
	struct ranges ranges = { 0 };
	uint32_t room;

	for (uint64_t i = 0; i < 4; i++)
		cr_expect(ranges_set(&ranges, i * 10, i * 10 + 10, i % 2 ? RANGE_ZEROS : RANGE_DATA));
	cr_expect(ranges_set(&ranges, 50, 60, RANGE_DATA));
	room = ranges.room;
	ranges_spoil(&ranges, 12, 31, RANGE_MISSING);
	cr_expect_eq(ranges.room, room);
	cr_assert_eq(ranges.count, 3);
	cr_expect_eq(ranges.at[0].end, 10);
	cr_expect_eq(ranges.at[1].begin, 10);
	cr_expect_eq(ranges.at[1].end, 40);
	cr_expect_eq(ranges.at[1].state, RANGE_MISSING);
	cr_expect_eq(ranges.at[2].begin, 50);
	cr_expect_eq(ranges.at[2].state, RANGE_DATA);
	ranges_fini(&ranges);
}
