/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Private data in messages of communication management, and what is known in them.
 */
#ifndef DISSECT_MANAGEMENT_CM_PRIVATE_H
#define DISSECT_MANAGEMENT_CM_PRIVATE_H

#include "dissect/management/cm.h"

/* The private data of a message, of which none is told unless it is whole. For tables. */
bool cm_derive_private(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value);

/* Adds "10.0.0.1:20049/TCP", or the number of a service that is no IP port. */
void cm_summary_service(const struct rtap_packet *packet, const struct rtap_layer *message, uint64_t service_id, struct line *line);

/*
 * Takes the `length` bytes of private data that belong to the layer found last, notes where they are, and looks in them
 * for what is known. Sets parse->next if bytes follow that no message has room for.
 */
enum result cm_take_private(struct parse *parse, uint32_t length);

#define RPCRDMA_PRIVATE_LENGTH 8

/* What RPC-over-RDMA's message in a connection's private data says. Sizes in bytes. RFC 8797, section 4. */
struct rpcrdma_private {
	bool remote_invalidation;
	uint32_t send_size, receive_size;
};

/* Finds that message, which may begin at any byte (RFC 8797, section 5.2). NULL, and *message unchanged, if it is not there. */
const uint8_t *rpcrdma_find_private(const uint8_t *bytes, uint32_t length, struct rpcrdma_private *message);

#endif
