/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lengths of chunks and of the payload stream against XDR's roundup padding. RFC 8166, 3.4.4.4, 3.4.5.2 and 3.4.6.2.
 */
#ifndef OUTPUT_CHECK_RPCRDMA_ROUNDUP_H
#define OUTPUT_CHECK_RPCRDMA_ROUNDUP_H

#include "output/check/rpcrdma_header.h"

struct subject;

/* send_length: of the SEND in bytes, 0: unknown. */
void rpcrdma_roundup_call(const struct subject *subject, const struct rpcrdma_header *header, uint64_t send_length);

/* call: what the reply answers. */
void rpcrdma_roundup_reply(const struct subject *subject, const struct rpcrdma_header *header, uint64_t send_length,
			   const struct rpcrdma_procedure *call);

#endif
