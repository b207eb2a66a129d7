/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <criterion/criterion.h>

#include "output/packet/clock.h"

#define SECOND INT64_C(1000000000)

static const char *written(struct clock *clock, const struct rtap_frame *frame)
{
	static char memory[64];
	struct line line;

	line_init(&line, memory, sizeof memory - 1);
	clock_write(clock, frame, &line);
	cr_assert(!line.cut);
	*line.next = 0;
	return memory;
}

static void set_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

TestSuite(clock, .timeout = HANG_SECONDS);

Test(clock, every_form_has_its_name)
{
	static const char *const names[] = { "a", "ad", "d", "dd", "e", "r", "u", "ud" };
	static const char *const others[] = { "", "A", "aa", "x", "adoy", "e ", "rr", "udd" };
	enum clock_form form;

	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
		cr_expect(clock_parse(names[i], &form));
		cr_expect_eq(form, i);
	}
	for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
		cr_expect(!clock_parse(others[i], &form), "%s", others[i]);
}

Test(clock, times_of_day_are_right_before_and_after_1970)
{
	static const struct {
		int64_t time_ns;
		const char *utc, *local; /* local: five and a half hours east */
	} cases[] = {
		{ 0, "1970-01-01 00:00:00.000000000", "1970-01-01 05:30:00.000000000" },
		{ 1, "1970-01-01 00:00:00.000000001", "1970-01-01 05:30:00.000000001" },
		{ -1, "1969-12-31 23:59:59.999999999", "1970-01-01 05:29:59.999999999" },
		{ -SECOND, "1969-12-31 23:59:59.000000000", "1970-01-01 05:29:59.000000000" },
		{ -SECOND - 1, "1969-12-31 23:59:58.999999999", "1970-01-01 05:29:58.999999999" },
		{ INT64_C(1700000000123456789), "2023-11-14 22:13:20.123456789", "2023-11-15 03:43:20.123456789" },
		{ INT64_C(951782400) * SECOND, "2000-02-29 00:00:00.000000000", "2000-02-29 05:30:00.000000000" },
		{ INT64_MAX, "2262-04-11 23:47:16.854775807", "2262-04-12 05:17:16.854775807" },
		{ INT64_MIN, "1677-09-21 00:12:43.145224192", "1677-09-21 05:42:43.145224192" },
	};

	set_zone("XYZ-5:30");
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		static const enum clock_form forms[] = { CLOCK_UTC_DATE, CLOCK_UTC, CLOCK_ABSOLUTE_DATE, CLOCK_ABSOLUTE };
		const struct rtap_frame frame = { .time_ns = cases[i].time_ns };

		for (unsigned j = 0; j < 4; j++) {
			struct clock clock = { .form = forms[j] };

			/* a time_t of 32 bits ends in 2038 */
			if (sizeof(time_t) < sizeof(int64_t) && llabs(cases[i].time_ns / SECOND) > INT32_MAX)
				continue;
			cr_expect_str_eq(written(&clock, &frame), (j < 2 ? cases[i].utc : cases[i].local) + (j % 2 ? 11 : 0));
		}
	}
}

Test(clock, the_second_kept_is_not_shown_for_another)
{
	static const struct {
		int64_t time_ns;
		const char *text;
	} steps[] = {
		{ 0, "00:00:00.000000000" }, { SECOND - 1, "00:00:00.999999999" }, { SECOND, "00:00:01.000000000" },
		{ SECOND + 5, "00:00:01.000000005" }, { 0, "00:00:00.000000000" }, { -1, "23:59:59.999999999" }, { 0, "00:00:00.000000000" },
		{ 86400 * SECOND, "00:00:00.000000000" }, { 3600 * SECOND, "01:00:00.000000000" },
	};
	struct clock clock = { .form = CLOCK_UTC };

	for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		const struct rtap_frame frame = { .time_ns = steps[i].time_ns };

		cr_expect_str_eq(written(&clock, &frame), steps[i].text);
	}
}

Test(clock, differences_have_a_sign_and_nine_decimals)
{
	const struct rtap_frame frame = { .time_ns = -1500000000, .relative_ns = -2, .delta_ns = 3 * SECOND };
	struct clock epoch = { .form = CLOCK_EPOCH }, relative = { .form = CLOCK_RELATIVE }, delta = { .form = CLOCK_DELTA };

	cr_expect_str_eq(written(&epoch, &frame), "  -1.500000000");
	cr_expect_str_eq(written(&relative, &frame), "  -0.000000002");
	cr_expect_str_eq(written(&delta, &frame), "   3.000000000");
}

Test(clock, a_fraction_has_the_digits_of_its_input_and_loses_none)
{
	static const struct {
		int64_t time_ns;
		uint8_t digits;
		const char *text;
	} cases[] = {
		{ 123456000, 6, "00:00:00.123456" }, { 123456789, 6, "00:00:00.123456789" }, { 123456000, 9, "00:00:00.123456000" },
		{ 123456000, 0, "00:00:00.123456000" }, { 123000000, 3, "00:00:00.123000" }, { 0, 6, "00:00:00.000000" },
		{ 999999000, 6, "00:00:00.999999" }, { 100000000, 7, "00:00:00.100000000" },
	};

	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct clock clock = { .form = CLOCK_UTC };
		const struct rtap_frame frame = { .time_ns = cases[i].time_ns, .time_digits = cases[i].digits };

		cr_expect_str_eq(written(&clock, &frame), cases[i].text);
	}
}

Test(clock, since_shown_counts_from_the_packet_shown_before_without_overflow)
{
	static const struct {
		int64_t time_ns;
		const char *text;
	} steps[] = {
		{ 5 * SECOND, "   0.000000000" }, { 7 * SECOND, "   2.000000000" }, { 6 * SECOND, "  -1.000000000" },
		{ INT64_MIN, "-9223372036.854775808" }, { INT64_MAX, "9223372036.854775807" }, { INT64_MIN, "-9223372036.854775808" },
		{ INT64_MIN, "   0.000000000" },
	};
	struct clock clock = { .form = CLOCK_DELTA_SHOWN };

	for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		const struct rtap_frame frame = { .time_ns = steps[i].time_ns }, skipped = { .time_ns = 42 };

		written(&clock, &skipped);
		cr_expect_str_eq(written(&clock, &frame), steps[i].text);
		clock_shown(&clock, frame.time_ns);
	}
}
