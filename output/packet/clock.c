/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>
#include <time.h>

#include "output/packet/clock.h"

#define NS_PER_SECOND 1000000000

bool clock_parse(const char *argument, enum clock_form *form)
{
	static const char *const names[] = {
		[CLOCK_ABSOLUTE] = "a", [CLOCK_ABSOLUTE_DATE] = "ad", [CLOCK_DELTA] = "d", [CLOCK_DELTA_SHOWN] = "dd",
		[CLOCK_EPOCH] = "e", [CLOCK_RELATIVE] = "r", [CLOCK_UTC] = "u", [CLOCK_UTC_DATE] = "ud",
	};

	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (!strcmp(argument, names[i])) {
			*form = (enum clock_form)i;
			return true;
		}
	}
	return false;
}

static void format_second(struct clock *clock, int64_t second)
{
	bool local = clock->form == CLOCK_ABSOLUTE || clock->form == CLOCK_ABSOLUTE_DATE;
	bool date = clock->form == CLOCK_ABSOLUTE_DATE || clock->form == CLOCK_UTC_DATE;
	time_t time = (time_t)second;
	struct tm parts = { 0 };

	if (local)
		localtime_r(&time, &parts);
	else
		gmtime_r(&time, &parts);
	clock->text_length = (unsigned)strftime(clock->text, sizeof clock->text, date ? "%Y-%m-%d %H:%M:%S." : "%H:%M:%S.", &parts);
	clock->second = second;
	clock->has_second = true;
}

static void write_of_day(struct clock *clock, int64_t time_ns, uint8_t digits, struct line *line)
{
	uint64_t rest = (uint64_t)time_ns - (uint64_t)clock->second * NS_PER_SECOND;
	char spare[sizeof clock->text + 9];
	char *begin;

	if (!clock->has_second || rest >= NS_PER_SECOND) {
		format_second(clock, time_ns / NS_PER_SECOND - (time_ns % NS_PER_SECOND < 0));
		rest = (uint64_t)time_ns - (uint64_t)clock->second * NS_PER_SECOND;
	}
	begin = line_begin(line, spare, sizeof spare);
	memcpy(begin, clock->text, sizeof clock->text);
	line_end(line, begin, line_put_fraction(begin + clock->text_length, (uint32_t)rest, digits));
}

#define SECONDS_MOST 32

/* Aligned on the decimal point, for nearly three hours. */
static void write_seconds(int64_t ns, uint8_t digits, struct line *line)
{
	char spare[SECONDS_MOST], *begin = line_begin(line, spare, sizeof spare), *to = begin;
	uint64_t magnitude = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, seconds = magnitude / NS_PER_SECOND;

	for (uint64_t limit = ns < 0 ? 100 : 1000; limit > 1 && seconds < limit; limit /= 10)
		*to++ = ' ';
	if (ns < 0)
		*to++ = '-';
	to = line_put_dec(to, seconds);
	*to++ = '.';
	line_end(line, begin, line_put_fraction(to, (uint32_t)(magnitude % NS_PER_SECOND), digits));
}

static int64_t since_shown(const struct clock *clock, const struct rtap_frame *frame)
{
	int64_t difference;

	if (!clock->has_shown)
		return 0;
	if (__builtin_sub_overflow(frame->time_ns, clock->shown_ns, &difference))
		return frame->time_ns < clock->shown_ns ? INT64_MIN : INT64_MAX;
	return difference;
}

void clock_write(struct clock *clock, const struct rtap_frame *frame, struct line *line)
{
	switch (clock->form) {
	case CLOCK_DELTA:
		write_seconds(frame->delta_ns, frame->time_digits, line);
		break;
	case CLOCK_DELTA_SHOWN:
		write_seconds(since_shown(clock, frame), frame->time_digits, line);
		break;
	case CLOCK_EPOCH:
		write_seconds(frame->time_ns, frame->time_digits, line);
		break;
	case CLOCK_RELATIVE:
		write_seconds(frame->relative_ns, frame->time_digits, line);
		break;
	default:
		write_of_day(clock, frame->time_ns, frame->time_digits, line);
	}
}

static char *put_seconds(char *to, const struct clock_listing *listing, int64_t ns)
{
	char *end = line_put_seconds(to, ns);

	return listing->digits == 6 ? end - 3 : end;
}

char *clock_put_listed(char *to, const struct clock_listing *listing, int64_t time_ns)
{
	struct clock clock = { .form = listing->form };
	struct line line;

	switch (listing->form) {
	case CLOCK_DELTA:
	case CLOCK_DELTA_SHOWN:
		return put_seconds(to, listing, listing->has_previous ? time_ns - listing->previous_ns : 0);
	case CLOCK_EPOCH:
		return put_seconds(to, listing, time_ns);
	case CLOCK_RELATIVE:
		return put_seconds(to, listing, time_ns - listing->first_ns);
	default:
		line_init(&line, to, CLOCK_MOST);
		write_of_day(&clock, time_ns, listing->digits, &line);
		return line.next;
	}
}

void clock_shown(struct clock *clock, int64_t time_ns)
{
	clock->shown_ns = time_ns;
	clock->has_shown = true;
}
