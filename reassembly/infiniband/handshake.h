/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connection setup from communication management. IBTA vol. 1, chapter 12; IP addressing: annex A11.
 */
#ifndef REASSEMBLY_INFINIBAND_HANDSHAKE_H
#define REASSEMBLY_INFINIBAND_HANDSHAKE_H

#include "reassembly/state.h"

/* Processes a packet with a communication management message. */
void handshake_packet(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source,
		      const struct rtap_end *destination);

/* Consumer of the private data in a REP or REJ to `destination`, known from the REQ: enum rtap_cm_consumer. */
uint8_t handshake_consumer(const struct rtap_tracker *tracker, const struct rtap_cm_facts *cm, const struct rtap_end *destination);

/* The same of a connection; UNKNOWN: its REQ was not captured. */
uint8_t handshake_consumer_of(const struct connection *connection);

/*
 * The connection of the first datagram between these ends, known from an SIDR exchange for the queue pair. Sets both queue
 * pairs. *from_a: the sender of the datagram requested the resolution. NULL: none.
 */
struct connection *handshake_resolved(const struct rtap_tracker *tracker, const struct rtap_end *source, const struct rtap_end *destination,
				      bool *from_a);

/* The service of a datagram queue pair that was resolved, in *service_id. */
bool handshake_service(const struct rtap_tracker *tracker, const struct rtap_end *end, uint64_t *service_id);

void handshake_fini(struct rtap_tracker *tracker);

#endif
