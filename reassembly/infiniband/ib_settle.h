/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settles the messages of a PSN stream that no longer wait for packets, and gives up the gaps before them.
 */
#ifndef REASSEMBLY_INFINIBAND_IB_SETTLE_H
#define REASSEMBLY_INFINIBAND_IB_SETTLE_H

#include "reassembly/message_final.h"

/* Slow path of ib_settle_final(). `all`: settles all messages. */
void ib_settle(struct rtap_tracker *tracker, struct psn_stream *stream, bool all);

/* Settles the messages of a stream that no longer wait for packets. */
static inline void ib_settle_final(struct rtap_tracker *tracker, struct psn_stream *stream)
{
	struct message *first = TAILQ_FIRST(&stream->messages);

	if ((first && message_final_psn(tracker, first)) || stream->gaps.count)
		ib_settle(tracker, stream, false);
}

#endif
