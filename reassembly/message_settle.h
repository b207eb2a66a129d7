/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When a message is final, by PSNs and responses or by TCP acknowledgements, and what is reported of it then, and of the packets that its
 * stream lacks. Complete means that all its bytes are covered.
 */
#ifndef REASSEMBLY_MESSAGE_SETTLE_H
#define REASSEMBLY_MESSAGE_SETTLE_H

#include "reassembly/missing_list.h"
#include "reassembly/state.h"
#include "reassembly/time_windows.h"

/* Whether an unanswered message no longer waits. */
bool message_final_given_up(const struct rtap_tracker *tracker, const struct message *message);

/* Whether a message of a PSN stream no longer waits. */
static inline bool message_final_psn(const struct rtap_tracker *tracker, const struct message *message)
{
	if (!message->answered)
		return message_final_given_up(tracker, message);
	return message->stream->packets >= message->answered_at + GRACE_PACKETS || tracker->now_ns - message->answered_ns >= GRACE_NS;
}

/* Whether an iWARP message no longer waits. It may be incomplete, or its acknowledgement outstanding or recent. */
bool message_final_ddp(const struct rtap_tracker *tracker, const struct message *message);

static inline bool message_is_final(const struct rtap_tracker *tracker, const struct message *message)
{
	return message->connection->ddp ? message_final_ddp(tracker, message) : message_final_psn(tracker, message);
}

/* Computes length, completeness, missing ranges and outcome. */
void message_compute_result(const struct rtap_tracker *tracker, struct message *message);

/* Adds the bytes that a message lacks so far, from its first packet seen to its last, and of a SEND what follows. For messages that are not settled. */
void message_missing_so_far(const struct message *message, struct missing_list *list);

/* The message no longer changes: computes what is reported of it. It may be reported and freed at once. */
void message_settle(struct rtap_tracker *tracker, struct message *message);

/* The gaps below `psn` are final: counts their requests, which were never captured, unless they may be those of another half connection. */
void gaps_settle(const struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn);

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
