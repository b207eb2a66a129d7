/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is under way in each direction of an iWARP connection, and the settled messages that wait for TCP's acknowledgement.
 */
#ifndef REASSEMBLY_IWARP_DDP_HALF_H
#define REASSEMBLY_IWARP_DDP_HALF_H

#include "reassembly/iwarp/ddp_reads.h"
#include "reassembly/state.h"

#define DDP_QUEUES 4 /* RFC 5040, 5.1; RFC 7306, 4 */

/* One direction's segments. All that is pointed to is under way. */
struct ddp_half {
	struct message *untagged[DDP_QUEUES]; /* by queue number */
	struct message *write;    /* or Read Response whose Request was not seen */
	struct message *read;     /* of the other side, being answered */
	uint64_t next_offset;     /* tagged offset behind the last segment of `write` */
	uint64_t lost;            /* stream bytes without an FPDU since the last one */
	uint64_t end;             /* stream offset behind the last FPDU */
	bool has_writes;          /* Writes were seen */
	bool unfinished;          /* the last segment of a tagged message was not seen, and no byte is missing since */
	uint32_t largest;         /* payload of a Read Response's segment */
	struct ddp_reads reads;   /* READs that it asks for */
	bool is_acknowledged;     /* acknowledgements of it are captured */
	struct message *first_unacknowledged, *last_unacknowledged; /* settled ones that wait for it, in the order of ack_at */
};

struct ddp {
	struct ddp_half halves[2]; /* from b; from a */
};

/*
 * A message was settled. Of Sends, Writes and what else nothing in RDMAP answers, TCP's acknowledgement tells that they
 * arrived (RFC 9293, 3.4): until then they are unanswered, and wait to be told if anybody is told of messages.
 */
void ddp_half_await_ack(const struct rtap_tracker *tracker, struct message *message);

/*
 * One side's stream is acknowledged up to an offset, by `frame`; up to `before` it was already. A Terminate right behind it can
 * still refuse what that acknowledges.
 */
void ddp_half_acknowledged(const struct rtap_tracker *tracker, struct connection *connection, bool from_a, uint64_t before,
			      uint64_t offset, uint64_t frame);

/* A message waits for its acknowledgement no longer. */
void ddp_half_let_go(struct message *message);

/* No more acknowledgements come. */
void ddp_half_let_go_all(struct connection *connection);

#endif
