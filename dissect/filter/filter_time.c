/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dissect/filter/filter_time.h"

#define NANOSECONDS 1000000000
#define TEXT_ROOM 64

/* Formats of strptime(), the most specific first. */
static const char *const dates[] = { "%Y-%m-%d", "%b %d, %Y", "%b %d %Y" };
static const char *const clocks[] = { "%H:%M:%S", "%H:%M" };

static const char *read_any(const char *const *formats, size_t count, const char *text, struct tm *time)
{
	const char *end = NULL;

	for (size_t i = 0; i < count && !end; i++)
		end = strptime(text, formats[i], time);
	return end;
}

/* ".5": up to nine digits. Returns where they end, or NULL. */
static const char *read_fraction(const char *text, uint32_t *nanoseconds)
{
	uint32_t scale = NANOSECONDS;

	*nanoseconds = 0;
	if (*text != '.')
		return text;
	for (text++; *text >= '0' && *text <= '9' && scale > 1; text++) {
		scale /= 10;
		*nanoseconds += (uint32_t)(*text - '0') * scale;
	}
	return scale < NANOSECONDS ? text : NULL;
}

/* Day and time of day, if there is one. Returns where they end, or NULL. */
static const char *read_date(const char *text, struct tm *time, uint32_t *nanoseconds)
{
	const char *end = read_any(dates, sizeof dates / sizeof dates[0], text, time), *clock;

	*nanoseconds = 0;
	if (!end || (*end != ' ' && *end != 'T'))
		return end;
	clock = read_any(clocks, sizeof clocks / sizeof clocks[0], end + 1, time);
	return clock ? read_fraction(clock, nanoseconds) : end;
}

bool filter_time_read(const struct filter_token *token, uint64_t *number, bool *negative)
{
	uint32_t quotes = token->type == FILTER_TOKEN_TEXT ? 1 : 0, nanoseconds;
	struct tm time = { .tm_isdst = -1 };
	char text[TEXT_ROOM];
	const char *end;
	int64_t sum;
	bool utc;

	if ((token->type != FILTER_TOKEN_WORD && !quotes) || token->length - 2 * quotes >= sizeof text)
		return false;
	memcpy(text, token->text + quotes, token->length - 2 * quotes);
	text[token->length - 2 * quotes] = 0;
	end = read_date(text, &time, &nanoseconds);
	if (!end)
		return false;
	utc = !strcmp(end, "Z") || !strcmp(end, "UTC") || !strcmp(end, " UTC");
	if (*end && !utc)
		return false;
	sum = utc ? timegm(&time) : mktime(&time);
	if (__builtin_mul_overflow(sum, NANOSECONDS, &sum) || __builtin_add_overflow(sum, nanoseconds, &sum))
		return false;
	*negative = sum < 0;
	*number = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
	return true;
}
