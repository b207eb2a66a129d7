/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages in the order of their first frames, from their first packet until they are reported. One that is under way for
 * longer than the budget's give_up_ns steps aside: it is reported when it is over, and holds up no other until then.
 */
#ifndef REASSEMBLY_MESSAGE_QUEUE_H
#define REASSEMBLY_MESSAGE_QUEUE_H

#include "reassembly/message_final.h"
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

/* Whether its end has not been seen yet, as of nearly all that wait. */
static inline bool message_is_under_way(const struct rtap_tracker *tracker, const struct message *message)
{
	return message_is_held(message) || (message->stream && !message->connection->ddp && !message_final_psn(tracker, message));
}

/* Whether it has held its place for so long that it has to step aside. */
static inline bool message_is_overdue(const struct rtap_tracker *tracker, const struct message *message)
{
	return tracker->budget.clock_ns - message->queued_ns >= tracker->budget.give_up_ns;
}

/* messages_advance() when the first one may be ready, or has to step aside. */
void messages_tell_ready(struct rtap_tracker *tracker);

/* messages_advance() when some that stepped aside may be over: these are told next. */
void messages_check_aside(struct rtap_tracker *tracker);

/* Tells the messages that can be, in order. */
static inline void messages_advance(struct rtap_tracker *tracker)
{
	const struct message *first = tracker->first_waiting;

	if (tracker->aside.due_ns <= tracker->budget.clock_ns) {
		messages_check_aside(tracker);
		first = tracker->first_waiting;
	}
	if (first && (!message_is_under_way(tracker, first) || message_is_overdue(tracker, first)))
		messages_tell_ready(tracker);
}

/* The messages of a connection of which one flow was known are another's now. */
void messages_move(struct connection *from, struct connection *to, bool from_a);

/* Memory is short: tells the message that has waited longest as it is. There must be one. */
void messages_evict_first(struct rtap_tracker *tracker);

/* Settles and tells all. */
void messages_flush(struct rtap_tracker *tracker);

void messages_fini(struct rtap_tracker *tracker);

#endif
