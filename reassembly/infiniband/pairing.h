/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Without communication management: a response whose PSN answers a request of which the other direction is not known
 * tells which two queue pairs belong together.
 */
#ifndef REASSEMBLY_INFINIBAND_PAIRING_H
#define REASSEMBLY_INFINIBAND_PAIRING_H

#include "reassembly/state.h"

/*
 * A request of a connection with one known direction was sent: its response will be known by it. If that was captured before, the
 * connection is paired, which may make another one of it: that of its flow.
 */
void pairing_expect(struct rtap_tracker *tracker, struct connection *connection, uint32_t psn);

/*
 * A response on a flow whose requester is not known: kept until it is. Pairs the flow if it can be told now; true then,
 * and what was kept has been taken into account.
 */
bool pairing_response(struct rtap_tracker *tracker, struct flow *flow, const struct pending_response *response);

/* The flow carries the answers to the connection's requests, or the requests of its other end. What it keeps is taken into account. */
void pairing_join(struct rtap_tracker *tracker, struct flow *flow, struct connection *connection);

/* Whether a response of this PSN and opcode can be one to a request of a connection of which one direction is known. */
bool pairing_may_answer(const struct connection *connection, uint32_t psn, uint8_t opcode);

/* Keeps something for the flow's connection, when it is found, without looking for it. False: memory is out. */
bool pairing_keep(struct rtap_tracker *tracker, struct flow *flow, const struct pending_response *response);

/* The responses that wait get a connection of their own if none is known; without any, the flow goes. */
void pairing_stop_waiting(struct rtap_tracker *tracker, struct flow *flow);

/* No more packets come for what the flow keeps: it makes a connection of its own if none is found. */
void pairing_finish(struct rtap_tracker *tracker, struct flow *flow);

#endif
