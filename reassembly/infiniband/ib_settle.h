/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The end of messages of a stream of PSNs: those that wait for nothing more are settled, and the gaps before them given up.
 */
#ifndef REASSEMBLY_INFINIBAND_IB_SETTLE_H
#define REASSEMBLY_INFINIBAND_IB_SETTLE_H

#include "reassembly/message_final.h"

/* ib_settle_final() when there may be something to do; settles all if `all` is set. */
void ib_settle(struct rtap_tracker *tracker, struct psn_stream *stream, bool all);

/* Settles the messages of a stream that wait for nothing more. */
static inline void ib_settle_final(struct rtap_tracker *tracker, struct psn_stream *stream)
{
	if ((stream->head && message_final_psn(tracker, stream->head)) || stream->gaps.count)
		ib_settle(tracker, stream, false);
}

#endif
