/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An RPC call and its reply, reconstructed: read chunks at their position in the XDR stream, write chunks in the results
 * that they carried, with the padding that a reduced stream lacks. RFC 8166, 3.4; RFC 8267.
 */
#ifndef REASSEMBLY_UPPER_RPC_EXCHANGE_H
#define REASSEMBLY_UPPER_RPC_EXCHANGE_H

#include <rdmatap/message.h>
#include <rdmatap/tracker.h>

#include "dissect/engine/packet.h"
#include "dissect/rpc/xdr.h"

enum rpc_carrier { RPC_OVER_RDMA, RPC_OVER_TCP, RPC_OVER_UDP };

/* A call or a reply. */
struct rpc_part {
	bool present;
	bool complete;               /* all bytes of the unreduced stream are present */
	bool is_laid_out;            /* the positions of all bytes, missing or not, are known */
	bool from_a;                 /* the sender, in its connection */
	/*
	 * Of the unreduced stream. XDR_BYTES: present. XDR_ELSEWHERE: captured but not kept (the owner did not want payload, or memory was
	 * short). XDR_HOLE: not captured.
	 */
	const struct xdr_extent *extents;
	uint32_t extent_count;
	uint64_t length;             /* length of the unreduced stream */
	const struct rtap_missing *missing; /* holes, in order of offset; over TCP and UDP also what was not kept, as evicted */
	uint32_t missing_count;
	uint64_t first_frame, last_frame; /* of the SEND, record or datagram that carried its header */
	int64_t time_ns, time_end_ns;
	uint64_t data_length;        /* bytes of data in chunks, as far as chunk lists were captured */
	uint32_t read_chunks, write_chunks;
	bool reply_chunk;
	struct rtap_rpc_facts facts; /* of its header; for a reply, program and the like are those of the call */
};

/* Everything is borrowed for the duration of the callback. */
struct rpc_exchange {
	enum rpc_carrier carrier;
	const struct rtap_connection *connection; /* for RPC_OVER_RDMA; else NULL */
	uint64_t stream;                 /* number of the connection among all carriers, from 1 */
	struct rtap_end client, server;  /* caller and callee; reverse direction (RFC 8167): the client is the connection's server */
	uint16_t client_port, server_port; /* TCP and UDP; RDMA: of the service if known, else 0 */
	bool reverse;                    /* the call goes to the end that set up the connection */
	uint32_t xid;
	struct rpc_part call, reply;     /* one of them may be absent */
	uint64_t call_repeats;           /* retransmissions of the call with the same XID */
	uint32_t rdma_error;             /* error code of the RDMA_ERROR that answered the call; else 0 */
};

typedef void rpc_take_exchange(void *owner, const struct rpc_exchange *exchange);

struct message;
struct rpc_call;
struct rpc_heard;
struct rpc_send;
struct rpc_relation;

/* Fills a message with what is reported of a call or reply over TCP or UDP with header `facts`. */
void rpc_exchange_show_plain(struct rtap_tracker *tracker, struct message *message, const struct rpc_heard *heard,
			     const struct rtap_rpc_facts *facts, const struct rpc_relation *relation);

/*
 * Whether a call or reply can be read on arrival: its SEND contains it completely, and only messages are wanted. Reads its
 * lists and sets what is known of the call.
 */
bool rpc_exchange_is_plain(const struct rtap_tracker *tracker, const struct rpc_call *call, const struct rpc_send *send);

/* Fills send->shown with what is reported of such a plain message, whose RPC-over-RDMA message is at `bytes`. */
void rpc_exchange_read_plain(struct rtap_tracker *tracker, const struct rpc_call *call, struct rpc_send *send, const uint8_t *bytes);

/* Reports the result of the call and its reply. The caller frees it. */
void rpc_exchange_conclude(struct rtap_tracker *tracker, struct rpc_call *call);

#endif
