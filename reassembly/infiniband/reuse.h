/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queue pair numbers that a new connection uses again, without communication management. NCCL, UCX and others begin each connection at PSN 0, so the
 * new one looks like a retransmission of the first request. Others begin anywhere.
 */
#ifndef REASSEMBLY_INFINIBAND_REUSE_H
#define REASSEMBLY_INFINIBAND_REUSE_H

#include "reassembly/state.h"

/* Whether a request with PSN 0, or far from the sequence of the stream, begins another use of the stream's queue pair. */
bool reuse_is_shown_by(struct psn_stream *stream, const struct rtap_packet *packet);

/*
 * Whether an acknowledgement shows that such a request, equal to the first one, began another use. Its MSN counts from there; that of a request that
 * was sent again counts on. IBTA vol. 1, 9.7.7.1.
 */
bool reuse_is_shown_by_ack(struct psn_stream *stream, const struct pending_response *response);

/* Remembers the request with this PSN, which is 0 modulo 2^24. */
void reuse_note_first(struct psn_stream *stream, uint64_t psn, const struct rtap_packet *packet);

#endif
