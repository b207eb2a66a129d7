/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "output/packet/units.h"
#include "output/stats/interval_line.h"
#include "output/stats/stats_form.h"

#define NS_A_SECOND 1000000000

static const struct {
	const char *title;
	unsigned width;
} columns[] = {
	{ "time", 12 }, { "packets", 12 }, { "bytes", 10 }, { "rate", 12 }, { "messages", 10 }, { "retrans.", 10 }, { "NAKs", 8 }, { "CE marks", 10 },
	{ "CNPs", 8 },
};

/* A cell, right-aligned. */
static void put(struct line *line, unsigned column, const char *text, size_t length)
{
	for (size_t i = length; i < columns[column].width; i++)
		line_char(line, ' ');
	line_bytes(line, text, length);
}

static void put_count(struct line *line, unsigned column, uint64_t count)
{
	char text[24];
	struct line cell;

	line_init(&cell, text, sizeof text);
	line_dec(&cell, count);
	put(line, column, text, (size_t)(cell.next - text));
}

static void put_units(struct line *line, unsigned column, void (*write)(uint64_t number, struct line *line), uint64_t number)
{
	char text[48];
	struct line cell;

	line_init(&cell, text, sizeof text);
	if (number)
		write(number, &cell);
	else
		line_char(&cell, '0');
	put(line, column, text, (size_t)(cell.next - text));
}

void interval_line_heading(const void *nothing, struct line *line)
{
	(void)nothing;
	for (unsigned i = 0; i < sizeof columns / sizeof columns[0]; i++)
		put(line, i, columns[i].title, strlen(columns[i].title));
	line_char(line, '\n');
}

/* Local time; milliseconds if intervals are shorter than seconds. */
static void put_time(struct line *line, int64_t time_ns, bool fraction)
{
	time_t seconds = (time_t)(time_ns / NS_A_SECOND);
	char text[32] = "?";
	struct tm local;
	size_t length = 1;

	if (time_ns >= 0 && localtime_r(&seconds, &local))
		length = strftime(text, sizeof text, "%H:%M:%S", &local);
	if (fraction)
		length += (size_t)snprintf(text + length, sizeof text - length, ".%03u", (unsigned)(time_ns % NS_A_SECOND / 1000000));
	put(line, 0, text, length);
}

void interval_line_write(const void *what, struct line *line)
{
	static const struct stats_interval nothing;
	const struct interval_line *item = what;
	const struct stats *stats = item->stats;
	const struct stats_interval *interval = item->index < stats->interval_count ? &stats->intervals[item->index] : &nothing;

	put_time(line, stats->begin_ns + (int64_t)item->index * stats->interval_ns, stats->interval_ns % NS_A_SECOND != 0);
	put_count(line, 1, interval->packets);
	put_units(line, 2, units_bytes, interval->bytes);
	put_units(line, 3, units_bit_rate, stats_rate(interval->bytes, stats->interval_ns));
	put_count(line, 4, interval->messages);
	put_count(line, 5, interval->retransmissions);
	put_count(line, 6, interval->naks);
	put_count(line, 7, interval->ce_marks);
	put_count(line, 8, interval->cnps);
	line_char(line, '\n');
}
