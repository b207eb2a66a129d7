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

/* Records the time of a frame printed. */
void clock_shown(struct clock *clock, int64_t time_ns);

#endif
