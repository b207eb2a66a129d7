/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sequence of one direction's requests: what each packet is in it. IBTA vol. 1, 9.7.
 */
#ifndef REASSEMBLY_PSN_H
#define REASSEMBLY_PSN_H

#include "reassembly/state.h"

/* Unwraps a PSN of the wire, next to where the stream stands. IBTA vol. 1, 9.7.2: 24-bit circular. */
static inline uint64_t psn_unwrap(const struct psn_stream *stream, uint32_t psn)
{
	int32_t difference = (int32_t)((psn - (uint32_t)stream->next) << 8) >> 8;

	return stream->next + (uint64_t)(int64_t)difference;
}

/* Begins a stream at its first packet. */
void psn_start(struct psn_stream *stream, uint32_t psn);

/*
 * What a request of `count` PSNs is in its stream, which moves on; `psn` is unwrapped. `digest` is that of its payload
 * or 0. *differs: a repeat whose payload is not what it was.
 */
enum rtap_psn_analysis psn_request(struct psn_stream *stream, uint64_t psn, uint64_t count, const struct rtap_frame *frame,
				   uint32_t digest, bool *differs);

/* The same for a response that carries data. Responses make no gaps. */
enum rtap_psn_analysis psn_response(struct psn_stream *stream, uint64_t psn, const struct rtap_frame *frame, uint32_t digest,
				    bool *differs);

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
		stream->nak = false;
}

/* PSNs from `begin` on, without `end`, are those of a request that was seen: they are in no gap. */
void psn_fill(struct psn_stream *stream, uint64_t begin, uint64_t end);

/* Forgets gaps below `psn`; returns how many packets were lost in them. */
uint64_t psn_give_up(struct psn_stream *stream, uint64_t psn);

/* Whether requests between two PSNs were not seen and are still waited for. */
bool psn_is_missing(const struct psn_stream *stream, uint64_t begin, uint64_t end);

void psn_fini(struct psn_stream *stream);

#endif
