/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Violations of rules: all are counted, the first ones of each rule are kept.
 */
#ifndef OUTPUT_CHECK_VIOLATION_H
#define OUTPUT_CHECK_VIOLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/check/rule.h"

#define VIOLATION_SEEN 160   /* bytes of text */
#define VIOLATION_CULPRIT 80

struct violation {
	enum check_rule_number rule;
	uint64_t frame, connection;       /* connection 0: unknown or none */
	int64_t time_ns;
	char culprit[VIOLATION_CULPRIT];  /* the sender: "10.0.0.2 QP 0x11"; empty: unknown */
	char seen[VIOLATION_SEEN];        /* description of the violation; no text from packets */
};

/* Initialise `most`; all else zero: no violations, and no rule is checked. */
struct violations {
	size_t most;                      /* kept of each rule */
	bool is_checked[CHECK_RULE_COUNT];
	uint64_t counts[CHECK_RULE_COUNT];
	size_t kept[CHECK_RULE_COUNT];    /* of them in `list` */
	struct violation *list;           /* sorted by violations_sort() */
	size_t count, room;
	uint64_t refused;                 /* not kept for lack of memory */
};

/* Counts a violation of a rule that is checked, and keeps a copy if it is one of the first. */
void violations_add(struct violations *violations, const struct violation *violation);

/* Sorts the list by frame and rule. */
void violations_sort(struct violations *violations);

void violations_fini(struct violations *violations);

#endif
