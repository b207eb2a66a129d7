/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decides when a message being reassembled no longer waits: by PSNs and responses, or by TCP acknowledgements.
 */
#ifndef REASSEMBLY_MESSAGE_FINAL_H
#define REASSEMBLY_MESSAGE_FINAL_H

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

#endif
