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

static void write_of_day(struct clock *clock, int64_t time_ns, struct line *line)
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
	line_end(line, begin, line_put_nine(begin + clock->text_length, (uint32_t)rest));
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
		line_seconds(line, frame->delta_ns);
		break;
	case CLOCK_DELTA_SHOWN:
		line_seconds(line, since_shown(clock, frame));
		break;
	case CLOCK_EPOCH:
		line_seconds(line, frame->time_ns);
		break;
	case CLOCK_RELATIVE:
		line_seconds(line, frame->relative_ns);
		break;
	default:
		write_of_day(clock, frame->time_ns, line);
	}
}

void clock_shown(struct clock *clock, int64_t time_ns)
{
	clock->shown_ns = time_ns;
	clock->has_shown = true;
}
