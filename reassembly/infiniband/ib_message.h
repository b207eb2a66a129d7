/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of the InfiniBand transport, reassembled by PSN. IBTA vol. 1, 9.4 to 9.9.
 */
#ifndef REASSEMBLY_INFINIBAND_IB_MESSAGE_H
#define REASSEMBLY_INFINIBAND_IB_MESSAGE_H

#include "reassembly/state.h"
#include "reassembly/time_windows.h"

/* Processes a request of a service with PSNs. `stream` is that of its sender. Fills packet->flow. */
void ib_message_request(struct rtap_tracker *tracker, struct psn_stream *stream, struct rtap_packet *packet, struct frame_result *result);

/*
 * A packet that another capture point has too: takes the payload bytes that the first copy lacked because the capture truncated it.
 * `stream`: of the requests that it belongs to or answers.
 */
void ib_message_copy(struct rtap_tracker *tracker, struct psn_stream *stream, const struct rtap_packet *packet);

/* Processes a datagram, which is a message. `connection` may be NULL. */
void ib_message_datagram(struct rtap_tracker *tracker, struct connection *connection, bool from_a, struct rtap_packet *packet,
			 enum rtap_message_kind kind, struct frame_result *result);

/* A retransmitted message waits for its answer longer than GRACE_PACKETS: all outstanding READs may be answered first. */
#define IB_AGAIN_PACKETS 4096

#endif
