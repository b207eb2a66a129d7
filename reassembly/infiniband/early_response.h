/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Responses that were captured before their request: the capture point can reorder packets. The last few of a stream are
 * kept until the request arrives.
 */
#ifndef REASSEMBLY_INFINIBAND_EARLY_RESPONSE_H
#define REASSEMBLY_INFINIBAND_EARLY_RESPONSE_H

#include "reassembly/state.h"

#define EARLY_RESPONSES 16

struct early_response {
	uint64_t psn;              /* of the response, unwrapped */
	bool unexpected;           /* counted as RTAP_CONNECTION_ANOMALY_UNEXPECTED_RESPONSE; undone if its request arrives */
	struct pending_response response; /* without payload */
};

struct early_responses {
	struct early_response responses[EARLY_RESPONSES]; /* ring */
	uint64_t count;            /* number of responses ever added */
};

/* Keeps a response in place of the oldest. Without memory it is not kept. */
void early_response_keep(struct psn_stream *stream, uint64_t psn, const struct pending_response *response);

/* Whether a response to a request of this PSN may be kept. */
static inline bool early_response_may_be(const struct psn_stream *stream, uint64_t psn)
{
	return psn < stream->early_end;
}

/* Number 0 is the oldest one kept. NULL: no more. */
struct early_response *early_response_at(const struct psn_stream *stream, uint32_t number);

/* The newest response kept, if it is one to this PSN with this opcode; or NULL. */
struct early_response *early_response_newest(const struct psn_stream *stream, uint64_t psn, uint8_t opcode);

void early_response_discard(struct psn_stream *stream);

#endif
