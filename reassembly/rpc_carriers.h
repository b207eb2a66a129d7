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
	struct tcp_streams streams;
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

/* Takes the next packet if it is a TCP segment or a datagram; TCP's anomalies become the packet's: tcp_stream_segment(). */
void rpc_carriers_packet(struct rpc_carriers *carriers, struct rtap_packet *packet);

/* The input has ended: tells what is left. */
void rpc_carriers_flush(struct rpc_carriers *carriers);

/* Frees everything without telling; to be called in any case. */
void rpc_carriers_fini(struct rpc_carriers *carriers);

#endif
