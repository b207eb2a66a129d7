/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether a capture holds only some of the packets that were on the wire: sampled (1 of N), or taken from a mirror port that dropped
 * many. What is missing then says nothing of the network.
 */
#ifndef OUTPUT_STATS_SAMPLING_H
#define OUTPUT_STATS_SAMPLING_H

#include "output/stats/stats.h"

struct sampling {
	bool found;                /* or stated by the user */
	uint64_t missing;          /* packets of reliable connections that were never captured, and that nobody asked for again */
	uint64_t packets;          /* those and the captured ones that have a place in a sequence */
	uint64_t first_frame, last_frame; /* frames before which some were missing */
};

void sampling_look(struct sampling *sampling, const struct stats *stats);

/* Whether a finding of this rule takes what was not captured for something that did not happen. */
bool sampling_hides(const char *rule);

#endif
