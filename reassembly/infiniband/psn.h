/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The PSN sequence of one direction's requests: the place of each packet in it. IBTA vol. 1, 9.7.
 */
#ifndef REASSEMBLY_INFINIBAND_PSN_H
#define REASSEMBLY_INFINIBAND_PSN_H

#include "reassembly/state.h"

/* A packet missing for longer was retransmitted: networks do not delay a packet for this long. */
#define PSN_LATE_NS 3000000

/* Unwraps a 24-bit PSN to the value nearest to the stream's next one. IBTA vol. 1, 9.7.2. */
static inline uint64_t psn_unwrap(const struct psn_stream *stream, uint32_t psn)
{
	int32_t difference = (int32_t)((psn - (uint32_t)stream->next) << 8) >> 8;

	return stream->next + (uint64_t)(int64_t)difference;
}

/* Whether a PSN is more than PSN_WINDOW from the next one. */
static inline bool psn_is_distant(const struct psn_stream *stream, uint32_t psn)
{
	return ((psn - (uint32_t)stream->next + PSN_WINDOW) & PSN_MASK) > 2 * PSN_WINDOW;
}

/* What identifies a packet when it is repeated. */
struct psn_identity {
	int64_t time_ns;
	uint32_t point;
	uint32_t digest;     /* CRC-32 of its payload, or 0 */
	uint16_t id;         /* IPv4 identification; 0 without one */
};

/* Starts a stream at this PSN. */
void psn_start(struct psn_stream *stream, uint32_t psn);

/* Starts a stream at its first packet, with this PSN; or at the PSN that the connection's setup named, if that is shortly before it. */
void psn_start_at_packet(struct psn_stream *stream, uint32_t psn);

/* psn_count_analysis() of a packet that is not simply the next one. */
void psn_count_anomaly(struct connection *connection, enum rtap_psn_analysis analysis, bool differs);

/*
 * Counts the packet in the connection by its place in the PSN sequence. The statistics count flow->analysis of each packet as well, per direction
 * and with frame numbers (output/stats/stats_packet.c); only these counters have the packets that were never captured (message_settle.c).
 */
static inline void psn_count_analysis(struct connection *connection, enum rtap_psn_analysis analysis, bool differs)
{
	if (analysis > RTAP_PSN_GAP || differs)
		psn_count_anomaly(connection, analysis, differs);
}

/*
 * Classifies a request of `count` PSNs and advances the stream. `psn` is unwrapped. *differs: it is a repeat with another
 * payload. Sets stream->recovery.since_ns for a retransmission, stream->late_packets and late_ns for a packet out of order.
 */
enum rtap_psn_analysis psn_request(struct psn_stream *stream, uint64_t psn, uint64_t count, const struct psn_identity *identity, bool *differs);

/* Copies the lateness of a packet that is out of order. */
static inline void psn_take_lateness(const struct psn_stream *stream, struct rtap_flow_facts *flow)
{
	flow->late_packets = stream->late_packets;
	flow->late_ns = stream->late_ns;
}

/* READ responses from `begin` up to but excluding `end` are missing though a later one was seen. */
void psn_miss_responses(struct psn_stream *stream, uint64_t begin, uint64_t end, bool are_requested, int64_t time_ns);

/*
 * psn_miss_responses() of those PSNs of the range that no captured request uses: they may be responses. Returns their
 * number.
 */
uint64_t psn_miss_unknown(struct psn_stream *stream, uint64_t begin, uint64_t end, int64_t time_ns);

/* A READ that was captured late requests these responses. */
void psn_request_missing(struct psn_stream *stream, uint64_t begin, uint64_t end);

/* When the last response before the gap that contained `psn` was seen. INT64_MIN: `psn` was in no gap, or unknown. */
int64_t psn_missing_since(const struct psn_stream *stream, uint64_t psn);

/*
 * Classifies a response with data that is not simply the next one. is_inside: it is not the first of its READ. is_after_gap:
 * responses before it are missing.
 */
enum rtap_psn_analysis psn_response(struct psn_stream *stream, uint64_t psn, bool is_inside, bool is_after_gap, const struct psn_identity *identity,
				    bool *differs);

/* Whether a response is the next one and nothing was requested again. */
static inline bool psn_is_next_response(const struct psn_stream *stream, uint64_t psn)
{
	return psn == stream->response_next && psn >= stream->asked_again.end;
}

/* psn_response() of the next response: it is in order. */
void psn_next_response(struct psn_stream *stream, uint64_t psn, const struct psn_identity *identity);

/*
 * The READ responses from `begin` up to but excluding `end` were requested again. continues: by the same run of retransmissions as the last
 * ones. is_first: the responder had not taken the request before, so it sends them for the first time.
 */
void psn_ask_again(struct psn_stream *stream, uint64_t begin, uint64_t end, bool continues, bool is_first);

/* Whether two identifications show the same packet of a sender that counts them. */
bool psn_is_same_packet(const struct recent *recent, uint16_t id, uint16_t other);

/* Largest step between the identifications of two packets that counts as an increase. */
#define PSN_ID_STEP 0x2000

/* Records the identification of a packet that is not a repeat. */
static inline void psn_note_id(struct recent *recent, uint16_t id)
{
	recent->id_steps = recent->id_steps << 1 | ((uint16_t)(id - recent->last_id - 1) < PSN_ID_STEP);
	recent->last_id = id;
}

/* When the packet with this PSN was first seen. False: unknown. */
bool psn_time_of(const struct recent *recent, uint64_t psn, int64_t now_ns, int64_t *time_ns);

/* psn_acknowledge() of requests that were not captured, or not yet. */
void psn_skip_to(struct psn_stream *stream, uint64_t psn, int64_t time_ns);

/* The other side received all requests below `psn`. Those never seen remain gaps. */
static inline void psn_acknowledge(struct psn_stream *stream, uint64_t psn, int64_t time_ns)
{
	if (psn > stream->next)
		psn_skip_to(stream, psn, time_ns);
	if (psn > stream->acknowledged)
		stream->acknowledged = psn;
	if (stream->nak && psn > stream->nak_psn)
		stream->nak = stream->recovery.nak_unused = false;
}

/* A request with the PSNs from `begin` up to but excluding `end` was seen: removes them from the gaps. */
void psn_fill(struct psn_stream *stream, uint64_t begin, uint64_t end);

/* Requests that were never captured. `unacknowledged`: those of them that the receiver may lack. */
struct psn_given_up {
	uint64_t packets, unacknowledged;
};

/* The gaps below `psn` no longer wait for packets, and are removed. Returns the packets in them. */
struct psn_given_up psn_end_gaps(struct psn_stream *stream, uint64_t psn);

/* Responses with data have the PSNs from `begin` up to but excluding `end`: if their request is missing, it is a READ or an atomic. */
void psn_note_answered_by_data(struct psn_stream *stream, uint64_t begin, uint64_t end);

/*
 * Whether requests from `begin` up to but excluding `end` that can be SENDs or WRITEs are missing and still expected, or were given up since
 * stream->given_up was `given_up`; also true if the latter is no longer known.
 */
bool psn_lacks(const struct psn_stream *stream, uint64_t given_up, uint64_t begin, uint64_t end);

/* Of the requests from `begin` up to but excluding `end` nothing is known, or not what identifies them: psn_lacks() counts them too. */
void psn_note_unknown(struct psn_stream *stream, uint64_t begin, uint64_t end);

/* Removes gaps of READ responses below `psn`. Their packets are counted with their messages. */
void psn_end_response_gaps(struct psn_stream *stream, uint64_t psn);

void psn_fini(struct psn_stream *stream);

#endif
