/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An RPC call and its reply, each whole again: read chunks at their place in the XDR stream, write chunks in the results
 * that they carried, with the padding that a reduced stream lacks. RFC 8166, 3.4; RFC 8267.
 */
#ifndef REASSEMBLY_UPPER_RPC_EXCHANGE_H
#define REASSEMBLY_UPPER_RPC_EXCHANGE_H

#include <rdmatap/message.h>
#include <rdmatap/packet.h>
#include <rdmatap/tracker.h>

#include "dissect/rpc/xdr.h"

enum rpc_carrier { RPC_OVER_RDMA, RPC_OVER_TCP, RPC_OVER_UDP };

/* A call or a reply. */
struct rpc_part {
	bool present;
	bool complete;               /* all bytes of the unreduced stream are there */
	bool is_laid_out;            /* the place of all its bytes, missing or not, is known */
	bool from_a;                 /* who sent it, in its connection */
	const struct xdr_extent *extents; /* of the unreduced stream: XDR_BYTES are at hand, XDR_ELSEWHERE were captured but not
				       * kept (the owner did not want payload, or memory was short), XDR_HOLE never captured */
	uint32_t extent_count;
	uint64_t length;             /* bytes of the unreduced stream */
	const struct rtap_missing *missing; /* holes, in order of offset */
	uint32_t missing_count;
	uint64_t first_frame, last_frame; /* of the SEND, record or datagram that carried its header */
	int64_t time_ns, time_end_ns;
	uint64_t data_length;        /* bytes of data in chunks, as far as its chunk lists were captured */
	uint32_t read_chunks, write_chunks;
	bool reply_chunk;
	struct rtap_rpc_facts facts; /* of its header; of a reply, program and the like are the call's */
};

/* Everything is borrowed for the call that it is told in. */
struct rpc_exchange {
	enum rpc_carrier carrier;
	const struct rtap_connection *connection; /* of RPC_OVER_RDMA; else NULL */
	uint64_t stream;                 /* numbers connections of all carriers apart, from 1 */
	struct rtap_end client, server;  /* who called, and who was called: of a reverse-direction call (RFC 8167) the
				          * server of the connection is the client */
	uint16_t client_port, server_port; /* TCP and UDP; RDMA: of the service if known, else 0 */
	bool reverse;                    /* a call to who set the connection up */
	uint32_t xid;
	struct rpc_part call, reply;     /* either may not be present */
	uint64_t call_repeats;           /* the call was sent again with the same XID */
	uint32_t rdma_error;             /* RDMA_ERROR answered the call: its error code; else 0 */
};

typedef void rpc_take_exchange(void *owner, const struct rpc_exchange *exchange);

struct message;
struct rpc_call;
struct rpc_heard;
struct rpc_send;
struct rpc_told;

/* What `messages` tells of a call or reply over TCP or UDP, whose header says `facts`. */
void rpc_exchange_show_plain(struct rtap_tracker *tracker, struct message *message, const struct rpc_heard *heard,
			     const struct rtap_rpc_facts *facts, const struct rpc_told *told);

/*
 * Whether a call or reply that came can be read at once: it stands whole in its SEND, and nobody wants more than what `messages` tells. Its
 * lists are read, and what is known of the call.
 */
bool rpc_exchange_is_plain(const struct rtap_tracker *tracker, const struct rpc_call *call, const struct rpc_send *send);

/* What `messages` tells of such a one, whose RPC-over-RDMA message is at `bytes`, goes into send->shown. */
void rpc_exchange_read(struct rtap_tracker *tracker, const struct rpc_call *call, struct rpc_send *send, const uint8_t *bytes);

/* Tells what the call and its reply amount to, and frees it. */
void rpc_exchange_conclude(struct rtap_tracker *tracker, struct rpc_call *call);

#endif
