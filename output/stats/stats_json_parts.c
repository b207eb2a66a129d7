/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/packet/object.h"
#include "output/stats/stats_json_parts.h"

void stats_json_begin(const char *type, struct line *line)
{
	line_char(line, '{');
	object_text(line, "type", type);
}

void stats_json_end(struct line *line)
{
	line_bytes(line, "}\n", 2);
}

/* An object in an array. */
void stats_json_element(struct line *line, bool is_first)
{
	if (!is_first)
		line_char(line, ',');
	line_char(line, '{');
}

void stats_json_object(struct line *line, const char *key)
{
	object_key(line, key);
	line_char(line, '{');
}

static void object_value(struct line *line, const char *key, uint64_t value, bool is_time)
{
	if (is_time)
		object_seconds(line, key, (int64_t)value);
	else
		object_number(line, key, value);
}

/* Sizes with three decimals, times to the nanosecond. */
static void mean(const struct histogram *histogram, bool is_time, struct line *line)
{
	uint64_t whole = histogram->sum / histogram->count;
	uint64_t thousandths = (uint64_t)((double)(histogram->sum % histogram->count) * 1000 / (double)histogram->count);

	object_value(line, "mean", whole, is_time);
	if (is_time || !thousandths)
		return;
	line_char(line, '.');
	line_char(line, (char)('0' + thousandths / 100));
	line_char(line, (char)('0' + thousandths / 10 % 10));
	line_char(line, (char)('0' + thousandths % 10));
}

void stats_json_distribution(const char *key, const struct histogram *histogram, bool is_time, struct line *line)
{
	static const char *const keys[] = { "p50", "p90", "p99", "p999" };
	static const unsigned permilles[] = { 500, 900, 990, 999 };
	uint64_t percentiles[4];

	if (!histogram || !histogram->count)
		return;
	histogram_percentiles(histogram, permilles, 4, percentiles);
	stats_json_object(line, key);
	object_number(line, "count", histogram->count);
	mean(histogram, is_time, line);
	object_value(line, "min", histogram->least, is_time);
	for (unsigned i = 0; i < 4; i++)
		object_value(line, keys[i], percentiles[i], is_time);
	object_value(line, "max", histogram->largest, is_time);
	line_char(line, '}');
}

void stats_json_occurrences_members(const struct stats_occurrences *occurrences, struct line *line)
{
	object_number(line, "count", occurrences->count);
	object_number(line, "first_frame", occurrences->first_frame);
	object_number(line, "last_frame", occurrences->last_frame);
}

void stats_json_occurrences(const char *key, const struct stats_occurrences *counted, struct line *line)
{
	if (!counted->count)
		return;
	stats_json_object(line, key);
	stats_json_occurrences_members(counted, line);
	line_char(line, '}');
}
