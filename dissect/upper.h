/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a queue pair's payload is: told by the context or the user, by the queue pair's number, or recognised by content.
 */
#ifndef DISSECT_UPPER_H
#define DISSECT_UPPER_H

#include "dissect/protocol.h"

/* The cursor stands at the payload, narrowed to it: notes it and names the protocol that follows in parse->next. */
void upper_begin(struct parse *parse);

/* What a whole Send of RDMAP carries, the bytes at the cursor: the number of a protocol. */
uint8_t upper_of_iwarp_send(const struct parse *parse);

/* Whether the bytes at the cursor are an RPC-over-RDMA message by their content alone. RFC 8166, section 4. */
bool rpcrdma_recognise(const struct cursor *payload);

/* Whether the bytes at the cursor begin with an IPoIB header and a matching IP header. RFC 4391, section 6. */
bool ipoib_recognise(const struct cursor *payload);

#endif
