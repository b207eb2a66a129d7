/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC beside RDMA: over TCP, in records (RFC 5531, section 11), and over UDP, a message a datagram. MOUNT, rpcbind, NLM and
 * NFSv4.0's callbacks travel there. A call is matched to its reply by its XID, in its direction of its stream.
 *
 * A TCP stream carries RPC if a port says so (111, 2049, 20048) or, unless that is forbidden, from the first segment on that
 * begins with the record of a call to a program that travels with NFS; a datagram likewise, and if it answers a call.
 */
#ifndef REASSEMBLY_RPC_CARRIERS_H
#define REASSEMBLY_RPC_CARRIERS_H

#include "reassembly/rpc_exchange.h"
#include "reassembly/tcp_stream.h"

/* Neither call may lead back into this module nor ask for memory of its budget. */
struct rpc_carriers_user {
	void *owner;
	/* Each call with its reply, when the reply is there; a reply without a known call; a call whose reply never came. */
	void (*exchange)(void *owner, const struct rpc_exchange *exchange);
	/* Number for a stream that carries RPC: rpc_exchange.stream. Datagrams between the same ports are a stream. */
	uint64_t (*number)(void *owner);
};

struct rpc_conversation;

/* Caller's memory. */
struct rpc_carriers {
	struct rpc_carriers_user user;
	struct budget *budget;
	struct budget_holder holder;  /* of what TCP connections have here */
	struct map calls;             /* without a reply yet, by conversation, direction and XID */
	struct map datagrams;         /* conversations over UDP, by addresses and ports */
	struct rpc_conversation *newest; /* of these */
	bool no_heuristics;
	uint64_t exchanges;
	uint64_t repeats;             /* calls and replies that came again */
	uint64_t unreadable;          /* messages of which not even XID and type were captured */
	uint64_t given_up;            /* for want of memory: calls told without their reply, messages without their bytes */
};

/* `user` is copied, `budget` borrowed. */
void rpc_carriers_init(struct rpc_carriers *carriers, struct budget *budget, const struct rpc_carriers_user *user, bool no_heuristics);

/* A TCP connection has begun. NULL: memory is out. */
struct rpc_conversation *rpc_carriers_begin(struct rpc_carriers *carriers, const struct tcp_connection *connection);

/* As tcp_stream_user's. rpc_carriers_bytes() tells whether the stream is known to carry RPC. */
void rpc_carriers_life(struct rpc_conversation *conversation, bool from_a, enum tcp_life life);
bool rpc_carriers_bytes(struct rpc_conversation *conversation, bool from_a, const struct tcp_bytes *bytes);
void rpc_carriers_hole(struct rpc_conversation *conversation, bool from_a, const struct tcp_hole *hole);

/* It ends, or turned out to carry something else: tells what is left, and frees. */
void rpc_carriers_end(struct rpc_conversation *conversation);

/* Takes the next packet if it is a datagram. */
void rpc_carriers_datagram(struct rpc_carriers *carriers, const struct rtap_packet *packet);

/* The input has ended, and all TCP connections: tells what is left. */
void rpc_carriers_flush(struct rpc_carriers *carriers);

/* Frees everything without telling; to be called in any case, when all TCP connections have ended. */
void rpc_carriers_fini(struct rpc_carriers *carriers);

#endif
