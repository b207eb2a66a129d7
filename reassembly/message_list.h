/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages of a stream in the order of PSNs, and those that wait for an acknowledgement.
 */
#ifndef REASSEMBLY_MESSAGE_LIST_H
#define REASSEMBLY_MESSAGE_LIST_H

#include "reassembly/state.h"

/* No messages. */
void message_list_init(struct psn_stream *stream);

/* After `*stream = *from`: the messages are those of `stream`, and `from` has none. */
void message_list_move(struct psn_stream *stream, struct psn_stream *from);

/* Its neighbours in its stream; NULL: none, or it is in no stream. */
static inline struct message *message_list_before(const struct message *message)
{
	return message->stream ? TAILQ_PREV(message, message_list, link) : NULL;
}

static inline struct message *message_list_after(const struct message *message)
{
	return message->stream ? TAILQ_NEXT(message, link) : NULL;
}

/* message_list_find_before() of a message that is not the last one. */
struct message *message_list_find_earlier(struct psn_stream *stream, uint64_t psn, struct message *from);

/* The last message that begins at or before `psn`. The search starts at `from`; NULL: at the last one. */
static inline struct message *message_list_find_before(struct psn_stream *stream, uint64_t psn, struct message *from)
{
	struct message *tail = TAILQ_LAST(&stream->messages, message_list);

	if (!tail || tail->low <= psn)
		return tail;
	if (from && from->low <= psn && TAILQ_NEXT(from, link)->low > psn)
		return from;
	return message_list_find_earlier(stream, psn, from);
}

/* Removes a message from the list of unacknowledged messages. */
static inline void message_list_leave_unacked(struct psn_stream *stream, struct message *message)
{
	if (message->is_unacked)
		TAILQ_REMOVE(&stream->unacked, message, unacked);
	message->is_unacked = false;
}

/* The message is answered, or ends without an answer, at this time: it does not wait for one any more. */
static inline void message_list_end_wait(struct psn_stream *stream, struct message *message, int64_t time_ns)
{
	message_list_leave_unacked(stream, message);
	message->answered = true;
	message->answered_ns = time_ns;
	message->answered_at = stream->packets;
}

/* Removes a message from its stream's index. */
void message_list_unindex(struct psn_stream *stream, struct message *message);

/* Removes a message from its stream, and from the slot that it is in. */
static inline void message_list_leave(struct message *message)
{
	struct psn_stream *stream = message->stream;

	if (message->slot)
		*message->slot = NULL;
	message->slot = NULL;
	if (stream->unanswered == message)
		stream->unanswered = TAILQ_NEXT(message, link);
	if (stream->index)
		message_list_unindex(stream, message);
	message_list_leave_unacked(stream, message);
	TAILQ_REMOVE(&stream->messages, message, link);
	stream->in_flight--;
	message->stream = NULL;
}

/* Inserts a message after `before`; NULL: first. */
void message_list_enter(struct psn_stream *stream, struct message *message, struct message *before);

#endif
