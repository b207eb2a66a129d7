/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <inttypes.h>
#include <stdlib.h>

#include "reassembly/missing_list.h"

#define MOST 4

struct span {
	uint64_t begin, end;
};

struct hole {
	uint64_t offset, length;
	uint8_t reason;
};

struct holes_case {
	char what[56]; /* no pointer: each case runs in a process of its own */
	struct span data[MOST], cut[MOST];
	uint64_t begin, end, origin;
	struct hole holes[MOST];
	uint32_t count;
};

#define LOST RTAP_MISSING_EVICTED /* the list's reason for bytes that were not truncated */
#define CUT RTAP_MISSING_SNAPPED

TestSuite(missing_list, .timeout = HANG_SECONDS);

ParameterizedTestParameters(missing_list, holes_are_truncated_and_absent_ranges)
{
	static struct holes_case cases[] = {
		{ "nothing is missing", { { 0, 100 } }, { { 0, 0 } }, 0, 100, 0, { { 0, 0, 0 } }, 0 },
		{ "an empty range", { { 0, 0 } }, { { 0, 0 } }, 50, 50, 0, { { 0, 0, 0 } }, 0 },
		{ "all", { { 0, 0 } }, { { 0, 0 } }, 10, 100, 10, { { 0, 90, LOST } }, 1 },
		{ "the beginning", { { 40, 100 } }, { { 0, 0 } }, 10, 100, 10, { { 0, 30, LOST } }, 1 },
		{ "the end", { { 0, 60 } }, { { 0, 0 } }, 0, 100, 0, { { 60, 40, LOST } }, 1 },
		{ "in between", { { 0, 20 }, { 30, 100 } }, { { 0, 0 } }, 0, 100, 0, { { 20, 10, LOST } }, 1 },
		{ "data beyond both ends", { { 0, 20 }, { 90, 200 } }, { { 0, 0 } }, 10, 100, 10, { { 10, 70, LOST } }, 1 },
		{ "data only beyond the end", { { 200, 300 } }, { { 0, 0 } }, 0, 100, 0, { { 0, 100, LOST } }, 1 },
		{ "truncated as a whole", { { 0, 60 } }, { { 60, 100 } }, 0, 100, 0, { { 60, 40, CUT } }, 1 },
		{ "truncated in part", { { 0, 60 } }, { { 70, 80 } }, 0, 100, 0, { { 60, 10, LOST }, { 70, 10, CUT }, { 80, 20, LOST } }, 3 },
		{ "truncated where it is present too", { { 0, 60 } }, { { 0, 100 } }, 0, 100, 0, { { 60, 40, CUT } }, 1 },
		{ "truncated beyond the range", { { 0, 60 } }, { { 90, 200 } }, 0, 100, 0, { { 60, 30, LOST }, { 90, 10, CUT } }, 2 },
		{ "truncated only after the range", { { 0, 60 } }, { { 150, 200 } }, 0, 100, 0, { { 60, 40, LOST } }, 1 },
		{ "data before the range", { { 0, 5 }, { 40, 100 } }, { { 0, 0 } }, 10, 100, 10, { { 0, 30, LOST } }, 1 },
		{ "offsets that count from before", { { 0, 60 } }, { { 0, 0 } }, 0, 100, UINT64_MAX - 999, { { 1060, 40, LOST } }, 1 },
	};

	return cr_make_param_array(struct holes_case, cases, sizeof cases / sizeof cases[0]);
}

static void cover(struct coverage *coverage, const struct span *spans)
{
	uint64_t fresh;

	for (unsigned i = 0; i < MOST && spans[i].end; i++)
		cr_assert(coverage_add(coverage, spans[i].begin, NULL, spans[i].end - spans[i].begin, 0, COVERAGE_ONLY, &fresh));
}

ParameterizedTest(struct holes_case *one, missing_list, holes_are_truncated_and_absent_ranges)
{
	struct missing_list list = { .origin = one->origin, .reason = LOST };
	struct coverage data = { 0 }, cut = { 0 };

	cover(&data, one->data);
	cover(&cut, one->cut);
	missing_list_add_holes(&list, &data, &cut, one->begin, one->end);
	if (!one->begin)
		cr_expect_eq(missing_list_has_hole(&data, one->end), list.count > 0, "%s", one->what);
	cr_assert_eq(list.count, one->count, "%s: %" PRIu32, one->what, list.count);
	for (uint32_t i = 0; i < list.count; i++) {
		cr_expect_eq(list.items[i].offset, one->holes[i].offset, "%s: %" PRIu64, one->what, list.items[i].offset);
		cr_expect_eq(list.items[i].length, one->holes[i].length, "%s: %" PRIu64, one->what, list.items[i].length);
		cr_expect_eq(list.items[i].reason, one->holes[i].reason, "%s", one->what);
		cr_expect(list.items[i].length_known);
	}
	free(list.items);
	coverage_fini(&data);
	coverage_fini(&cut);
}

Test(missing_list, adjacent_ranges_with_one_reason_are_one)
{
	struct missing_list list = { 0 };

	missing_list_add(&list, (struct rtap_missing){ 0, 10, true, LOST });
	missing_list_add(&list, (struct rtap_missing){ 10, 5, true, LOST });
	missing_list_add(&list, (struct rtap_missing){ 15, 0, true, LOST });
	missing_list_add(&list, (struct rtap_missing){ 15, 5, true, CUT });
	missing_list_add(&list, (struct rtap_missing){ 21, 5, true, CUT });
	missing_list_add(&list, (struct rtap_missing){ 26, 0, false, CUT });
	missing_list_add(&list, (struct rtap_missing){ 26, 4, true, CUT });
	cr_assert_eq(list.count, 5);
	cr_expect_eq(list.items[0].length, 15);
	cr_expect_eq(list.items[1].length, 5);
	cr_expect_eq(list.items[2].offset, 21);
	cr_expect_not(list.items[3].length_known);
	cr_expect_eq(list.items[4].length, 4);
	cr_expect_not(list.failed);
	free(list.items);
}
