/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pairing without communication management: a response whose PSN answers a request on a connection with one known direction
 * shows which two queue pairs are connected.
 */
#ifndef REASSEMBLY_INFINIBAND_PAIRING_H
#define REASSEMBLY_INFINIBAND_PAIRING_H

#include "reassembly/state.h"

/*
 * A connection with one known direction sent a request: registers its response. If that was captured earlier, pairs the
 * connection, which may merge it into the connection of the response's flow.
 */
void pairing_expect(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_ib_facts *request, struct frame_result *result);

/*
 * A response on a flow with an unknown requester: keeps it until the requester is known. True: the flow was paired, and the
 * kept responses were processed.
 */
bool pairing_response(struct rtap_tracker *tracker, struct flow *flow, const struct pending_response *response,
		      struct frame_result *result);

/*
 * Joins the flow, which carries the answers to the connection's requests or the requests of its other end, to the
 * connection. Processes the responses that it keeps.
 */
void pairing_join(struct rtap_tracker *tracker, struct flow *flow, struct connection *connection, struct frame_result *result);

/* Whether a response with this PSN and opcode can answer a request of a connection with one known direction. */
bool pairing_may_answer(const struct connection *connection, uint32_t psn, uint8_t opcode);

/*
 * Whether the response, which answers nothing that the flow's connection requested, answers one with one known direction that began after the last
 * packets of `stream`, the connection's requests: its queue pair is connected to another one now.
 */
bool pairing_is_for_another(const struct rtap_tracker *tracker, const struct flow *flow, const struct psn_stream *stream,
			    const struct pending_response *response);

/* Keeps a response until the flow's connection is found, without searching for it. False: out of memory. */
bool pairing_keep(struct rtap_tracker *tracker, struct flow *flow, const struct pending_response *response);

/* Creates a connection for the pending responses of a flow without one. Destroys the flow if it has none. */
void pairing_stop_waiting(struct rtap_tracker *tracker, struct flow *flow);

#endif
