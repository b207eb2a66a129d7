/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recoveries of a reliable service: why a requester retransmitted, and how much time that took. IBTA vol. 1, 9.7.5.
 *
 * A recovery begins with the first request of a run of retransmissions, and again when the run returns to a lower PSN or goes on after a
 * timeout. Time lost counts from the first transmission of what is retransmitted, or from the last READ response before it, to the request
 * or the READ response that repairs the loss. No time is counted twice.
 */
#ifndef REASSEMBLY_INFINIBAND_RECOVERY_H
#define REASSEMBLY_INFINIBAND_RECOVERY_H

#include "reassembly/state.h"

/* Adds to a message's time lost. */
static inline void recovery_add_time(uint32_t *sum_us, uint64_t lost_us)
{
	*sum_us = lost_us > UINT32_MAX - *sum_us ? UINT32_MAX : *sum_us + (uint32_t)lost_us;
}

/* Adds to a number of packets sent again. */
static inline void recovery_add_count(uint16_t *sum, uint64_t count)
{
	*sum = count > (uint64_t)UINT16_MAX - *sum ? UINT16_MAX : (uint16_t)(*sum + count);
}

/* A sequence or RNR NAK for a request. `wait_ns`: the delay that it demands. */
void recovery_nak(struct psn_stream *stream, enum rtap_recovery cause, int64_t time_ns, int64_t wait_ns);

/* A response was seen. */
static inline void recovery_note_response(struct psn_stream *stream, uint64_t psn, int64_t time_ns)
{
	if (psn < stream->recovery.later_psn)
		return;
	stream->recovery.later_psn = psn;
	stream->recovery.later_ns = time_ns;
}

/* A request that is not a retransmission. */
static inline void recovery_note_new(struct psn_stream *stream)
{
	stream->recovery.running = false;
}

/*
 * A request of `count` PSNs was retransmitted. `message`: its message, or NULL. is_read: the answer carries data. Fills
 * `flow` and adds to the message's time lost.
 */
void recovery_note_again(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn, uint64_t count, struct message *message,
			 bool is_read, int64_t time_ns, struct rtap_flow_facts *flow);

/* Whether a request that is part of the current run of retransmissions follows a NAK, which the responder sent instead of taking it. */
static inline bool recovery_is_after_nak(const struct psn_stream *stream, uint64_t psn)
{
	return (stream->recovery.cause == RTAP_RECOVERY_SEQUENCE_NAK || stream->recovery.cause == RTAP_RECOVERY_RNR) && stream->nak &&
	       psn >= stream->nak_psn;
}

/* recovery_note_answer() of the awaited response. */
void recovery_end(struct rtap_tracker *tracker, struct psn_stream *stream, struct message *message, int64_t time_ns,
		  struct rtap_flow_facts *flow);

/* A READ response was seen, new or repeated. `flow` may be NULL. */
static inline void recovery_note_answer(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn, struct message *message,
					int64_t time_ns, struct rtap_flow_facts *flow)
{
	if (psn == stream->recovery.awaited)
		recovery_end(tracker, stream, message, time_ns, flow);
}

#endif
