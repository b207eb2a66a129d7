/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Repeated dissection of a packet or a part of it, with context that was not known before.
 */
#ifndef DISSECT_DISSECT_H
#define DISSECT_DISSECT_H

#include <rdmatap/packet.h>

/*
 * Dissects a packet again from its RPC header, because the context now has the call to which it replies. The facts of earlier
 * headers are kept. Not for records of a stream.
 */
void packet_dissect_reply(struct rtap_packet *packet, const struct rtap_context *context);

/*
 * Dissects a packet again from the end of its RPC-over-RDMA header: context->rpc_follows is set, and no chunk is shown in this
 * packet.
 */
void packet_dissect_follows(struct rtap_packet *packet, const struct rtap_context *context);

/*
 * Dissects the payload of a TCP segment with this context. The packet has tcp.present and captured payload and was dissected with
 * context->stop_at_tcp.
 */
void packet_dissect_segment(struct rtap_packet *packet, const struct rtap_context *context);

/* Discards the presumed dissection of the segment's payload in such a packet. */
void packet_forget_segment(struct rtap_packet *packet);

/*
 * The same if the context has one FPDU, contiguous in the frame and without a marker, whose Send packet_dissect_send() has already
 * dissected to `send`: its result is copied if its bytes are those of the frame; otherwise the segment is dissected again.
 */
void packet_graft_send(struct rtap_packet *packet, const struct rtap_context *context, const struct rtap_packet *send);

/* Dissects a frame that consists of a complete RDMAP Send without any headers; packet->payload is all of its bytes. */
void packet_dissect_send(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet);

#endif
