/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Dissection of a frame, and of the parts of a packet whose content depends on other packets. The headers are parsed only once: these
 * parts are dissected after them once the context has what they depend on. Facts of the headers and packet->flow are kept.
 */
#ifndef DISSECT_DISSECT_H
#define DISSECT_DISSECT_H

#include "dissect/engine/packet.h"

/*
 * Dissects one frame. Reads only the captured bytes, allocates nothing and keeps no state; context may be NULL: nothing is known.
 * The packet borrows the frame. Errors in the frame are reported as anomalies of the packet.
 */
void dissect_frame(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet);

/* Dissects the transport payload of an InfiniBand or RoCE packet. */
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

/* Dissects the bytes after the RPC-over-RDMA header: context->rpc_follows is set, and no chunk is shown in this packet. */
void packet_dissect_follows(struct rtap_packet *packet, const struct rtap_context *context);

/* The payload of a TCP segment. The packet has tcp.present and captured payload and was dissected with context->stop_at_tcp. */
void packet_dissect_segment(struct rtap_packet *packet, const struct rtap_context *context);

/* Discards the presumed dissection of the segment's payload in such a packet. */
void packet_discard_segment(struct rtap_packet *packet);

/*
 * The same, FPDU by FPDU, as they become known: packet_begin_fpdus() when the context has the first one; packet_dissect_fpdu() for each in order,
 * in `context` or its own, which sets packet->payload to what it carries (false: nothing that can be shown); packet_end_fpdus() with the context
 * that has all, of which the first `begun` were there at the beginning. False: packet_dissect_segment() is needed.
 */
bool packet_begin_fpdus(struct rtap_packet *packet, const struct rtap_context *context);
bool packet_dissect_fpdu(struct rtap_packet *packet, const struct rtap_context *context, const struct rtap_fpdu *fpdu);
bool packet_end_fpdus(struct rtap_packet *packet, const struct rtap_context *context, uint32_t begun);

/* Removes the layers after RDMAP's layer, and the sources after the first `source_count`: the FPDU after those in a struct packet_body. */
void packet_discard_fpdu(struct rtap_packet *packet, uint8_t source_count);

/* Layers and facts of the FPDUs that are dissected, while the packet is that of a later one alone. */
struct packet_body {
	struct rtap_layer layers[RTAP_MAX_LAYERS];
	uint8_t count, upper;
	struct rtap_rpcrdma_facts rpcrdma;
	struct rtap_rpc_facts rpc;
};

/* Moves them out of the packet, and back to before those of the later one. False: not possible. */
bool packet_take_body(struct rtap_packet *packet, struct packet_body *body);
bool packet_return_body(struct rtap_packet *packet, const struct packet_body *body);

/* Dissects a frame that consists of a complete RDMAP Send without any headers; packet->payload is all of its bytes. */
void packet_dissect_send(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet);

/* Dissects a frame that consists of an RPC message which chunks carried, preceded by context->chunk_header bytes. */
void packet_dissect_chunk(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet);

#endif
