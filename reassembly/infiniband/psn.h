/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sequence of one direction's requests: what each packet is in it. IBTA vol. 1, 9.7.
 */
#ifndef REASSEMBLY_INFINIBAND_PSN_H
#define REASSEMBLY_INFINIBAND_PSN_H

#include "reassembly/state.h"

/* Unwraps a PSN of the wire, next to where the stream stands. IBTA vol. 1, 9.7.2: 24-bit circular. */
static inline uint64_t psn_unwrap(const struct psn_stream *stream, uint32_t psn)
{
	int32_t difference = (int32_t)((psn - (uint32_t)stream->next) << 8) >> 8;

	return stream->next + (uint64_t)(int64_t)difference;
}

/* What a packet is known by when it comes again. */
struct psn_sight {
	int64_t time_ns;
	uint32_t interface;
	uint32_t digest;     /* of its payload, or 0 */
	uint16_t id;         /* IPv4 identification; 0 without one */
};

/* Begins a stream at its first packet. */
void psn_start(struct psn_stream *stream, uint32_t psn);

/*
 * What a request of `count` PSNs is in its stream, which moves on; `psn` is unwrapped. *differs: a repeat whose payload is not
 * what it was. Of a retransmission stream->recovery.since_ns is set, of what is out of order stream->late_packets and late_ns.
 */
enum rtap_psn_analysis psn_request(struct psn_stream *stream, uint64_t psn, uint64_t count, const struct psn_sight *sight, bool *differs);

/* Of a packet that is out of order. */
static inline void psn_take_lateness(const struct psn_stream *stream, struct rtap_flow_facts *flow)
{
	flow->late_packets = stream->late_packets;
	flow->late_ns = stream->late_ns;
}

/* READ responses from `begin` on, without `end`, were not seen though a later one was. To be reported in order. */
void psn_miss_responses(struct psn_stream *stream, uint64_t begin, uint64_t end, int64_t time_ns);

/* When the last response before those was seen that were missed together with this one; INT64_MIN: it was not missed, or that is not known. */
int64_t psn_missing_since(const struct psn_stream *stream, uint64_t psn);

/* The same for a response that carries data and is no matter of course. is_inside: it is not the first of its READ. is_after_gap: responses
 * before it were missed. */
enum rtap_psn_analysis psn_response(struct psn_stream *stream, uint64_t psn, bool is_inside, bool is_after_gap, const struct psn_sight *sight,
				    bool *differs);

/* Whether a response is a matter of course: the next one, and nothing was asked for again. */
static inline bool psn_is_next_response(const struct psn_stream *stream, uint64_t psn)
{
	return psn == stream->response_next && psn >= stream->asked_again_end;
}

/* psn_response() of such a one: it is in order. */
void psn_next_response(struct psn_stream *stream, uint64_t psn, const struct psn_sight *sight);

/* The READ responses from `begin` on, without `end`, were asked for again. */
void psn_ask_again(struct psn_stream *stream, uint64_t begin, uint64_t end);

/* Whether both are the same packet, whose sender counts them. */
bool psn_is_same_packet(const struct recent *recent, uint16_t id, uint16_t other);

/* From one packet's identification to the next one's: what is further was no step forward. */
#define PSN_ID_STEP 0x2000

/* Takes notice of the identification of a packet that is no repeat. */
static inline void psn_note_id(struct recent *recent, uint16_t id)
{
	recent->id_steps = recent->id_steps << 1 | ((uint16_t)(id - recent->last_id - 1) < PSN_ID_STEP);
	recent->last_id = id;
	recent->arrived++;
}

/* When the packet with this PSN was seen first. False: that is not known (any more). */
bool psn_time_of(const struct recent *recent, uint64_t psn, int64_t now_ns, int64_t *time_ns);

/* psn_acknowledge() of requests that are not in the capture, or not yet. */
void psn_skip_to(struct psn_stream *stream, uint64_t psn, int64_t time_ns);

/* Requests up to and without `psn` were received by the other side. Those of them never seen stay gaps. */
static inline void psn_acknowledge(struct psn_stream *stream, uint64_t psn, int64_t time_ns)
{
	if (psn > stream->next)
		psn_skip_to(stream, psn, time_ns);
	if (psn > stream->acknowledged)
		stream->acknowledged = psn;
	if (stream->nak && psn > stream->nak_psn)
		stream->nak = stream->recovery.nak_unused = false;
}

/* PSNs from `begin` on, without `end`, are those of a request that was seen: they are in no gap. */
void psn_fill(struct psn_stream *stream, uint64_t begin, uint64_t end);

/* Forgets gaps below `psn`; returns how many packets were lost in them. */
uint64_t psn_give_up(struct psn_stream *stream, uint64_t psn);

/* Whether requests between two PSNs were not seen and are still waited for. */
bool psn_is_missing(const struct psn_stream *stream, uint64_t begin, uint64_t end);

/* The same of READ responses, which are counted as lost with their messages. */
void psn_give_up_responses(struct psn_stream *stream, uint64_t psn);

void psn_fini(struct psn_stream *stream);

#endif
