/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of a comparison, from the command line and from rules files.
 */
#ifndef OUTPUT_COMPARE_DIFF_RULES_H
#define OUTPUT_COMPARE_DIFF_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include <rdmatap/error.h>

#include "output/compare/canon_policy.h"

/* FIELD=5% or FIELD=0.001: the largest accepted difference of numbers. */
struct diff_tolerance {
	char *name;
	double share;    /* of the larger of the two; or */
	double distance; /* in the field's unit */
};

struct diff_pair {
	char *left, *right; /* one allocation, which begins at left */
};

struct diff_names {
	char **names;
	size_t count;
};

/* Zero-initialised: everything is compared. The rules own their strings. */
struct diff_rules {
	struct diff_names ignore, only, keep;
	struct diff_tolerance *tolerances;
	size_t tolerance_count;
	struct diff_pair *map;     /* addresses: OLD=NEW */
	size_t map_count;
	struct diff_pair *skip;    /* messages and packets: FIELD=VALUE */
	size_t skip_count;
	enum canon_level level;
	bool fold_retransmissions; /* ignore retransmissions and the packets that requested them */
	bool order;                /* also compare the relative order of the two directions of a connection */
};

void diff_rules_fini(struct diff_rules *rules);

/*
 * Adds one option by its long name: "ignore", "only", "keep", "tolerance", "map", "skip", "level", "fold-retransmissions", "order".
 * `value` is NULL for an option without a value. On failure the error names the option.
 */
enum rtap_status diff_rules_add(struct diff_rules *rules, const char *option, const char *value, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Adds the rules of a file: one option per line, as on the command line; '#' begins a comment. */
enum rtap_status diff_rules_read(struct diff_rules *rules, const char *path, struct rtap_error *error) __attribute__((warn_unused_result));

/* Whether each value that is to be kept is one that can be compared at the level of the rules. Call it when all rules are added. */
enum rtap_status diff_rules_check(const struct diff_rules *rules, struct rtap_error *error) __attribute__((warn_unused_result));

/* Whether a value of this name, omitted by default, is to be compared. */
bool diff_rules_keep(const struct diff_rules *rules, const char *name, size_t length);

/* Whether the rules compare a value of this name. */
bool diff_rules_compare(const struct diff_rules *rules, const char *name, size_t length);

/* The tolerance of a value of this name, or NULL. */
const struct diff_tolerance *diff_rules_tolerance(const struct diff_rules *rules, const char *name, size_t length);

#endif
