/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Responses to the requests of ib_message.h: their data and what they acknowledge. IBTA vol. 1, 9.7.
 */
#ifndef REASSEMBLY_INFINIBAND_IB_RESPONSE_H
#define REASSEMBLY_INFINIBAND_IB_RESPONSE_H

#include "reassembly/state.h"

/* Processes a response. `stream` is that of the requester. Fills `flow` if not NULL. */
void ib_response_packet(struct rtap_tracker *tracker, struct psn_stream *stream, const struct pending_response *response,
			 struct rtap_flow_facts *flow, struct frame_result *result);

/* Applies early responses to a request that arrived after them. `psn` is unwrapped. `flow` is the request's. */
void ib_response_answer_late(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn, struct rtap_flow_facts *flow,
			     struct frame_result *result);

#endif
