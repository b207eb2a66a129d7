/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/packet/units.h"

/* A unit after its number. */
struct unit {
	char text[7];
	uint8_t length;
};

#define UNIT(name) { " " name, sizeof name }

/* A number in hundredths of the first unit, which is an integer if `exact` is set, as three digits. */
static char *put_three_digits(char *to, uint64_t value, const struct unit *units, unsigned last, bool exact)
{
	unsigned unit = 0, digits, rounding = 0;

	/* what would be rounded to 1000 is 1.00 of the next unit; rounded once, at the last digit */
	for (; unit < last && value >= 99950; unit++) {
		rounding = value % 1000 >= 500;
		value /= 1000;
	}
	digits = exact && !unit ? 0 : value + rounding < 1000 ? 2 : value < 9995 ? 1 : 0;
	value += digits == 2 ? rounding : digits ? 5 : 50;
	to = line_put_dec(to, value / 100);
	to[0] = '.';
	to[1] = (char)('0' + value / 10 % 10);
	to[2] = (char)('0' + value % 10);
	to += digits ? digits + 1 : 0;
	memcpy(to, units[unit].text, sizeof units[unit].text);
	return to + units[unit].length;
}

/* Above this, times are whole seconds; below, hundredths of nanoseconds fit into 64 bits. */
#define LONG_NS INT64_C(1000000000000)

char *units_put_time(char *to, int64_t time_ns)
{
	static const struct unit units[] = { UNIT("ns"), UNIT("us"), UNIT("ms"), UNIT("s") };

	if (time_ns >= LONG_NS)
		return line_put(line_put_dec(to, (uint64_t)time_ns / 1000000000 + ((uint64_t)time_ns % 1000000000 >= 500000000)), " s");
	return time_ns ? put_three_digits(to, (uint64_t)time_ns * 100, units, 3, false) : line_put(to, "0 s");
}

char *units_put_bytes(char *to, uint64_t bytes)
{
	static const struct unit units[] = { UNIT("B"), UNIT("KB"), UNIT("MB"), UNIT("GB"), UNIT("TB") };

	return put_three_digits(to, bytes > UINT64_MAX / 200 ? UINT64_MAX / 2 : bytes * 100, units, 4, true);
}

void units_time(int64_t time_ns, struct line *line)
{
	char spare[UNITS_MOST], *begin = line_begin(line, spare, sizeof spare);

	line_end(line, begin, units_put_time(begin, time_ns));
}

void units_bytes(uint64_t bytes, struct line *line)
{
	char spare[UNITS_MOST], *begin = line_begin(line, spare, sizeof spare);

	line_end(line, begin, units_put_bytes(begin, bytes));
}

void units_bit_rate(uint64_t bytes_per_second, struct line *line)
{
	static const struct unit units[] = { UNIT("b/s"), UNIT("kb/s"), UNIT("Mb/s"), UNIT("Gb/s"), UNIT("Tb/s") };
	char spare[UNITS_MOST], *begin = line_begin(line, spare, sizeof spare);

	line_end(line, begin, put_three_digits(begin, bytes_per_second > UINT64_MAX / 2000 ? UINT64_MAX / 2 : bytes_per_second * 800, units, 4, true));
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
