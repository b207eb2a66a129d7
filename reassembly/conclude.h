/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The end of a message that no longer changes: what is reported of it, and of the packets that its stream lacks. Complete
 * means that all its bytes are covered.
 */
#ifndef REASSEMBLY_CONCLUDE_H
#define REASSEMBLY_CONCLUDE_H

#include "reassembly/message_final.h"
#include "reassembly/missing_list.h"
#include "reassembly/state.h"

/* Computes length, completeness, missing ranges and outcome. */
void conclude_message(const struct rtap_tracker *tracker, struct message *message);

/* Adds the bytes that a message lacks so far, from its first packet seen to its last. For messages that are not settled. */
void conclude_missing(const struct message *message, struct missing_list *list);

/* The message no longer changes: computes what is reported of it. It may be reported and freed at once. */
void message_settle(struct rtap_tracker *tracker, struct message *message);

/* Counts the requests below `psn` that were never captured. */
void conclude_gaps(struct psn_stream *stream, uint64_t psn);

/* Slow path of messages_settle_final(). `all`: settles all messages. */
void messages_settle(struct rtap_tracker *tracker, struct psn_stream *stream, bool all);

/* Settles the messages of a PSN stream that no longer wait for packets, and gives up the gaps before them. */
static inline void messages_settle_final(struct rtap_tracker *tracker, struct psn_stream *stream)
{
	struct message *first = TAILQ_FIRST(&stream->messages);

	if ((first && message_final_psn(tracker, first)) || stream->gaps.count)
		messages_settle(tracker, stream, false);
}

#endif
