/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls of a connection that were answered, remembered for a while: a reply can come again, and it names neither its program
 * nor, if a chunk carried it, anything at all.
 */
#ifndef REASSEMBLY_UPPER_RPC_ANSWERS_H
#define REASSEMBLY_UPPER_RPC_ANSWERS_H

#include <rdmatap/packet.h>

struct rtap_tracker;
struct connection;

/* Calls remembered of a connection, and bytes of their replies; what is under way at once is fewer. */
#define RPC_ANSWERS_MAX 128
#define RPC_ANSWERS_BYTES (256u << 10)

struct rpc_answer {
	uint32_t xid;
	bool from_a;               /* who called */
	struct rtap_rpc_facts rpc; /* of the call */
	uint64_t frame;            /* that shows the call */
	int64_t time_ns;
	uint64_t calls, replies;   /* how often each has come since its first time */
	bool answered;             /* else it was given up before its reply came */
	uint8_t *bytes;            /* the reply, if a chunk carried it; NULL: it did not, or they are forgotten */
	uint32_t length;
	/* the ring's own */
	uint32_t number;           /* counts those added */
	uint8_t older;             /* place of an older one in the same bucket, plus 1; if it is that still */
};

#define RPC_ANSWERS_BUCKETS 64 /* rpc_answers.c: six bits of a product */

/* All zero is none. */
struct rpc_answers {
	struct rpc_answer *ring;
	uint32_t next, room;       /* room: a power of two, or 0 */
	uint64_t kept;             /* bytes of replies */
	int64_t latest_ns;         /* when one was added */
	uint32_t forgotten;        /* number of the oldest that may still have bytes */
	uint8_t newest[RPC_ANSWERS_BUCKETS]; /* place of the newest one with such an XID, plus 1; 0: none */
};

/* Takes the answer with its bytes, which then are freed here. The oldest one is forgotten for it. */
void rpc_answers_add(struct rtap_tracker *tracker, struct connection *connection, const struct rpc_answer *answer);

/* The newest of that number; NULL: none is remembered. Borrowed until the next call of rpc_answers_add(). */
struct rpc_answer *rpc_answers_find(const struct connection *connection, bool from_a, uint32_t xid);

/* `from` turned out to be part of `to`; `turned`: its ends are the other way round there. */
void rpc_answers_move(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned);

/* Forgets those of connections that have long answered nothing: their replies do not come again any more. */
void rpc_answers_advance(struct rtap_tracker *tracker);

void rpc_answers_fini(struct rtap_tracker *tracker, struct connection *connection);

#endif
