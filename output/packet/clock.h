/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time stamps in the forms of tshark's -t.
 */
#ifndef OUTPUT_PACKET_CLOCK_H
#define OUTPUT_PACKET_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/frame.h>

#include "dissect/engine/line.h"

enum clock_form {
	CLOCK_ABSOLUTE,      /* a: local time of day */
	CLOCK_ABSOLUTE_DATE, /* ad */
	CLOCK_DELTA,         /* d: since the previous packet */
	CLOCK_DELTA_SHOWN,   /* dd: since the previous packet printed */
	CLOCK_EPOCH,         /* e: seconds since 1970 */
	CLOCK_RELATIVE,      /* r: since the first packet */
	CLOCK_UTC,           /* u */
	CLOCK_UTC_DATE,      /* ud */
};

/* Formats time stamps; caches the text of the last second because most packets share it with the previous one. */
struct clock {
	enum clock_form form;
	bool has_second, has_shown;
	int64_t second;
	int64_t shown_ns; /* time of the previous packet printed */
	char text[32];    /* "2026-11-20 15:11:47." or "15:11:47." */
	unsigned text_length;
};

/* Parses a -t argument; false: invalid. */
bool clock_parse(const char *argument, enum clock_form *form);

/* Appends the frame's time: microseconds if its input has no more, else nanoseconds. */
void clock_write(struct clock *clock, const struct rtap_frame *frame, struct line *line);

/* Time stamps of listings of records other than frames. The differences of its times fit into 64 bits. */
struct clock_listing {
	enum clock_form form;
	uint8_t digits;      /* of the seconds' fraction: 6, or 9 and 0 for nine */
	int64_t first_ns;    /* of the first frame */
	bool has_previous;
	int64_t previous_ns; /* of the previous line */
};

#define CLOCK_MOST 40

/* Writes at `to` a time with the digits of the listing, at most CLOCK_MOST bytes; returns the end. Differences are from the previous line. */
char *clock_put_listed(char *to, const struct clock_listing *listing, int64_t time_ns);

/* Records a frame: the first one, and the digits of its time. */
static inline void clock_note_frame(struct clock_listing *listing, const struct rtap_frame *frame)
{
	if (!listing->digits)
		listing->first_ns = frame->time_ns - frame->relative_ns;
	if (frame->time_digits > 6 || !frame->time_digits)
		listing->digits = 9;
	else if (!listing->digits)
		listing->digits = 6;
}

/* Records the time of the line written. */
static inline void clock_listed(struct clock_listing *listing, int64_t time_ns)
{
	listing->has_previous = true;
	listing->previous_ns = time_ns;
}

/* Records the time of a frame printed. */
void clock_shown(struct clock *clock, int64_t time_ns);

#endif
