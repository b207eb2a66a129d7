/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How responses are found whose requester is not known: by the addresses and PSN that a connection expects one with, and by those of
 * the last one that a flow keeps. For pairing.h.
 */
#ifndef REASSEMBLY_INFINIBAND_EXPECTATION_H
#define REASSEMBLY_INFINIBAND_EXPECTATION_H

#include "reassembly/state.h"

/* The addresses of a flow's packets and a PSN: turned round, those of what answers it. */
void expectation_words(const struct flow_key *key, bool turned, uint32_t psn, uint64_t words[5]);

/* For map_find(): an expectation of these words; or a flow whose last response has them. */
bool expectation_has_words(const void *value, const void *key);

bool expectation_is_last(const void *value, const void *key);

/* Makes room for one more of the connection. False: memory is out. */
bool expectation_reserve(struct rtap_tracker *tracker, struct connection *connection);

/* Those of the same words are a list, of which the table has the first. */
void expectation_add(struct rtap_tracker *tracker, struct expectation *expectation);

void expectation_remove(struct rtap_tracker *tracker, struct expectation *expectation);

/* The request of its last response may come next: the point of capture can swap them. */
void expectation_index_last(struct rtap_tracker *tracker, struct flow *flow);

/* The flow's last response will not be looked for any more. */
void expectation_forget_last(struct rtap_tracker *tracker, struct flow *flow);

/* Forgets what the connection expects. */
void expectation_forget_all(struct rtap_tracker *tracker, struct connection *connection);

#endif
