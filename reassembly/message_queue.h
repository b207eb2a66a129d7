/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The queue of messages, sorted by first frame, from their first packet until they are reported. A message that is
 * incomplete for longer than the budget's give_up_ns is deferred: it is reported when it is finished and delays none for
 * longer than that time.
 */
#ifndef REASSEMBLY_MESSAGE_QUEUE_H
#define REASSEMBLY_MESSAGE_QUEUE_H

#include "reassembly/message_settle.h"
#include "reassembly/state.h"

/* Adds a new message whose first packet is `frame`. `connection` may be NULL. NULL: out of memory, which is counted. */
struct message *message_create(struct rtap_tracker *tracker, struct connection *connection, uint64_t frame, int64_t time_ns);

/* Frees a message that was merged into another. */
void message_drop(struct rtap_tracker *tracker, struct message *message);

/* Whether its report waits for another message or packet. */
static inline bool message_is_held(const struct message *message)
{
	return (message->request && !message->stream) || message->exchange || message->transfer || message->reference;
}

/* Whether its end has not been seen. */
static inline bool message_is_under_way(const struct rtap_tracker *tracker, const struct message *message)
{
	return message_is_held(message) || (message->stream && !message->connection->ddp && !message_final_psn(tracker, message));
}

/*
 * If messages need not be reported in order, finished ones need not wait for those before them, and take memory meanwhile. Deferring
 * these costs work: part of the time after which they are given up. Not requests, whose operations are counted in their order.
 */
#define UNORDERED_PART 16

/* Whether it has waited so long that it must be deferred. */
static inline bool message_is_overdue(const struct rtap_tracker *tracker, const struct message *message)
{
	bool must_wait = tracker->reports && (!tracker->any_order || message->request);
	uint64_t limit_ns = tracker->budget.give_up_ns / (must_wait ? 1 : UNORDERED_PART);

	if (tracker->patience_ns && tracker->patience_ns < limit_ns)
		limit_ns = tracker->patience_ns;
	if (message->request && message->request->only_confirmed && CONFIRMED_NS < limit_ns)
		limit_ns = CONFIRMED_NS;
	return tracker->budget.clock_ns - message->queued_ns >= limit_ns;
}

/*
 * Whether it waits for the end of its request, and packets of its connection, which settle messages, may have ended: what
 * the request waits for may be final now.
 */
static inline bool message_may_be_idle(const struct rtap_tracker *tracker, const struct message *message)
{
	return message->request && !message->stream && tracker->now_ns - message->active_ns >= GRACE_NS &&
	       tracker->now_ns >= tracker->idle_check_ns;
}

/* Order and places of the deferred messages: for tracker->deferred.heap. */
bool message_is_due_before(const void *one, const void *other);
void message_set_deferred(void *message, size_t at);

/* The end of its request no longer delays the message. */
void message_release(struct rtap_tracker *tracker, struct message *message);

/* Slow path of messages_advance(): the first message may be ready, or must be deferred. */
void messages_report_ready(struct rtap_tracker *tracker);

/* Slow path of messages_advance(): deferred messages may be finished and are reported next. */
void messages_check_deferred(struct rtap_tracker *tracker);

/* Reports the messages that are ready, in order. */
static inline void messages_advance(struct rtap_tracker *tracker)
{
	const struct message *first = TAILQ_FIRST(&tracker->waiting);

	if (tracker->deferred.due_ns <= tracker->budget.clock_ns) {
		messages_check_deferred(tracker);
		first = TAILQ_FIRST(&tracker->waiting);
	}
	if (first && (!message_is_under_way(tracker, first) || message_is_overdue(tracker, first) || message_may_be_idle(tracker, first)))
		messages_report_ready(tracker);
}

/* Moves the messages of a connection with one known flow to another connection. */
void messages_move(struct connection *from, struct connection *to, bool from_a);

/* Memory is short: reports the oldest waiting message incomplete. The queue must not be empty. */
void messages_evict_first(struct rtap_tracker *tracker);

/* Settles and reports all messages. */
void messages_flush(struct rtap_tracker *tracker);

void messages_fini(struct rtap_tracker *tracker);

#endif
