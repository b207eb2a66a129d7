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
	CLOCK_DELTA,         /* d: since the packet before */
	CLOCK_DELTA_SHOWN,   /* dd: since the packet shown before */
	CLOCK_EPOCH,         /* e: seconds since 1970 */
	CLOCK_RELATIVE,      /* r: since the first packet */
	CLOCK_UTC,           /* u */
	CLOCK_UTC_DATE,      /* ud */
};

/* Writes time stamps; keeps the last second's text, because most packets share theirs with the one before. */
struct clock {
	enum clock_form form;
	bool has_second, has_shown;
	int64_t second;
	int64_t shown_ns; /* time of the packet shown before */
	char text[32];    /* "2026-11-20 15:11:47." or "15:11:47." */
	unsigned text_length;
};

/* Form of a -t argument; false if there is none of that name. */
bool clock_parse(const char *argument, enum clock_form *form);

/* Appends the frame's time. */
void clock_write(struct clock *clock, const struct rtap_frame *frame, struct line *line);

/* Remembers that a frame of this time was shown. */
void clock_shown(struct clock *clock, int64_t time_ns);

#endif
