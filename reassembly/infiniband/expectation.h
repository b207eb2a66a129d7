/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Indexes for finding the requester of a response: by the addresses and PSN of expected responses, and by those of the last
 * pending response of a flow. For pairing.h.
 */
#ifndef REASSEMBLY_INFINIBAND_EXPECTATION_H
#define REASSEMBLY_INFINIBAND_EXPECTATION_H

#include "reassembly/state.h"

/* Makes the indexes of the tracker empty. */
void expectation_init(struct rtap_tracker *tracker);

/* Key of the addresses of a flow's packets and a PSN. `turned`: with the addresses swapped, as in the answer. */
void expectation_words(const struct flow_key *key, bool turned, uint32_t psn, uint64_t words[5]);

/* For multimap_find(): whether an expectation; the last pending response of a flow has these words. */
bool expectation_has_words(const void *value, const void *key);
bool expectation_last_has_words(const void *value, const void *key);

/* Makes room for one more expectation of the connection. False: out of memory. */
bool expectation_reserve(struct rtap_tracker *tracker, struct connection *connection);

void expectation_add(struct rtap_tracker *tracker, struct expectation *expectation);

void expectation_remove(struct rtap_tracker *tracker, struct expectation *expectation);

/* The request of the flow's last response may come next, as the capture point can swap them. */
void expectation_index_last(struct rtap_tracker *tracker, struct flow *flow);

/* Removes the flow's last response from the index. */
void expectation_discard_last(struct rtap_tracker *tracker, struct flow *flow);

/*
 * Whether a request that the last acknowledgements of the stream fit was captured, though not as one of the stream: its responder is unknown,
 * as is the requester of the stream.
 */
bool expectation_may_have_requests(const struct rtap_tracker *tracker, const struct psn_stream *stream);

/* Removes all expectations of the connection. */
void expectation_discard_all(struct rtap_tracker *tracker, struct connection *connection);

#endif
