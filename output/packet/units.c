/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/packet/units.h"

/* A number in hundredths of the first unit, which is an integer if `exact` is set, as three digits. */
static void three_digits(uint64_t value, const char *const *units, unsigned last, bool exact, struct line *line)
{
	unsigned unit = 0, digits, rounding = 0;

	/* what would be rounded to 1000 is 1.00 of the next unit; rounded once, at the last digit */
	for (; unit < last && value >= 99950; unit++) {
		rounding = value % 1000 >= 500;
		value /= 1000;
	}
	digits = exact && !unit ? 0 : value + rounding < 1000 ? 2 : value < 9995 ? 1 : 0;
	value += digits == 2 ? rounding : digits ? 5 : 50;
	line_dec(line, value / 100);
	if (digits) {
		line_char(line, '.');
		line_char(line, (char)('0' + value / 10 % 10));
	}
	if (digits == 2)
		line_char(line, (char)('0' + value % 10));
	line_text(line, units[unit]);
}

/* Above this, times are whole seconds; below, hundredths of nanoseconds fit into 64 bits. */
#define LONG_NS INT64_C(1000000000000)

void units_time(int64_t time_ns, struct line *line)
{
	static const char *const units[] = { " ns", " us", " ms", " s" };

	if (time_ns >= LONG_NS) {
		line_dec(line, (uint64_t)time_ns / 1000000000 + ((uint64_t)time_ns % 1000000000 >= 500000000));
		line_text(line, " s");
	} else if (!time_ns) {
		line_text(line, "0 s");
	} else {
		three_digits((uint64_t)time_ns * 100, units, 3, false, line);
	}
}

void units_bytes(uint64_t bytes, struct line *line)
{
	static const char *const units[] = { " B", " KB", " MB", " GB", " TB" };

	three_digits(bytes > UINT64_MAX / 200 ? UINT64_MAX / 2 : bytes * 100, units, 4, true, line);
}

void units_bit_rate(uint64_t bytes_per_second, struct line *line)
{
	static const char *const units[] = { " b/s", " kb/s", " Mb/s", " Gb/s", " Tb/s" };

	three_digits(bytes_per_second > UINT64_MAX / 2000 ? UINT64_MAX / 2 : bytes_per_second * 800, units, 4, true, line);
}

void units_percent(uint64_t part, uint64_t whole, struct line *line)
{
	double share = whole ? (double)part * 10000 / (double)whole : 0;
	uint64_t hundredths = (uint64_t)(share + 0.5), tenths = (uint64_t)(share / 10 + 0.5);

	if (hundredths < 100) {
		line_text(line, "0.");
		line_dec_padded(line, hundredths, 2);
	} else {
		line_dec(line, tenths / 10);
		line_char(line, '.');
		line_dec(line, tenths % 10);
	}
	line_text(line, " %");
}
