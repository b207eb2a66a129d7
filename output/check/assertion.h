/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Assertions about records: KEY OPERATOR VALUE [&& ...] [where FILTER]. All records that the filter selects must pass the comparisons; a
 * record without the key passes. Keys and values are those of display filters of records (doc/json.md).
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

/* A record that does not pass: what identifies it, and the values of the keys. */
struct assertion_offender {
	char text[ASSERTION_OFFENDER];
};

struct assertion {
	char *text;                  /* as given */
	enum record_kind kind;
	struct record_filter where;  /* the records that it is about; no filter: all */
	struct record_filter wrong;  /* those of all records that do not pass and are selected */
	char keys[ASSERTION_KEYS][RECORD_KEY_MOST]; /* without the prefix of the kind */
	unsigned key_count;
	bool is_share;               /* the first key's share of another must compare with `share` */
	char operator[3];
	double share;                /* 0.01 for 1% */
	uint64_t records, failed;    /* selected; of these, those that do not pass */
	struct assertion_offender *offenders; /* the first ones */
	size_t offender_count, offender_room;
};

/* Zero-initialised, but `most`. */
struct assertions {
	struct assertion *list;
	size_t count, room;
	size_t most;                 /* offenders kept of each */
	uint64_t refused;            /* offenders not kept for lack of memory */
};

/* Adds an assertion. FAILED: it is not understood, or a key is unknown; *error says what was meant. */
enum rtap_status assertions_add(struct assertions *assertions, const char *text, struct rtap_error *error) __attribute__((warn_unused_result));

/* Adds those of a file: one per line; # begins a comment. */
enum rtap_status assertions_read(struct assertions *assertions, const char *file, struct rtap_error *error) __attribute__((warn_unused_result));

/* Whether an assertion is about records of this kind. */
bool assertions_about(const struct assertions *assertions, enum record_kind kind);

/* Checks a record; `json` writes it as a JSON object. */
void assertions_take(struct assertions *assertions, enum record_kind kind, void (*json)(const void *what, struct line *line), const void *what);

void assertions_fini(struct assertions *assertions);

#endif
