/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include <criterion/criterion.h>

#include "output/report/html.h"
#include "output/report/html_axis.h"
#include "output/report/report_points.h"

struct point {
	struct report_spot spot;
	uint64_t number;
};

static struct report_points points_of(uint32_t slices)
{
	return (struct report_points){ .size = sizeof(struct point), .slices = slices };
}

static void add(struct report_points *points, int64_t time_ns, int64_t place)
{
	report_points_add(points, &(struct point){ { time_ns, place }, points->seen });
}

static const struct point *find(const struct report_points *points, uint64_t number)
{
	for (uint32_t i = 0; i < points->count; i++) {
		const struct point *point = report_points_at(points, i);

		if (point->number == number)
			return point;
	}
	return NULL;
}

TestSuite(report_points, .timeout = HANG_SECONDS);

Test(report_points, few_are_all_kept_in_their_order)
{
	struct report_points points = points_of(16);

	for (int i = 0; i < 64; i++)
		add(&points, i % 7, -i);
	report_points_finish(&points);
	cr_assert_eq(points.count, 64);
	cr_assert_eq(points.seen, 64);
	cr_assert(!points.thinned);
	for (uint32_t i = 0; i < 64; i++)
		cr_assert_eq(((const struct point *)report_points_at(&points, i))->number, i);
	report_points_clear(&points);
	cr_assert_eq(points.count, 0);
}

Test(report_points, many_are_thinned_to_a_limit_and_counted)
{
	struct report_points points = points_of(16);

	for (int64_t i = 0; i < 100000; i++)
		add(&points, i * 1000, i * i % 977);
	cr_assert_leq(points.count, 64);
	report_points_finish(&points);
	cr_assert_leq(points.count, 48);
	cr_assert_geq(points.count, 16);
	cr_assert_eq(points.seen, 100000);
	for (uint32_t i = 0; i < points.count; i++) {
		const struct point *point = report_points_at(&points, i);

		cr_assert_eq(point->spot.time_ns, (int64_t)point->number * 1000, "a point that was not there");
		cr_assert_eq(point->spot.place, (int64_t)(point->number * point->number % 977));
	}
	report_points_clear(&points);
}

Test(report_points, the_highest_the_lowest_and_isolated_points_are_kept)
{
	struct report_points points = points_of(16);

	add(&points, -5000000, 3);
	for (int64_t i = 0; i < 50000; i++)
		add(&points, i, i == 20000 ? 1000000 : i == 31000 ? -1000000 : i % 10);
	add(&points, 5000000, 4);
	report_points_finish(&points);
	cr_assert(find(&points, 0));
	cr_assert(find(&points, 20001));
	cr_assert(find(&points, 31001));
	cr_assert(find(&points, 50001));
	report_points_clear(&points);
}

Test(report_points, times_at_the_ends_of_their_type_are_taken)
{
	struct report_points points = points_of(4);

	for (int i = 0; i < 1000; i++)
		add(&points, i % 2 ? INT64_MAX : INT64_MIN, i % 3 ? INT64_MAX : INT64_MIN);
	report_points_finish(&points);
	cr_assert_leq(points.count, 12);
	cr_assert_eq(points.seen, 1000);
	report_points_clear(&points);
}

Test(report_points, those_of_another_are_taken_over)
{
	struct report_points points = points_of(16), other = points_of(16);

	for (int i = 0; i < 1000; i++)
		add(&other, i, i);
	add(&points, 7, 7);
	report_points_merge(&points, &other);
	cr_assert_eq(points.seen, 1001);
	cr_assert(points.thinned);
	cr_assert_eq(other.count, 0);
	cr_assert_null(other.list);
	report_points_clear(&points);
}

static void check(void (*write)(struct line *line), const char *wanted)
{
	char text[256];
	struct line line;

	line_init(&line, text, sizeof text - 1);
	write(&line);
	*line.next = 0;
	cr_assert_str_eq(text, wanted);
}

static void hostile(struct line *line) { html_text(line, "</b><script>\"x\" & 'y'\n\x7f\xff\xc3\xa9\xe2\x80\xae"); }
static void counts(struct line *line) { html_count(line, 0); html_count(line, 999); html_count(line, 1000); html_count(line,
		   1000007); html_count(line, UINT64_MAX); }
static void fixed(struct line *line) { html_fixed(line, 1.005, 2); html_fixed(line, -0.5, 0); html_fixed(line, 12.3456,
		  3); html_fixed(line, 1e300, 0); }
static void durations(struct line *line) { html_duration(line, 0); html_duration(line, 999); html_duration(line,
		      1500); html_duration(line, 123456789); html_duration(line, INT64_MAX); }
static void cells(struct line *line) { html_cell_count(line, 0); html_cell_count(line, 12); html_cell_count(line,
		  1234); html_cell_time(line, true, 1500); html_cell_time(line, false, 0); html_cell_text(line, "<"); }

TestSuite(html, .timeout = HANG_SECONDS);

Test(html, text_of_unknown_origin_stays_text)
{
	check(hostile, "&lt;/b&gt;&lt;script&gt;&quot;x&quot; &amp; &#39;y&#39;\\x0a\\x7f\\xffé\\xe2\\x80\\xae");
}

Test(html, numbers_are_grouped_and_rounded)
{
	check(counts, "0" "999" "1,000" "1,000,007" "18,446,744,073,709,551,615");
	check(fixed, "1.00" "-1" "12.346" "9000000000000000000");
	check(durations, "0 ns" "999 ns" "1.500 µs" "123.5 ms" "9223372036.9 s");
}

Test(html, cells_have_their_sort_keys)
{
	check(cells,
	      "<td class=\"n zero\">0</td><td class=\"n\">12</td><td class=\"n\" data-v=\"1234\">1,234</td>"
	      "<td class=\"n\" data-v=\"0.000001500\">1.500 µs</td>"
	      "<td class=\"n\" data-v=\"\">–</td><td>&lt;</td>");
}

Test(html, steps_are_round_and_not_too_many)
{
	static const struct { double span; unsigned most; double step; } cases[] = {
		{ 1, 10, 0.1 }, { 10, 6, 2 }, { 100, 4, 50 }, { 7, 7, 1 }, { 0.0035, 9, 0.0005 }, { 1e18, 6, 2e17 }, { 0, 5, 1 }, { -3, 5, 1 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double step = html_step(cases[i].span, cases[i].most);

		cr_assert_float_eq(step, cases[i].step, cases[i].step * 1e-9, "%g in %u: %g", cases[i].span, cases[i].most, step);
	}
}

Test(html, places_are_proportional_or_logarithmic)
{
	struct html_axis axis = { 0, 10, 100, 200, false }, decades = { 1, 1000, 0, 300, true }, nothing = { 5, 5, 1, 9, false };

	cr_assert_float_eq(html_place(&axis, 2.5), 125, 1e-9);
	cr_assert_float_eq(html_place(&decades, 10), 100, 1e-9);
	cr_assert_float_eq(html_place(&decades, 0), 0, 1e-9);
	cr_assert_float_eq(html_place(&nothing, 5), 1, 1e-9);
}

static unsigned count(const char *text, const char *part)
{
	unsigned found = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		found++;
	return found;
}

Test(html, an_axis_ends_whatever_its_numbers_are)
{
	static const double edges[][2] = { { 0, 1 }, { 1e18, 1e18 + 200 }, { -9e18, 9e18 }, { 3, 3 }, { 0, 1e-30 } };

	for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
		struct html_axis axis = { edges[i][0], edges[i][1], 90, 985, false };
		static char text[65536];
		struct line line;

		line_init(&line, text, sizeof text - 1);
		html_ticks_x(&line, &axis, (struct html_unit){ 1, "" }, 0, 10);
		html_ticks_y(&line, &axis, (struct html_unit){ 1, "" }, 0, 10, 6);
		*line.next = 0;
		cr_assert(!line.cut);
		cr_assert_leq(count(text, "<text"), 48);
		cr_assert_eq(count(text, "<g"), count(text, "</g>"));
	}
}
