/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Responses that were captured before the request that they answer: the point of capture can swap packets. The last few of a
 * stream are kept, to answer the request when it comes.
 */
#ifndef REASSEMBLY_INFINIBAND_EARLY_RESPONSE_H
#define REASSEMBLY_INFINIBAND_EARLY_RESPONSE_H

#include "reassembly/state.h"

#define EARLY_RESPONSES 16

struct early_response {
	uint64_t psn;              /* unwrapped; the response's own */
	bool unexpected;           /* counted as RTAP_TROUBLE_UNEXPECTED_RESPONSE, which it is not if its request comes */
	struct pending_response response; /* without its bytes */
};

struct early_responses {
	struct early_response responses[EARLY_RESPONSES]; /* a ring */
	uint64_t count;            /* that were put into it */
};

/* Keeps one in place of the oldest, as far as there is memory. */
void early_response_keep(struct psn_stream *stream, uint64_t psn, const struct pending_response *response);

/* Whether one that answers a request of this PSN may be kept. */
static inline bool early_response_may_be(const struct psn_stream *stream, uint64_t psn)
{
	return psn < stream->early_end;
}

/* The oldest one kept is number 0. NULL: there are no more. */
struct early_response *early_response_at(const struct psn_stream *stream, uint32_t number);

/* The newest one is counted as unexpected if it is the one of that PSN. */
void early_response_set_unexpected(struct psn_stream *stream, uint64_t psn);

void early_response_forget(struct psn_stream *stream);

#endif
