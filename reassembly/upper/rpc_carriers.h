/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC beside RDMA: over TCP, in records (RFC 5531, section 11), and over UDP, a message a datagram. MOUNT, rpcbind, NLM and
 * NFSv4.0's callbacks travel there. A call is matched to its reply by its XID, in its direction of its stream.
 *
 * A TCP stream carries RPC if a port says so (111, 2049, 20048) or, unless that is forbidden, from the first segment on that
 * begins with the record of a call to a program that travels with NFS; a datagram likewise, and if it answers a call. A stream that
 * begins with something else, or has 1 MiB in a direction without such a call, is something else.
 */
#ifndef REASSEMBLY_UPPER_RPC_CARRIERS_H
#define REASSEMBLY_UPPER_RPC_CARRIERS_H

#include "reassembly/upper/rpc_exchange.h"
#include "reassembly/upper/rpc_record.h"
#include "reassembly/stream/tcp_stream.h"

struct rpc_conversation;
struct rpc_direction;
struct rpc_heard;
struct message;

/* What a message has to do with others. */
struct rpc_told {
	const struct rtap_rpc_facts *call; /* that a reply answers; NULL: not known */
	struct message **place;            /* of a message that keeps its place already; NULL: there is none */
	struct message **slot;             /* of a call that waits: where the user's message is held until pair() */
	uint64_t repeats;                  /* how often a call, or the reply to it, had come before */
};

/* No call may lead back into this module nor ask for memory of its budget. */
struct rpc_carriers_user {
	void *owner;
	/* Each call with its reply, when the reply is there; a reply without a known call; a call whose reply never came. NULL: nobody wants
	 * them, and no bytes are kept. */
	void (*exchange)(void *owner, const struct rpc_exchange *exchange);
	/*
	 * A stream carries RPC: gives its number, rpc_exchange.stream. Datagrams between the same ports are a stream. `a`: the side that
	 * opened it.
	 */
	uint64_t (*connect)(void *owner, struct rpc_conversation *conversation, bool a, uint64_t frame, int64_t time_ns);
	/* It ended. What is held of its messages is let go right after. */
	void (*disconnect)(void *owner, struct rpc_conversation *conversation);
	/* The others may be NULL, all together. A message that is not whole yet began in a frame; frame 0: there is none. */
	void (*place)(void *owner, struct rpc_direction *direction, uint64_t frame, int64_t time_ns);
	/* A reply that waits for its call began in a frame: *slot gets what keeps its place until `message`, or NULL. */
	void (*reserve)(void *owner, struct rpc_conversation *conversation, uint64_t frame, int64_t time_ns, struct message **slot);
	/* What keeps a place is not wanted: nothing came of the reply. */
	void (*release)(void *owner, struct message *place);
	/* A call or a reply was heard. What stands for it in the user's eyes, or NULL; a call's also goes into told->slot. */
	struct message *(*message)(void *owner, struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard,
				   const struct rtap_rpc_facts *facts, const struct rpc_told *told);
	/* A call waits no longer: `reply` (if not NULL) answers it. It came again that often. */
	void (*pair)(void *owner, struct message *call, struct message *reply, uint64_t repeats);
};

/* Caller's memory. */
struct rpc_carriers {
	struct rpc_carriers_user user;
	struct budget *budget;
	struct budget_holder holder;  /* of what TCP connections have here */
	struct rpc_record_copies copies; /* of records under way */
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

/* A TCP connection has begun with that frame. NULL: memory is out. */
struct rpc_conversation *rpc_carriers_begin(struct rpc_carriers *carriers, const struct tcp_connection *connection,
					    const struct rtap_frame *frame);

enum rpc_verdict { RPC_PERHAPS, RPC_YES, RPC_NO };

/* Whether the stream is known to carry RPC, or something else. */
enum rpc_verdict rpc_carriers_verdict(const struct rpc_conversation *conversation);

/* As tcp_stream_user's. */
void rpc_carriers_life(struct rpc_conversation *conversation, bool from_a, enum tcp_life life);
void rpc_carriers_bytes(struct rpc_conversation *conversation, bool from_a, const struct tcp_bytes *bytes);
void rpc_carriers_hole(struct rpc_conversation *conversation, bool from_a, const struct tcp_hole *hole);

/* It ends, or turned out to carry something else: tells what is left, and frees. */
void rpc_carriers_end(struct rpc_conversation *conversation);

/* A segment of the stream begins with `payload`: if that is a reply, what is known of its call goes into the context. */
void rpc_carriers_context(const struct rpc_conversation *conversation, bool from_a, const struct rtap_packet *packet,
			  struct rtap_context *context);

/*
 * Takes the next packet if it is a datagram. Gives the conversation that it is of, and who sent it, valid until the next call;
 * NULL: of none. Of a reply, what is known of its call goes into the context.
 */
struct rpc_conversation *rpc_carriers_datagram(struct rpc_carriers *carriers, const struct rtap_packet *packet, bool *from_a,
					       struct rtap_context *context);

/* The input has ended, and all TCP connections: tells what is left. */
void rpc_carriers_flush(struct rpc_carriers *carriers);

/* Frees everything without telling; to be called in any case, when all TCP connections have ended. */
void rpc_carriers_fini(struct rpc_carriers *carriers);

#endif
