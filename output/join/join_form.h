/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The output of rdmatap join: text tables and JSON.
 */
#ifndef OUTPUT_JOIN_JOIN_FORM_H
#define OUTPUT_JOIN_JOIN_FORM_H

#include "dissect/engine/line.h"
#include "output/join/join_count.h"
#include "output/packet/clock.h"
#include "output/stats/stats_table.h"

/* The clock of a point, against that of the point that is its reference. */
struct join_clock {
	bool is_known;
	unsigned reference;            /* point */
	int64_t offset_ns;             /* its lead at its first packet */
	double drift;                  /* gain in seconds per second */
	unsigned steps;                /* number of times that it was set */
	uint64_t unclear;              /* packets near these of which it is unknown whether they were captured before or after */
	uint64_t confirmed_from, confirmed_to; /* frames; those before and after these do not confirm the lead by themselves. 0: none */
	int64_t uncertainty_ns;        /* upper limit of the error of its lead but in all these, by the packets that were captured twice; 0: unknown */
};

struct join_form {
	const struct join *join;
	const char *const *names;       /* files of the points */
	struct join_clock *clocks;
	unsigned point_count;
	struct join_stall **stalls;     /* from join_verdict_sort() */
	size_t stall_count;
	struct join_stretch *stretches; /* from join_add_up() */
	size_t stretch_count;
	bool lacks_stretches;           /* for lack of memory */
	struct clock_listing times;
};

/* The stretch between two points, of all directions. */
struct join_stretch {
	unsigned from, to;              /* points */
	uint64_t packets, lost, unjudged; /* unjudged: it is unknown whether they were lost */
};

/* Adds up all stretches that packets took, in the order of their points. False: out of memory. The caller frees `stretches`. */
bool join_add_up(struct join_form *form);

/* One record for printer_write(). */
struct join_record {
	const struct join_form *form;
	const struct join_direction *direction;
	const struct transmission *lost; /* join_write_lost() */
	unsigned hop;
	const struct join_stall *stall;
};

/* One JSON object and "\n" for a struct join_record: a direction, a stall, or the summary (both NULL). */
void join_json(const void *record, struct line *line);

/* Text: the points and the sums for a struct join_form; a lost packet for a struct join_record. */
void join_write_points(const void *form, struct line *line);
void join_write_lost(const void *record, struct line *line);

/* "10.0.0.1:0x11 > 10.0.0.2:0x12"; TCP: ports */
void join_ends_text(const struct join_direction *direction, struct line *line);

#define JOIN_TITLE 160

/*
 * The table of directions; the caller finishes and frees it. If there are more than `most`, only those that lost the most packets. The title
 * is used until then.
 */
void join_table(struct stats_table *table, const struct join_form *form, size_t most, char title[JOIN_TITLE]);

#endif
