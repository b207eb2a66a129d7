/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Private data of communication management messages, and the protocols recognised in it.
 */
#ifndef DISSECT_MANAGEMENT_CM_PRIVATE_H
#define DISSECT_MANAGEMENT_CM_PRIVATE_H

#include "dissect/management/cm.h"

/* The private data of a message; no value unless it is complete. For tables. */
bool cm_derive_private(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value);

/* Adds "10.0.0.1:20049/TCP", or the service id if it is not an IP port. */
void cm_summary_service(const struct rtap_packet *packet, const struct rtap_layer *message, uint64_t service_id, struct line *line);

/*
 * Takes the `length` bytes of private data that belong to the last layer, records their position, and looks for known protocols
 * in them. Sets parse->next if bytes follow beyond the end of the message.
 */
enum result cm_take_private(struct parse *parse, uint32_t length);

/*
 * The protocol of the private data of a message that was already dissected, now that the context has its consumer; PROTOCOL_NONE:
 * unknown, or its layer is already there. Stores the consumer in packet->cm.
 */
uint16_t cm_private_protocol(const struct parse *parse, const struct rtap_layer *message);

#define RPCRDMA_PRIVATE_LENGTH 8

/* Contents of the RPC-over-RDMA message in private data. Sizes in bytes. RFC 8797, section 4. */
struct rpcrdma_private {
	bool remote_invalidation;
	uint32_t send_size, receive_size;
};

/* Finds that message, which may start at any byte (RFC 8797, section 5.2). NULL, and *message unchanged, if not found. */
const uint8_t *rpcrdma_find_private(const uint8_t *bytes, uint32_t length, struct rpcrdma_private *message);

#endif
