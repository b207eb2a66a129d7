/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Dissection of a frame, and of a part of a packet whose content depends on other packets: it continues after the headers, which are parsed only once,
 * when the context has what was learned of them. Facts of the headers and packet->flow are kept.
 */
#ifndef DISSECT_DISSECT_H
#define DISSECT_DISSECT_H

#include "dissect/engine/packet.h"


/*
 * Dissects one frame. Reads only the captured bytes, allocates nothing and keeps no state; context may be NULL: nothing is known.
 * The packet borrows the frame. Errors in the frame are reported as anomalies of the packet.
 */
void dissect_frame(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet);

/* What the transport of an InfiniBand or RoCE packet carries. */
void packet_dissect_payload(struct rtap_packet *packet, const struct rtap_context *context);

/* The data of an RMPP transfer that this segment completed: context->records. */
void packet_dissect_records(struct rtap_packet *packet, const struct rtap_context *context);

/* The private data of a REP or REJ: context->cm_consumer. */
void packet_dissect_private(struct rtap_packet *packet, const struct rtap_context *context);

/* The datagram that this IP fragment completed: context->datagram. */
void packet_dissect_datagram(struct rtap_packet *packet, const struct rtap_context *context);

/* The payload of a UDP datagram that no port identifies. */
void packet_dissect_udp(struct rtap_packet *packet, const struct rtap_context *context);

/* The results of an RPC reply: the context has its call. Not for records of a stream. */
void packet_dissect_reply(struct rtap_packet *packet, const struct rtap_context *context);

/* What follows the RPC-over-RDMA header: context->rpc_follows is set, and no chunk is shown in this packet. */
void packet_dissect_follows(struct rtap_packet *packet, const struct rtap_context *context);

/* The payload of a TCP segment. The packet has tcp.present and captured payload and was dissected with context->stop_at_tcp. */
void packet_dissect_segment(struct rtap_packet *packet, const struct rtap_context *context);

/* Discards the presumed dissection of the segment's payload in such a packet. */
void packet_forget_segment(struct rtap_packet *packet);

/* Dissects a frame that consists of a complete RDMAP Send without any headers; packet->payload is all of its bytes. */
void packet_dissect_send(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet);

/* Dissects a frame that consists of an RPC message which chunks carried, preceded by context->chunk_header bytes. */
void packet_dissect_chunk(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet);

#endif
