/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What each TCP connection carries: iWARP, ONC RPC in records, or nothing that anybody here reads.
 */
#ifndef REASSEMBLY_TCP_CONTENT_H
#define REASSEMBLY_TCP_CONTENT_H

#include "reassembly/state.h"

void tcp_content_init(struct rtap_tracker *tracker);

/*
 * Takes a packet with packet->tcp.present, dissected with context->stop_at_tcp. Tells the context what the stream carries,
 * and the packet what it is in its connection if that is iWARP's. True: the segment has bytes that differ from their first copy.
 */
bool tcp_content_packet(struct rtap_tracker *tracker, struct rtap_packet *packet, struct rtap_context *context);

/* The input has ended: tells what is left. */
void tcp_content_flush(struct rtap_tracker *tracker);

/* Frees everything without telling. */
void tcp_content_fini(struct rtap_tracker *tracker);

#endif
