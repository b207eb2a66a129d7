/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC records in one direction of a TCP stream. RFC 5531, section 11: a record is one message, cut into fragments, each
 * behind a mark of four bytes that tells its length and whether it is the last.
 *
 * Where a record begins is known at the stream's beginning and behind every record. It is lost behind a hole that hides a
 * mark, in a stream seen from the middle, and where a mark is not followed by an RPC call or reply; then every byte is
 * tried until a mark with the header of a whole call (version 2) or reply behind it is found.
 */
#ifndef REASSEMBLY_UPPER_RPC_RECORD_H
#define REASSEMBLY_UPPER_RPC_RECORD_H

#include "reassembly/stream/tcp_stream.h"

#define RPC_RECORD_LARGEST (4u << 20) /* longer ones are told without their bytes */
#define RPC_RECORD_HEADER 36          /* a mark and as much of a header as is looked at */

/* Why bytes of a record are not there. */
enum rpc_record_missing {
	RPC_RECORD_WHOLE,
	RPC_RECORD_HOLE,      /* the stream has a hole: `hole` tells why */
	RPC_RECORD_TOO_LARGE,
	RPC_RECORD_EVICTED,   /* given up for memory */
	RPC_RECORD_UNFINISHED, /* the stream ended within it */
};

struct rpc_record {
	struct rtap_span bytes;   /* without marks, from its first byte to the first one missing; borrowed for the call */
	uint64_t length;          /* of the whole, as far as marks tell; what was in a hole that hid a mark is not counted */
	uint64_t offset;          /* of its first mark in the stream */
	uint64_t cause;           /* tcp_bytes.acknowledged of its last byte */
	uint64_t first_frame, last_frame;
	int64_t first_ns, last_ns; /* of these frames */
	uint32_t fragments;
	uint32_t seen;            /* bytes from its first one on that came, kept or not */
	enum rpc_record_missing missing;
	enum tcp_hole_reason hole;
	bool recovered;           /* its beginning was searched for */
};

/* Who is told of each record, in order. */
struct rpc_record_user {
	void *owner;
	void (*record)(void *owner, const struct rpc_record *record);
};

enum rpc_record_state {
	RPC_RECORD_BEGINNING, /* a record begins here */
	RPC_RECORD_SEARCHING, /* one begins somewhere */
	RPC_RECORD_MARK,      /* of a fragment that is not the record's first */
	RPC_RECORD_FRAGMENT,
};

/*
 * The readers that keep bytes of records under way, in the order in which they got some last. Of those that got none for a second all
 * but the first bytes go while they keep more than `most` together.
 */
struct rpc_record_copies {
	struct rpc_record_reader *oldest, *newest;
	uint64_t bytes, most;
};

/* One direction. */
struct rpc_record_reader {
	struct rpc_record_user user;
	struct budget *budget;
	struct rpc_record_copies *copies;
	struct rpc_record_reader *older, *newer; /* in it, while `room` is not 0 */
	uint64_t grown_ns;               /* when it got bytes last, by the budget's clock */
	struct budget_holder holder;     /* of `copy` */
	enum rpc_record_state state;
	uint8_t head[RPC_RECORD_HEADER]; /* bytes that are not decided on */
	uint32_t head_length;
	uint64_t head_frame, head_cause;
	int64_t head_ns;
	bool is_last;                    /* fragment */
	uint32_t left;                   /* bytes of the fragment to come */
	uint8_t *copy;                   /* of the record's bytes when it is not in one piece */
	uint32_t copied, room;
	bool trimmed;                    /* bytes of the record were dropped, as others needed the memory */
	bool is_told;                    /* the record was given up: what comes of it yet is passed over */
	struct rpc_record record;        /* under way */
	/* records, those of them with bytes missing, too large, found by searching; bytes passed over */
	uint64_t records, incomplete, too_large, recovered, passed_over;
};

/* `is_beginning`: the stream was seen from its first byte. `user` is copied, `budget` and `copies` borrowed. */
void rpc_record_init(struct rpc_record_reader *reader, struct budget *budget, struct rpc_record_copies *copies,
		     const struct rpc_record_user *user, bool is_beginning);

/* The next bytes of the stream. */
void rpc_record_bytes(struct rpc_record_reader *reader, const struct tcp_bytes *bytes);

/* The next bytes of the stream are missing. */
void rpc_record_hole(struct rpc_record_reader *reader, const struct tcp_hole *hole);

/* Whether a record is under way, or bytes wait that may be one's first; and the frame that it began in. */
bool rpc_record_begun(const struct rpc_record_reader *reader, uint64_t *frame, int64_t *time_ns);

/* Nothing was seen of the stream for long: tells what is under way as it stands. What comes of it later is passed over. */
void rpc_record_give_up(struct rpc_record_reader *reader);

/* The stream ends: tells what was under way. */
void rpc_record_end(struct rpc_record_reader *reader);

/* Frees what is copied. */
void rpc_record_fini(struct rpc_record_reader *reader);

/*
 * Whether a mark and the first fragment of a record with an RPC message are at `bytes`; `length` may be short: then
 * RPC_RECORD_PERHAPS. `strict`: as it has to be where nothing else says that one begins here.
 */
enum rpc_record_guess { RPC_RECORD_NO, RPC_RECORD_PERHAPS, RPC_RECORD_YES };
enum rpc_record_guess rpc_record_guess(const uint8_t *bytes, uint32_t length, bool strict);

#endif
