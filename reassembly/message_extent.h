/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The known extent of a message's bytes, and where its answer is.
 */
#ifndef REASSEMBLY_MESSAGE_EXTENT_H
#define REASSEMBLY_MESSAGE_EXTENT_H

#include "reassembly/state.h"

/* Position of the first known byte of the message. */
static inline uint64_t message_position(const struct message *message)
{
	/* Usually the first packet seen is the message's first. */
	if (message->low == message->origin)
		return MESSAGE_ORIGIN;
	return MESSAGE_ORIGIN - (message->origin - message->low) * (message->stream ? message->stream->pmtu : 0);
}

/* Position after the last known byte of the message. */
static inline uint64_t message_known_end(const struct message *message)
{
	uint64_t end = coverage_end(&message->coverage), cut = coverage_end(&message->cut);

	end = cut > end ? cut : end;
	return message->reported_end > end ? message->reported_end : end;
}

/* Whether all known bytes are present in one run from the first packet on. */
static inline bool message_is_one_run(const struct message *message)
{
	const struct coverage_run *run = coverage_runs(&message->coverage);

	return message->coverage.count == 1 && !message->cut.count && message->reported_end <= run->end &&
	       run->begin == message_position(message);
}

/* Known length of a message whose length only its packets show. */
static inline uint64_t message_known_length(const struct message *message)
{
	uint64_t end = message_known_end(message), begin = message_position(message);

	return end > begin ? end - begin : 0;
}

/* Whether a READ has all requested bytes, or those that the capture has. */
static inline bool message_read_is_over(const struct message *message)
{
	return message->shown.request_seen && message->has_last && message->coverage.total + message->cut.total >= message->shown.length;
}

/* Whether data answers it, which is in the other direction: it is neither a SEND nor a WRITE. */
static inline bool message_is_answered_by_data(const struct message *message)
{
	return message->shown.verb != RTAP_VERB_SEND && message->shown.verb != RTAP_VERB_WRITE;
}

/* Whether the receiver is notified of it, so that it can carry a response of an upper layer. */
static inline bool message_may_respond(const struct message *message)
{
	return (message->shown.verb == RTAP_VERB_SEND || message->shown.has_immediate) && !message->is_no_response;
}

#endif
