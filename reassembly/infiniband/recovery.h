/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recoveries of a reliable service: why a requester sends again what was lost, and how much time that took. IBTA vol. 1, 9.7.5.
 *
 * A recovery begins with the first of a run of requests sent again, and again when the run goes back to a lower PSN. Time is lost
 * from when what is sent again was sent first, or the last READ response before it, to the request or the READ response
 * that makes good for it; nothing is counted twice.
 */
#ifndef REASSEMBLY_INFINIBAND_RECOVERY_H
#define REASSEMBLY_INFINIBAND_RECOVERY_H

#include "reassembly/state.h"

/* Adds to a message's time lost. */
static inline void recovery_add_time(uint32_t *sum_us, uint64_t lost_us)
{
	*sum_us = lost_us > UINT32_MAX - *sum_us ? UINT32_MAX : *sum_us + (uint32_t)lost_us;
}

/* A sequence or RNR NAK for a request. `wait_ns`: how long it asks to wait. */
void recovery_nak(struct psn_stream *stream, enum rtap_recovery cause, int64_t time_ns, int64_t wait_ns);

/* A response came. */
static inline void recovery_note_response(struct psn_stream *stream, uint64_t psn, int64_t time_ns)
{
	if (psn < stream->recovery.later_psn)
		return;
	stream->recovery.later_psn = psn;
	stream->recovery.later_ns = time_ns;
}

/* A request that was not sent before. */
static inline void recovery_note_new(struct psn_stream *stream)
{
	stream->recovery.running = false;
}

/*
 * A request of `count` PSNs was sent again. `message`: the one that it is part of, or NULL. is_read: it is answered by data.
 * Fills `flow`, and adds to the message's time lost.
 */
void recovery_note_again(struct psn_stream *stream, uint64_t psn, uint64_t count, struct message *message, bool is_read, int64_t time_ns,
			 struct rtap_flow_facts *flow);

/* recovery_note_answer() of one that is waited for. */
void recovery_end(struct psn_stream *stream, struct message *message, int64_t time_ns, struct rtap_flow_facts *flow);

/* A READ response came, new or not. `flow` may be NULL. */
static inline void recovery_note_answer(struct psn_stream *stream, uint64_t psn, struct message *message, int64_t time_ns,
					struct rtap_flow_facts *flow)
{
	if (psn == stream->recovery.awaited)
		recovery_end(stream, message, time_ns, flow);
}

#endif
