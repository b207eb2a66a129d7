/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of management: a datagram each, but all segments of an RMPP transfer are one, whose payload is what they carry behind the
 * class's header. IBTA vol. 1, 13.4, 13.6.
 */
#ifndef REASSEMBLY_MANAGEMENT_MAD_MESSAGE_H
#define REASSEMBLY_MANAGEMENT_MAD_MESSAGE_H

#include "reassembly/state.h"

/* Takes a datagram to queue pair 0 or 1 into account: what it is a message or part of, what it answers, what it says of connections. */
void mad_message_packet(struct rtap_tracker *tracker, struct rtap_packet *packet, const struct rtap_end *source,
			const struct rtap_end *destination);

#endif
