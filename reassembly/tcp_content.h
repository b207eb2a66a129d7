/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What each TCP connection carries: iWARP, an upper layer, or an unsupported protocol.
 */
#ifndef REASSEMBLY_TCP_CONTENT_H
#define REASSEMBLY_TCP_CONTENT_H

#include "reassembly/state.h"

void tcp_content_init(struct rtap_tracker *tracker);

/*
 * Processes a packet with packet->tcp.present, dissected with context->stop_at_tcp. Sets what the stream carries in the
 * context and, for iWARP, the packet's place in its connection. True: the segment has bytes that differ from their first
 * copy. `is_copy`: the segment was already processed, from another file.
 */
bool tcp_content_packet(struct rtap_tracker *tracker, struct rtap_packet *packet, bool is_copy, struct rtap_context *context);

/* The input has ended: delivers what is left. */
void tcp_content_flush(struct rtap_tracker *tracker);

/* Frees everything without delivering it. */
void tcp_content_fini(struct rtap_tracker *tracker);

#endif
