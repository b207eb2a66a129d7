/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the bytes of a message begin and end, as far as that is known.
 */
#ifndef REASSEMBLY_MESSAGE_EXTENT_H
#define REASSEMBLY_MESSAGE_EXTENT_H

#include "reassembly/state.h"

/* Position of the first byte of the message that is known of. */
static inline uint64_t message_position(const struct message *message)
{
	/* mostly the first packet seen is the first one */
	if (message->low == message->origin)
		return MESSAGE_ORIGIN;
	return MESSAGE_ORIGIN - (message->origin - message->low) * (message->stream ? message->stream->pmtu : 0);
}

/* Position behind the last byte of the message that is known of. */
static inline uint64_t message_known_end(const struct message *message)
{
	uint64_t end = coverage_end(&message->coverage), cut = coverage_end(&message->cut);

	end = cut > end ? cut : end;
	return message->told_end > end ? message->told_end : end;
}

/* Whether all bytes that are known of are there, in one run from the first packet on. */
static inline bool message_is_one_run(const struct message *message)
{
	const struct coverage_run *run = coverage_runs(&message->coverage);

	return message->coverage.count == 1 && !message->cut.count && message->told_end <= run->end &&
	       run->begin == message_position(message);
}

/* Bytes of a message of which its packets alone tell the length, up to the last that is known of. */
static inline uint64_t message_known_length(const struct message *message)
{
	uint64_t end = message_known_end(message), begin = message_position(message);

	return end > begin ? end - begin : 0;
}

/* Whether a READ has brought all that it asked for, or what the capture left of it. */
static inline bool message_read_is_over(const struct message *message)
{
	return message->shown.request_seen && message->has_last && message->coverage.total + message->cut.total >= message->shown.length;
}

#endif
