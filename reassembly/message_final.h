/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When nothing more can be expected for a message that is under way: by PSNs and their answers, or by what TCP acknowledges.
 */
#ifndef REASSEMBLY_MESSAGE_FINAL_H
#define REASSEMBLY_MESSAGE_FINAL_H

#include "reassembly/state.h"
#include "reassembly/time_windows.h"

/* Holes that the stream went past so long ago stay holes. */
#define HOLE_NS (2 * NANOSECONDS)

/* Of a message that nothing has answered: whether it waits for nothing more. */
bool message_final_given_up(const struct rtap_tracker *tracker, const struct message *message);

/* Whether a message of a stream of PSNs waits for nothing more. */
static inline bool message_final_psn(const struct rtap_tracker *tracker, const struct message *message)
{
	if (!message->answered)
		return message_final_given_up(tracker, message);
	return message->stream->packets >= message->answered_at + GRACE_PACKETS || tracker->now_ns - message->answered_ns >= GRACE_NS;
}

/* Whether nothing more can be expected for a message of iWARP that is under way, awaits its acknowledgement or had it lately. */
bool message_final_ddp(const struct rtap_tracker *tracker, const struct message *message);

static inline bool message_is_final(const struct rtap_tracker *tracker, const struct message *message)
{
	return message->connection->ddp ? message_final_ddp(tracker, message) : message_final_psn(tracker, message);
}

#endif
