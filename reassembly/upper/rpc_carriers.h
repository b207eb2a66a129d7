/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC over TCP, in records (RFC 5531, section 11), and over UDP, one message per datagram. MOUNT, rpcbind, NLM and
 * NFSv4.0 callbacks use them beside RDMA. A call is matched to its reply by its XID, direction and stream.
 *
 * A TCP stream carries RPC if a port shows it (111, 2049, 20048) or, unless that is forbidden, from the first segment that
 * begins with the record of a call to a program used with NFS. The same holds for a datagram, also if it answers a call. A
 * stream that begins with something else, or has 1 MiB in one direction without such a call, is not RPC.
 */
#ifndef REASSEMBLY_UPPER_RPC_CARRIERS_H
#define REASSEMBLY_UPPER_RPC_CARRIERS_H

#include <sys/queue.h>

#include "reassembly/upper/rpc_exchange.h"
#include "reassembly/upper/rpc_record.h"
#include "reassembly/stream/tcp_stream.h"

struct rpc_conversation;
struct rpc_direction;
struct rpc_heard;
struct message;

/* The relation of a message to others. */
struct rpc_relation {
	const struct rtap_rpc_facts *call; /* call that a reply answers; NULL: unknown */
	struct message **place;            /* place in the queue that is already reserved for the message; NULL: none */
	struct message **slot;             /* of a waiting call: holds the user's message until pair() */
	uint64_t repeats;                  /* number of earlier copies of the call, or of the reply */
};

/* Callbacks. They must not call this module nor take memory from its budget. */
struct rpc_carriers_user {
	void *owner;
	/*
	 * Each call with its reply, when the reply arrives; a reply without a known call; a call without a reply. NULL:
	 * exchanges are not wanted, and no bytes are kept.
	 */
	void (*exchange)(void *owner, const struct rpc_exchange *exchange);
	/*
	 * A stream carries RPC: returns its number, rpc_exchange.stream. Datagrams between the same ports are one stream.
	 * `a`: the side that opened it.
	 */
	uint64_t (*connect)(void *owner, struct rpc_conversation *conversation, bool a, uint64_t frame, int64_t time_ns);
	/* The stream ended. Its messages are released right afterwards. */
	void (*disconnect)(void *owner, struct rpc_conversation *conversation);
	/* The following callbacks are set or NULL together. An incomplete message began in `frame`; 0: none. */
	void (*place)(void *owner, struct rpc_direction *direction, uint64_t frame, int64_t time_ns);
	/*
	 * A reply that waits for its call began in a frame: sets *slot to what reserves its place until message() or
	 * release(), or to NULL.
	 */
	void (*reserve)(void *owner, struct rpc_conversation *conversation, uint64_t frame, int64_t time_ns, struct message **slot);
	/* Releases a reserved place: the reply is dropped. */
	void (*release)(void *owner, struct message *place);
	/*
	 * A call or reply was received. Returns the user's message for it, or NULL. That of a call is also stored in
	 * relation->slot.
	 */
	struct message *(*message)(void *owner, struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard,
				   const struct rtap_rpc_facts *facts, const struct rpc_relation *relation);
	/*
	 * A call no longer waits. `reply`: the message that answers it, or NULL. `repeats`: how often the call was repeated.
	 */
	void (*pair)(void *owner, struct message *call, struct message *reply, uint64_t repeats);
};

/* In the caller's memory. */
struct rpc_carriers {
	struct rpc_carriers_user user;
	struct budget *budget;
	struct budget_entry entry;    /* memory for TCP connections */
	struct rpc_record_copies copies; /* of incomplete records */
	struct map calls;             /* unanswered, by conversation, direction and XID */
	struct map datagrams;         /* UDP conversations, by addresses and ports */
	LIST_HEAD(, rpc_conversation) conversations; /* UDP, the newest first */
	bool no_heuristics;
	uint64_t exchanges;
	uint64_t repeats;             /* repeated calls and replies */
	uint64_t unreadable;          /* messages without captured XID and type */
	uint64_t given_up;            /* for lack of memory: calls reported without reply, messages without bytes */
};

/* `user` is copied, `budget` borrowed. */
void rpc_carriers_init(struct rpc_carriers *carriers, struct budget *budget, const struct rpc_carriers_user *user, bool no_heuristics);

/* A TCP connection began with that frame. NULL: out of memory. */
struct rpc_conversation *rpc_carriers_begin(struct rpc_carriers *carriers, const struct tcp_connection *connection,
					    const struct rtap_frame *frame);

enum rpc_verdict { RPC_PERHAPS, RPC_YES, RPC_NO };

/* Whether the stream carries RPC. */
enum rpc_verdict rpc_carriers_verdict(const struct rpc_conversation *conversation);

/* As in tcp_stream_user. */
void rpc_carriers_life(struct rpc_conversation *conversation, bool from_a, enum tcp_life life);
void rpc_carriers_bytes(struct rpc_conversation *conversation, bool from_a, const struct tcp_bytes *bytes);
void rpc_carriers_hole(struct rpc_conversation *conversation, bool from_a, const struct tcp_hole *hole);

/* The stream ends, or does not carry RPC: reports remaining calls and replies, and frees the state. */
void rpc_carriers_end(struct rpc_conversation *conversation);

/* A segment of the stream begins with `payload`: for a reply, sets what is known of its call in the context. */
void rpc_carriers_context(const struct rpc_conversation *conversation, bool from_a, const struct rtap_packet *packet,
			  struct rtap_context *context);

/*
 * Processes the next packet if it is a datagram. Returns its conversation and sender, valid until the next call; NULL: none.
 * For a reply, sets what is known of its call in the context.
 */
struct rpc_conversation *rpc_carriers_datagram(struct rpc_carriers *carriers, const struct rtap_packet *packet, bool *from_a,
					       struct rtap_context *context);

/* The input and all TCP connections have ended: reports remaining calls and replies. */
void rpc_carriers_flush(struct rpc_carriers *carriers);

/* Frees everything without reporting. Must always be called, after all TCP connections have ended. */
void rpc_carriers_fini(struct rpc_carriers *carriers);

#endif
