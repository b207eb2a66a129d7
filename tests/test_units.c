/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers for people: three digits and a unit (powers of 1,000).
 */
#include "config.h"

#include <criterion/criterion.h>

#include "output/packet/units.h"

static char text[64];
static struct line line;

static void begin(void)
{
	line_init(&line, text, sizeof text - 1);
}

static const char *end(void)
{
	*line.next = 0;
	return text;
}

Test(units, times_have_three_digits)
{
	static const struct { int64_t ns; const char *text; } rows[] = {
		{ 0, "0 s" }, { 1, "1.00 ns" }, { 12, "12.0 ns" }, { 999, "999 ns" }, { 1000, "1.00 us" }, { 9994, "9.99 us" }, { 9995, "10.0 us" },
		{ 99949, "99.9 us" }, { 12344999, "12.3 ms" }, { 1234499, "1.23 ms" }, { 1235000, "1.24 ms" }, { 99950, "100 us" }, { 999499, "999 us" }, { 999500, "1.00 ms" }, { 540000000, "540 ms" },
		{ 999499999, "999 ms" }, { 999500000, "1.00 s" }, { 3420000000, "3.42 s" }, { 99950000000, "100 s" }, { 999500000000, "1000 s" },
		{ 1000500000000, "1001 s" }, { 86400000000000, "86400 s" }, { 1700000000499999999, "1700000000 s" },
		{ 1700000000500000000, "1700000001 s" }, { INT64_MAX, "9223372037 s" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin();
		units_time(rows[i].ns, &line);
		cr_expect_str_eq(end(), rows[i].text);
	}
}

Test(units, bytes_are_exact_below_1_KB)
{
	static const struct { uint64_t bytes; const char *text; } rows[] = {
		{ 0, "0 B" }, { 7, "7 B" }, { 999, "999 B" }, { 1000, "1.00 KB" }, { 65536, "65.5 KB" }, { 99950, "100 KB" }, { 999499, "999 KB" },
		{ 999500, "1.00 MB" }, { 2100000000, "2.10 GB" }, { 999500000000, "1.00 TB" }, { 100000000000000, "100 TB" },
		{ 12345000000000000, "12345 TB" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin();
		units_bytes(rows[i].bytes, &line);
		cr_expect_str_eq(end(), rows[i].text);
	}
}

Test(units, rates_are_in_bits)
{
	static const struct { uint64_t bytes_per_second; const char *text; } rows[] = {
		{ 0, "0 b/s" }, { 100, "800 b/s" }, { 125, "1.00 kb/s" }, { 6112500, "48.9 Mb/s" }, { 12500000000, "100 Gb/s" },
		{ 200000000000, "1.60 Tb/s" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin();
		units_bit_rate(rows[i].bytes_per_second, &line);
		cr_expect_str_eq(end(), rows[i].text);
	}
}

Test(units, shares_are_percentages)
{
	static const struct { uint64_t part, whole; const char *text; } rows[] = {
		{ 0, 0, "0.00 %" }, { 0, 5, "0.00 %" }, { 1, 2000, "0.05 %" }, { 55, 1000, "5.5 %" }, { 1, 1, "100.0 %" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin();
		units_percent(rows[i].part, rows[i].whole, &line);
		cr_expect_str_eq(end(), rows[i].text);
	}
}
