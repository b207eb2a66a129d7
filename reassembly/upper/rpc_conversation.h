/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC between two ports, and the calls that wait for their replies. For rpc_carriers.c.
 */
#ifndef REASSEMBLY_UPPER_RPC_CONVERSATION_H
#define REASSEMBLY_UPPER_RPC_CONVERSATION_H

#include <sys/queue.h>

#include "reassembly/upper/rpc_carriers.h"
#include "reassembly/upper/rpc_record.h"

#define RPC_MOST_WAITING 4096 /* waiting calls per conversation; beyond that the oldest is considered lost */
#define RPC_MOST_EARLY 64     /* replies per conversation that wait for their calls */
#define RPC_REMEMBERED 128    /* answered calls kept to recognise repeats: a power of two */

/* One direction of a TCP stream. */
struct rpc_direction {
	struct rpc_conversation *conversation;
	bool from_a;
	struct rpc_record_reader reader;
	struct message *place;   /* the user's, of the incomplete record */
	uint32_t searched;       /* bytes without RPC */
};

/* An answered call. */
struct rpc_remembered {
	bool from_a;             /* the caller */
	struct rtap_rpc_facts facts;
	uint64_t length;         /* of the call */
	uint64_t frame;          /* number of the frame in which the call began */
	int64_t time_ns;
	uint64_t calls, replies; /* repeats of each */
};

struct rpc_waiting;
struct rpc_early;

/* Arrays of ends, ports and so on are indexed by from_a: b, a. */
struct rpc_conversation {
	struct rpc_carriers *carriers;
	struct budget_entry entry; /* of the calls; for UDP also of the conversation */
	enum rpc_carrier carrier;
	uint64_t number;             /* 0: not known to the user */
	struct connection *connection; /* the user's */
	bool turned;                 /* end a of the connection is end b here */
	struct rtap_end ends[2];
	uint16_t ports[2];
	bool opener_known, opened_by_a;
	TAILQ_HEAD(, rpc_waiting) calls; /* that wait for their replies, the oldest first */
	uint32_t waiting;            /* how many */
	struct rpc_remembered *remembered; /* a ring */
	uint32_t remembered_at, remembered_room; /* entries ever added; size, a power of two, or 0 */
	/* TCP */
	const struct tcp_connection *tcp;
	struct rpc_direction *directions;
	SLIST_HEAD(, rpc_early) early; /* replies captured before their calls, unsorted */
	uint32_t early_count;
	bool is_rpc, refused;
	uint64_t first_frame;        /* number of the connection's first frame */
	int64_t first_ns;
	bool begun[2];               /* the direction was seen from its first byte */
	bool passed_over[2];         /* bytes were skipped before RPC was recognised */
	/* UDP */
	uint64_t hash, key[5];
	LIST_ENTRY(rpc_conversation) link;
};

/* A message. */
struct rpc_heard {
	struct rtap_span bytes;      /* up to the first missing or dropped byte; borrowed */
	uint64_t seen;               /* bytes received, including dropped ones */
	uint64_t length;             /* of the whole message */
	bool broken;                 /* bytes are missing whatever the length */
	uint8_t reason;              /* enum rtap_missing_reason, of the bytes missing after `bytes` */
	uint64_t first_frame, last_frame;
	int64_t time_ns, time_end_ns;
	uint64_t cause;              /* TCP: position of the other direction acknowledged by the sender */
};

/*
 * Makes the conversation known to the user. One end called the other or, if the caller is unknown, sent something. It began
 * in that frame.
 */
void rpc_conversation_connect(struct rpc_conversation *conversation, bool call_from_a, uint64_t frame, int64_t time_ns);

/* NULL: out of memory. */
struct rpc_conversation *rpc_conversation_create(struct rpc_carriers *carriers, enum rpc_carrier carrier);

/* Processes a message and reports the exchange that it ends, if any. */
void rpc_conversation_hear(struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard);

/* One end's bytes were processed: processes the replies to them that were captured earlier. */
void rpc_conversation_take_early(struct rpc_conversation *conversation, bool call_from_a);

/* Whether a call with this XID waits for its reply, or was recently answered. */
bool rpc_conversation_knows(const struct rpc_conversation *conversation, bool from_a, uint32_t xid);

/* Sets what is known of the call that a reply with this XID answers in the context. False: unknown. */
bool rpc_conversation_context(const struct rpc_conversation *conversation, bool from_a, uint32_t xid, struct rtap_context *context);

/* The user no longer needs the conversation: reports its unanswered calls. */
void rpc_conversation_discard(struct rpc_conversation *conversation);

/* Reports unanswered calls and frees the conversation. */
void rpc_conversation_end(struct rpc_conversation *conversation);

/* Nothing was seen for a long time: reports incomplete messages and unanswered calls. */
void rpc_conversation_give_up(struct rpc_conversation *conversation);

/*
 * The conversation and sender of a datagram. rpc_conversation_find() returns NULL if there is none yet.
 * rpc_conversation_of_datagrams() creates one; NULL: out of memory.
 */
struct rpc_conversation *rpc_conversation_find(struct rpc_carriers *carriers, const struct rtap_packet *packet, bool *from_a);
struct rpc_conversation *rpc_conversation_of_datagrams(struct rpc_carriers *carriers, const struct rtap_packet *packet, bool *from_a);

/* Ends all UDP conversations. */
void rpc_conversation_end_datagrams(struct rpc_carriers *carriers);

#endif
