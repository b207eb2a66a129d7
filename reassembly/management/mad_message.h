/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management messages: one per datagram, except that all segments of an RMPP transfer are one message. Its payload is the
 * data after the class headers. IBTA vol. 1, 13.4, 13.6.
 */
#ifndef REASSEMBLY_MANAGEMENT_MAD_MESSAGE_H
#define REASSEMBLY_MANAGEMENT_MAD_MESSAGE_H

#include "reassembly/state.h"

/*
 * Processes a datagram to queue pair 0 or 1: its message or transfer, the request that it answers, and connection
 * management.
 */
void mad_message_packet(struct rtap_tracker *tracker, struct rtap_packet *packet, const struct rtap_end *source,
			const struct rtap_end *destination, struct frame_result *result);

#endif
