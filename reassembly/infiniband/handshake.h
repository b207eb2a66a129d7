/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What communication management says of connections. IBTA vol. 1, chapter 12; IP addressing: annex A11.
 */
#ifndef REASSEMBLY_INFINIBAND_HANDSHAKE_H
#define REASSEMBLY_INFINIBAND_HANDSHAKE_H

#include "reassembly/state.h"

/* Takes a packet with a message of communication management into account. */
void handshake_packet(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source,
		      const struct rtap_end *destination);

/* Whose private data a REP or REJ to `destination` has: enum rtap_cm_consumer, by the REQ that it answers. */
uint8_t handshake_consumer(const struct rtap_tracker *tracker, const struct rtap_cm_facts *cm, const struct rtap_end *destination);

/*
 * The connection that the first datagram between these ends belongs to, by a resolution of one's queue pair for the other's address,
 * now with both queue pairs; NULL: none. *from_a: the datagram comes from who asked.
 */
struct connection *handshake_resolved(const struct rtap_tracker *tracker, const struct rtap_end *source, const struct rtap_end *destination,
				      bool *from_a);

/* The service that a datagram queue pair was resolved for, in *service_id. */
bool handshake_service(const struct rtap_tracker *tracker, const struct rtap_end *end, uint64_t *service_id);

void handshake_fini(struct rtap_tracker *tracker);

#endif
