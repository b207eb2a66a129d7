/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages of a stream in the order of PSNs, and those that wait for an acknowledgement.
 */
#ifndef REASSEMBLY_MESSAGE_LIST_H
#define REASSEMBLY_MESSAGE_LIST_H

#include "reassembly/state.h"

/* message_list_find_before() of a message that is not the last one. */
struct message *message_list_find_earlier(struct psn_stream *stream, uint64_t psn, struct message *from);

/* The last message that begins at or before `psn`. The search starts at `from`; NULL: at the last one. */
static inline struct message *message_list_find_before(struct psn_stream *stream, uint64_t psn, struct message *from)
{
	struct message *tail = stream->tail;

	if (!tail || tail->low <= psn)
		return tail;
	if (from && from->low <= psn && from->after->low > psn)
		return from;
	return message_list_find_earlier(stream, psn, from);
}

/* Removes a message from the ring of unacknowledged messages. */
static inline void message_list_leave_unacked(struct psn_stream *stream, struct message *message)
{
	if (!message->unacked_before)
		return;
	if (stream->unacked == message)
		stream->unacked = message->unacked_after == message ? NULL : message->unacked_after;
	message->unacked_before->unacked_after = message->unacked_after;
	message->unacked_after->unacked_before = message->unacked_before;
	message->unacked_before = message->unacked_after = NULL;
}

/* Removes a message from its stream's index. */
void message_list_unindex(struct psn_stream *stream, struct message *message);

/* Removes a message from its stream. */
static inline void message_list_leave(struct message *message)
{
	struct psn_stream *stream = message->stream;

	if (stream->unanswered == message)
		stream->unanswered = message->after;
	if (stream->index)
		message_list_unindex(stream, message);
	message_list_leave_unacked(stream, message);
	*(message->before ? &message->before->after : &stream->head) = message->after;
	*(message->after ? &message->after->before : &stream->tail) = message->before;
	stream->in_flight--;
	message->stream = NULL;
	message->before = message->after = NULL;
}

/* Inserts a message after `before`; NULL: first. */
void message_list_enter(struct psn_stream *stream, struct message *message, struct message *before);

#endif
