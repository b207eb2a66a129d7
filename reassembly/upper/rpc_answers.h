/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Answered calls of a connection, kept for a while: a reply can be repeated, and it contains neither its program nor, if a
 * chunk carried it, any RPC header.
 */
#ifndef REASSEMBLY_UPPER_RPC_ANSWERS_H
#define REASSEMBLY_UPPER_RPC_ANSWERS_H

#include "dissect/engine/packet.h"

struct rtap_tracker;
struct rpc_connection;

/* Most calls kept per connection, and bytes of their replies. Fewer calls are outstanding at once. */
#define RPC_ANSWERS_MAX 128
#define RPC_ANSWERS_BYTES (256u << 10)

struct rpc_answer {
	uint32_t xid;
	bool from_a;               /* the caller */
	struct rtap_rpc_facts rpc; /* of the call */
	uint64_t frame;            /* number of the frame that shows the call */
	int64_t time_ns;
	uint64_t calls, replies;   /* repeats of each */
	bool answered;             /* false: given up before its reply was seen */
	uint8_t *bytes;            /* the reply if a chunk carried it; NULL: not carried by a chunk, or dropped */
	uint32_t length;
	/* Private to the ring. */
	uint32_t number;           /* sequence number of this entry */
	uint8_t older;             /* index of the previous entry in the same bucket, plus 1; may be reused since */
};

#define RPC_ANSWERS_BUCKETS 64 /* rpc_answers.c: six bits of a product */

/* All zero: empty. */
struct rpc_answers {
	struct rpc_answer *ring;
	uint32_t next, room;       /* room: a power of two, or 0 */
	uint64_t kept;             /* bytes of replies */
	int64_t latest_ns;         /* when the last one was added */
	uint32_t oldest_kept;      /* number of the oldest one that may still have bytes */
	uint8_t newest[RPC_ANSWERS_BUCKETS]; /* index of the newest entry of each bucket, plus 1; 0: none */
};

/* Adds an answer and takes ownership of its bytes. Replaces the oldest one. */
void rpc_answers_add(struct rtap_tracker *tracker, struct rpc_connection *of, const struct rpc_answer *answer);

/* The newest answer with this XID; NULL: none kept. Borrowed until the next rpc_answers_add(). */
struct rpc_answer *rpc_answers_find(const struct rpc_connection *of, bool from_a, uint32_t xid);

/* `from` is merged into `to`. `turned`: the ends of `from` are swapped in `to`. */
void rpc_answers_move(struct rtap_tracker *tracker, struct rpc_connection *from, struct rpc_connection *to, bool turned);

/* Drops the answers of connections without a recent answer: their replies are no longer repeated. */
void rpc_answers_advance(struct rtap_tracker *tracker);

void rpc_answers_fini(struct rtap_tracker *tracker, struct rpc_connection *of);

#endif
