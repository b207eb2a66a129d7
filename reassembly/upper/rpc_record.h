/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC records in one direction of a TCP stream. RFC 5531, section 11: a record is one message, split into fragments,
 * each after a mark of four bytes with its length and whether it is the last.
 *
 * The start of a record is known at the start of the stream and after each record. It is lost after a hole that contains a
 * mark, in a stream captured from the middle, and where no RPC call or reply follows a mark. Then every byte is tried until
 * a mark is found that is followed by the header of a complete call (version 2) or reply.
 */
#ifndef REASSEMBLY_UPPER_RPC_RECORD_H
#define REASSEMBLY_UPPER_RPC_RECORD_H

#include <sys/queue.h>

#include "reassembly/stream/tcp_stream.h"

#define RPC_RECORD_LARGEST (4u << 20) /* longer records are delivered without their bytes */
#define RPC_RECORD_HEADER 36          /* a mark and the part of a header that is examined */

/* Why bytes of a record are missing. */
enum rpc_record_missing {
	RPC_RECORD_WHOLE,
	RPC_RECORD_HOLE,      /* a hole in the stream: see `hole` */
	RPC_RECORD_TOO_LARGE,
	RPC_RECORD_EVICTED,   /* given up for memory */
	RPC_RECORD_UNFINISHED, /* the stream ended within the record */
};

/* The first and the last frame with bytes of a record, by number, and their times. Bytes after a gap were captured before those in it. */
struct rpc_record_frames {
	uint64_t first, last;
	int64_t first_ns, last_ns;
};

struct rpc_record {
	struct rtap_span bytes;   /* without marks, from its first byte to the first one missing; borrowed for the call */
	uint64_t length;          /* of the whole record, as far as marks show; without the contents of a hole that contained a mark */
	uint64_t offset;          /* stream offset of its first mark */
	uint64_t cause;           /* tcp_bytes.acknowledged of its last byte */
	struct rpc_record_frames frames;
	uint32_t fragments;
	uint32_t seen;            /* bytes received from its first one on, kept or not */
	enum rpc_record_missing missing;
	enum tcp_hole_reason hole;
	bool recovered;           /* its start was found by a search */
};

/* Receives each record, in order. */
struct rpc_record_user {
	void *owner;
	void (*record)(void *owner, const struct rpc_record *record);
};

enum rpc_record_state {
	RPC_RECORD_BEGINNING, /* at the start of a record */
	RPC_RECORD_SEARCHING, /* searching for the start of a record */
	RPC_RECORD_MARK,      /* before the mark of a fragment that is not the record's first */
	RPC_RECORD_FRAGMENT,
};

/*
 * The readers that keep bytes of incomplete records, in the order in which they last grew. While their total exceeds `most`,
 * those that did not grow for a second drop all but the first bytes.
 */
struct rpc_record_copies {
	TAILQ_HEAD(, rpc_record_reader) readers; /* the one that last grew comes last */
	uint64_t bytes, most;
};

/* One direction. */
struct rpc_record_reader {
	struct rpc_record_user user;
	struct budget *budget;
	struct rpc_record_copies *copies;
	TAILQ_ENTRY(rpc_record_reader) link; /* in `copies`, while `room` is not 0 */
	uint64_t grown_ns;               /* when it last received bytes, by the budget's clock */
	struct budget_entry entry;       /* of `copy` */
	enum rpc_record_state state;
	uint8_t head[RPC_RECORD_HEADER]; /* undecided bytes */
	uint32_t head_length;
	uint32_t head_first;             /* of these, bytes of head_frames[0]; the rest is of head_frames[1] */
	struct rpc_record_frames head_frames[2];
	uint64_t head_cause;
	bool is_last;                    /* fragment */
	uint32_t left;                   /* remaining bytes of the fragment */
	uint8_t *copy;                   /* of the record's bytes if they are not contiguous */
	uint32_t copied, room;
	bool trimmed;                    /* bytes of the record were dropped because others needed the memory */
	bool is_reported;                /* the record was given up: its remaining bytes are skipped */
	struct rpc_record record;        /* the current one */
	/* Counts of records: all; with bytes missing; too large; found by searching. Then bytes skipped. */
	uint64_t records, incomplete, too_large, recovered, passed_over;
};

/* No readers yet. `most` in bytes. */
void rpc_record_copies_init(struct rpc_record_copies *copies, uint64_t most);

/* `is_beginning`: the stream was seen from its first byte. `user` is copied, `budget` and `copies` are borrowed. */
void rpc_record_init(struct rpc_record_reader *reader, struct budget *budget, struct rpc_record_copies *copies,
		     const struct rpc_record_user *user, bool is_beginning);

/* The next bytes of the stream. */
void rpc_record_bytes(struct rpc_record_reader *reader, const struct tcp_bytes *bytes);

/* The next bytes of the stream are missing. */
void rpc_record_hole(struct rpc_record_reader *reader, const struct tcp_hole *hole);

/* Whether a record is incomplete, or bytes wait that may be the start of one; and the frame in which it began. */
bool rpc_record_begun(const struct rpc_record_reader *reader, uint64_t *frame, int64_t *time_ns);

/* Nothing was seen of the stream for a long time: delivers the incomplete record. Its remaining bytes are skipped. */
void rpc_record_give_up(struct rpc_record_reader *reader);

/* The stream ends: delivers the incomplete record. */
void rpc_record_end(struct rpc_record_reader *reader);

/* Frees the copy. */
void rpc_record_fini(struct rpc_record_reader *reader);

/*
 * Whether a mark and the first fragment of a record with an RPC message are at `bytes`. If `length` is too short to decide:
 * RPC_RECORD_PERHAPS. `strict`: use where there is no other evidence for a record here.
 */
enum rpc_record_guess { RPC_RECORD_NO, RPC_RECORD_PERHAPS, RPC_RECORD_YES };
enum rpc_record_guess rpc_record_guess(const uint8_t *bytes, uint32_t length, bool strict);

#endif
