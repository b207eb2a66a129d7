/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes pauses to the network or an end. Call after join_finish().
 */
#ifndef OUTPUT_JOIN_JOIN_VERDICT_H
#define OUTPUT_JOIN_JOIN_VERDICT_H

#include "output/join/join_count.h"

/* The cause of a pause. */
enum join_place { JOIN_NETWORK, JOIN_RECEIVER, JOIN_SENDER, JOIN_PLACES };

/* The reason: the packet was lost or delayed; it arrived, but no acknowledgement or response followed; the next packet was sent late. */
enum join_reason { JOIN_LOST, JOIN_DELAYED, JOIN_UNANSWERED, JOIN_LATE };

struct join_verdict {
	enum join_place place;
	enum join_reason reason;
	const struct join_brief *packet; /* JOIN_LOST, JOIN_DELAYED: that one; else `before` */
	unsigned hop;                  /* JOIN_LOST: where, as in join_hop_of() */
};

struct join_verdict join_verdict_of(const struct join_stall *stall);

/* Orders the pauses by place, then the longest first; *sorted is borrowed and none may be added later. Returns their number. */
size_t join_verdict_sort(struct join_stalls *stalls, struct join_stall ***sorted);

const char *join_verdict_place_name(enum join_place place);
const char *join_verdict_reason_name(enum join_reason reason);

#endif
