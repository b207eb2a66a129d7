/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Assertions about records: KEY OPERATOR VALUE [&& ...] [where FILTER]. All records that the filter selects must pass the comparisons; a
 * record without the key passes, unless it is an anomaly, which is 0 then. Keys and values are those of display filters of records (doc/json.md).
 */
#ifndef OUTPUT_CHECK_ASSERTION_H
#define OUTPUT_CHECK_ASSERTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/error.h>

#include "output/message/record_filter.h"

#define ASSERTION_OFFENDER 200 /* bytes of text */
#define ASSERTION_KEYS 8       /* compared */

/* A record that fails: its identification, and the values of the keys. */
struct assertion_offender {
	char text[ASSERTION_OFFENDER];
};

struct assertion {
	char *text;                  /* as given */
	enum record_kind kind;
	struct record_filter where;  /* selects records; no filter: all */
	struct record_filter wrong;  /* selects the records that fail: selected by `where`, and with a false comparison */
	char keys[ASSERTION_KEYS][RECORD_KEY_MOST]; /* without the prefix of the kind */
	unsigned key_count;
	bool is_share;               /* the first key divided by another one is compared with `share` */
	char operator[3];
	double share;                /* 0.01 for 1% */
	uint64_t records, failed;    /* records selected; of these, those that fail */
	struct assertion_offender *offenders; /* the first ones */
	size_t offender_count, offender_room;
};

/* Initialise `most`; zero the other members. */
struct assertions {
	struct assertion *list;
	size_t count, room;
	size_t most;                 /* offenders kept of each */
	uint64_t refused;            /* offenders not kept for lack of memory */
};

/* Adds an assertion. FAILED: a syntax error, or an unknown key; *error suggests a similar one. */
enum rtap_status assertions_add(struct assertions *assertions, const char *text, struct rtap_error *error) __attribute__((warn_unused_result));

/* Adds the assertions of a file: one per line; # begins a comment. */
enum rtap_status assertions_read(struct assertions *assertions, const char *file, struct rtap_error *error) __attribute__((warn_unused_result));

/* Whether any assertion applies to records of this kind. */
bool assertions_about(const struct assertions *assertions, enum record_kind kind);

/* Checks a record; `json` writes it as a JSON object. */
void assertions_take(struct assertions *assertions, enum record_kind kind, void (*json)(const void *what, struct line *line), const void *what);

void assertions_fini(struct assertions *assertions);

#endif
