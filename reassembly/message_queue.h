/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages in the order of their first frames, from their first packet until they are told.
 */
#ifndef REASSEMBLY_MESSAGE_QUEUE_H
#define REASSEMBLY_MESSAGE_QUEUE_H

#include "reassembly/state.h"

/*
 * A new message whose first packet is `frame`, at its place in the order. It belongs to `connection`, or to none. NULL:
 * there is no memory for it, which is counted.
 */
struct message *message_create(struct rtap_tracker *tracker, struct connection *connection, uint64_t frame, int64_t time_ns);

/* Nothing will change the message any more: works out what is told of it. It may be told and freed at once. */
void message_settle(struct rtap_tracker *tracker, struct message *message);

/* A message that was taken into another is no more. */
void message_drop(struct rtap_tracker *tracker, struct message *message);

/* Whether it is to be told with what has not come yet. */
static inline bool message_is_held(const struct message *message)
{
	return message->call || message->exchange || message->transfer || message->holder;
}

/* messages_advance() when the first one may be ready. */
void messages_tell_ready(struct rtap_tracker *tracker);

/* Tells the messages that can be, in order. */
static inline void messages_advance(struct rtap_tracker *tracker)
{
	if (tracker->first_waiting && !message_is_held(tracker->first_waiting))
		messages_tell_ready(tracker);
}

/* Memory is short: tells the message that has waited longest as it is. There must be one. */
void messages_evict_first(struct rtap_tracker *tracker);

/* Settles and tells all. */
void messages_flush(struct rtap_tracker *tracker);

void messages_fini(struct rtap_tracker *tracker);

#endif
