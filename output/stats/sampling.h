/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Detection of captures that contain only some of the packets on the wire: sampled (1 of N), from a mirror port that dropped many, or of one
 * direction only. Missing packets then do not indicate network loss, and missing answers no failure.
 */
#ifndef OUTPUT_STATS_SAMPLING_H
#define OUTPUT_STATS_SAMPLING_H

#include "output/stats/stats.h"

struct sampling {
	bool found;                /* detected, or stated by the user */
	uint64_t missing;          /* packets of reliable connections that were neither captured nor requested again */
	uint64_t packets;          /* `missing` plus captured packets with a sequence number */
	uint64_t first_frame, last_frame; /* frames before which packets are missing */
	bool is_one_way;           /* nearly all packets are of connections of which one direction was captured */
	uint64_t one_way, connections; /* those connections; all reliable ones */
};

void sampling_look(struct sampling *sampling, const struct stats *stats);

/* Whether a finding of this rule can be caused by packets that such a capture lacks. */
bool sampling_hides(const struct sampling *sampling, const char *rule);

#endif
