/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of InfiniBand's transport, put together by PSN. IBTA vol. 1, 9.4 to 9.9.
 */
#ifndef REASSEMBLY_IB_MESSAGE_H
#define REASSEMBLY_IB_MESSAGE_H

#include "reassembly/state.h"
#include "reassembly/time_windows.h"

/* A request of a service with a sequence: stream is the one of its sender. Fills packet->flow. */
void ib_message_request(struct rtap_tracker *tracker, struct psn_stream *stream, struct rtap_packet *packet);

/* A response, to the stream of whom it answers. `flow` is filled if not NULL. */
void ib_message_response(struct rtap_tracker *tracker, struct psn_stream *stream, const struct pending_response *response,
			 struct rtap_flow_facts *flow);

/* A request came behind responses that say something of it; `psn` is unwrapped. `flow` is the request's. */
void ib_message_answer_late(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn, struct rtap_flow_facts *flow);

/* A datagram is a message. `connection` may be NULL. */
void ib_message_datagram(struct rtap_tracker *tracker, struct connection *connection, bool from_a, struct rtap_packet *packet,
			 enum rtap_message_kind kind);

/* A message that was sent again waits for its answer beyond GRACE_PACKETS: all READs under way may be answered before. */
#define IB_AGAIN_PACKETS 4096

/* Of a message that nothing has answered: whether it waits for nothing more. */
bool ib_message_is_given_up(const struct rtap_tracker *tracker, const struct message *message);

/* Whether the message waits for nothing more. */
static inline bool ib_message_is_final(const struct rtap_tracker *tracker, const struct message *message)
{
	if (!message->answered)
		return ib_message_is_given_up(tracker, message);
	return message->stream->packets >= message->answered_at + GRACE_PACKETS || tracker->now_ns - message->answered_ns >= GRACE_NS;
}

/* ib_message_settle_final() when there may be something to do; settles all if `all` is set. */
void ib_message_settle(struct rtap_tracker *tracker, struct psn_stream *stream, bool all);

/* Settles the messages of a stream that wait for nothing more. */
static inline void ib_message_settle_final(struct rtap_tracker *tracker, struct psn_stream *stream)
{
	if ((stream->head && ib_message_is_final(tracker, stream->head)) || stream->gaps.count)
		ib_message_settle(tracker, stream, false);
}

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

/* Works out length, completeness, what is missing, and the outcome, from what was gathered. */
void message_conclude(const struct rtap_tracker *tracker, struct message *message);

#endif
