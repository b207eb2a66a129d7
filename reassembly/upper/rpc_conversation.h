/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC between two ports: calls that wait for their replies. For rpc_carriers.c.
 */
#ifndef REASSEMBLY_UPPER_RPC_CONVERSATION_H
#define REASSEMBLY_UPPER_RPC_CONVERSATION_H

#include "reassembly/upper/rpc_carriers.h"
#include "reassembly/upper/rpc_record.h"

#define RPC_MOST_WAITING 4096 /* calls of one conversation; then the oldest is taken for lost */
#define RPC_MOST_EARLY 64     /* replies of one conversation that wait for their calls */
#define RPC_REMEMBERED 128    /* calls answered last, by which repeats are known: a power of two */

/* One direction of a TCP stream. */
struct rpc_direction {
	struct rpc_conversation *conversation;
	bool from_a;
	struct rpc_record_reader reader;
	struct message *place;   /* the user's, of the record under way */
	uint32_t searched;       /* bytes in which no RPC was found */
};

/* A call that was answered. */
struct rpc_remembered {
	bool from_a;             /* whose call it was */
	struct rtap_rpc_facts facts;
	uint64_t length;         /* of the call */
	uint64_t frame;          /* that the call began in */
	int64_t time_ns;
	uint64_t calls, replies; /* how often each has come since its first time */
};

struct rpc_waiting;
struct rpc_early;

/* Ends, ports and the like are of b, of a: indexed by from_a. */
struct rpc_conversation {
	struct rpc_carriers *carriers;
	struct budget_holder holder; /* of the calls; of datagrams also of the conversation */
	enum rpc_carrier carrier;
	uint64_t number;             /* 0: the user does not know of it, or not any more */
	struct connection *connection; /* the user's */
	bool turned;                 /* likewise: end a of the connection is b here */
	struct rtap_end ends[2];
	uint16_t ports[2];
	bool opener_known, opened_by_a;
	struct rpc_waiting *oldest, *newest;
	uint32_t waiting;
	struct rpc_remembered *remembered; /* a ring */
	uint32_t remembered_at, remembered_room; /* how many were put into it; a power of two, or 0 */
	/* TCP */
	const struct tcp_connection *tcp;
	struct rpc_direction *directions;
	struct rpc_early *early;     /* replies that were captured before their calls, in no order */
	uint32_t early_count;
	bool is_rpc, refused;
	uint64_t first_frame;        /* that the connection was seen in */
	int64_t first_ns;
	bool begun[2];               /* the direction is seen from its first byte */
	bool passed_over[2];         /* bytes came before RPC was recognised */
	/* UDP */
	uint64_t hash, key[5];
	struct rpc_conversation *before, *behind;
};

/* A message. */
struct rpc_heard {
	struct rtap_span bytes;      /* up to the first one that is missing, or was dropped; borrowed */
	uint64_t seen;               /* how many came, with those dropped behind them */
	uint64_t length;             /* of the whole */
	bool broken;                 /* bytes are missing even if the length says otherwise */
	uint8_t reason;              /* enum rtap_missing_reason, of what is missing behind `bytes` */
	uint64_t first_frame, last_frame;
	int64_t time_ns, time_end_ns;
	uint64_t cause;              /* TCP: position of the other direction that its sender had acknowledged */
};

/*
 * Makes sure that the user knows of the conversation, in which one end has called the other, or speaks if nobody knows who calls.
 * It began in that frame.
 */
void rpc_conversation_connect(struct rpc_conversation *conversation, bool call_from_a, uint64_t frame, int64_t time_ns);

/* NULL: memory is out. */
struct rpc_conversation *rpc_conversation_create(struct rpc_carriers *carriers, enum rpc_carrier carrier);

/* Takes a message: tells of the exchange that it ends, if any. */
void rpc_conversation_hear(struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard);

/* One end's bytes were taken: so are the replies to them that were captured before them. */
void rpc_conversation_take_early(struct rpc_conversation *conversation, bool call_from_a);

/* Whether a call with that XID waits for its reply, or had it lately. */
bool rpc_conversation_knows(const struct rpc_conversation *conversation, bool from_a, uint32_t xid);

/* What is known of the call that a reply with that XID answers, or answered, goes into the context. False: it is not known. */
bool rpc_conversation_context(const struct rpc_conversation *conversation, bool from_a, uint32_t xid, struct rtap_context *context);

/* The user knows of it no more: its calls are told as they stand. */
void rpc_conversation_forget(struct rpc_conversation *conversation);

/* Tells of the calls that still wait, and frees. */
void rpc_conversation_end(struct rpc_conversation *conversation);

/* Nothing was seen of it for long: what is under way is told as it stands. */
void rpc_conversation_give_up(struct rpc_conversation *conversation);

/*
 * The conversation that a datagram belongs to, and who sent it: rpc_conversation_find() gives NULL if there is none yet,
 * rpc_conversation_of_datagrams() makes one (NULL: memory is out).
 */
struct rpc_conversation *rpc_conversation_find(struct rpc_carriers *carriers, const struct rtap_packet *packet, bool *from_a);
struct rpc_conversation *rpc_conversation_of_datagrams(struct rpc_carriers *carriers, const struct rtap_packet *packet, bool *from_a);

/* Ends all conversations of datagrams. */
void rpc_conversation_end_datagrams(struct rpc_carriers *carriers);

#endif
