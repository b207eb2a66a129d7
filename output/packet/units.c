/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/packet/units.h"

/* A number in hundredths of the first unit, which is an integer if `exact` is set, as three digits. */
static void three_digits(uint64_t value, const char *const *units, unsigned last, bool exact, struct line *line)
{
	unsigned unit = 0, digits = 2;

	for (; unit < last && value >= 100000; unit++)
		value = (value + 500) / 1000;
	for (uint64_t limit = 1000; digits && value >= limit; limit *= 10)
		digits--;
	if (exact && !unit)
		digits = 0;
	value += digits == 2 ? 0 : digits ? 5 : 50;
	line_dec(line, value / 100);
	if (digits) {
		line_char(line, '.');
		line_char(line, (char)('0' + value / 10 % 10));
	}
	if (digits == 2)
		line_char(line, (char)('0' + value % 10));
	line_text(line, units[unit]);
}

void units_time(int64_t time_ns, struct line *line)
{
	static const char *const units[] = { " ns", " us", " ms", " s" };

	three_digits((uint64_t)time_ns * 100, units, 3, false, line);
}

void units_bytes(uint64_t bytes, struct line *line)
{
	static const char *const units[] = { " B", " KB", " MB", " GB" };

	three_digits(bytes > UINT64_MAX / 200 ? UINT64_MAX / 2 : bytes * 100, units, 3, true, line);
}

void units_bit_rate(uint64_t bytes_per_second, struct line *line)
{
	static const char *const units[] = { " b/s", " kb/s", " Mb/s", " Gb/s" };

	three_digits(bytes_per_second > UINT64_MAX / 2000 ? UINT64_MAX / 2 : bytes_per_second * 800, units, 3, true, line);
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
