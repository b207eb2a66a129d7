/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Detection of captures that contain only some of the packets on the wire: sampled (1 of N), or from a mirror port that dropped many.
 * Missing packets then do not indicate network loss.
 */
#ifndef OUTPUT_STATS_SAMPLING_H
#define OUTPUT_STATS_SAMPLING_H

#include "output/stats/stats.h"

struct sampling {
	bool found;                /* detected, or stated by the user */
	uint64_t missing;          /* packets of reliable connections that were neither captured nor requested again */
	uint64_t packets;          /* `missing` plus captured packets with a sequence number */
	uint64_t first_frame, last_frame; /* frames before which packets are missing */
};

void sampling_look(struct sampling *sampling, const struct stats *stats);

/* Whether a finding of this rule can be caused by packets that were not captured. */
bool sampling_hides(const char *rule);

#endif
