/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Dissecting a packet, or part of it, once more: when more is known of it than its own bytes tell.
 */
#ifndef DISSECT_DISSECT_H
#define DISSECT_DISSECT_H

#include <rdmatap/packet.h>

/*
 * Dissects a packet once more from its RPC header on, as the context has learned which call this replies to. What the
 * headers before it told stays. Not for records of a stream.
 */
void packet_dissect_reply(struct rtap_packet *packet, const struct rtap_context *context);

/*
 * Dissects a packet once more from behind its RPC-over-RDMA header on: context->rpc_follows is set, and no chunk is to be shown in
 * this packet.
 */
void packet_dissect_follows(struct rtap_packet *packet, const struct rtap_context *context);

/*
 * A packet with tcp.present that was dissected with context->stop_at_tcp, and has captured payload: what the segment carries is
 * dissected with this context.
 */
void packet_dissect_segment(struct rtap_packet *packet, const struct rtap_context *context);

/* Forgets what such a packet says of the segment's payload, which was presumed. */
void packet_forget_segment(struct rtap_packet *packet);

/*
 * The same where the context has one FPDU, which lies in the frame without a marker, and whose Send packet_dissect_send() has
 * dissected in the same way to `send`: it is taken from there if its bytes are the frame's, and dissected again if they are not.
 */
void packet_graft_send(struct rtap_packet *packet, const struct rtap_context *context, const struct rtap_packet *send);

/* Dissects a frame whose bytes are a whole Send of RDMAP, without any header before it; they are packet->payload too. */
void packet_dissect_send(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet);

#endif
