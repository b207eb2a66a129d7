/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Explanation of each rule of the findings: the name of the counted events, the likely cause, the next step, the standard,
 * and the display filter of the packets.
 */
#ifndef OUTPUT_STATS_FINDINGS_ADVICE_H
#define OUTPUT_STATS_FINDINGS_ADVICE_H

#include "output/stats/findings.h"

/* Further conditions besides `filter`. For a finding without a connection, conditions on frames replace those on connections. */
enum finding_advice_scope {
	ADVICE_CONNECTION = 1, /* packets of the finding's connection */
	ADVICE_DIRECTION = 2,  /* packets that the finding's end sent */
	ADVICE_OTHER = 4,      /* packets that the other end sent */
	ADVICE_FRAMES = 8,     /* between the first and the last frame */
};

struct finding_advice {
	const char *rule;
	const char *one, *many; /* name of the counted events */
	const char *standard;   /* "": none */
	const char *filter;     /* display filter; "": only the conditions of `scope` */
	unsigned scope;         /* enum finding_advice_scope */
	const char *cause, *next; /* sentences */
};

/* Never NULL for a rule of finding_rules. */
const struct finding_advice *finding_advice_of(const struct finding_rule *rule);

#endif
