/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages being reassembled in each direction of an iWARP connection, and the settled messages that wait for TCP's
 * acknowledgement.
 */
#ifndef REASSEMBLY_IWARP_DDP_HALF_H
#define REASSEMBLY_IWARP_DDP_HALF_H

#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp.h"
#include "reassembly/iwarp/ddp_reads.h"
#include "reassembly/message_extent.h"
#include "reassembly/state.h"

#define DDP_QUEUES 4 /* RFC 5040, 5.1; RFC 7306, 4 */
/* Bytes of the FPDU of a Read Request. RFC 5040, 4.4. */
#define DDP_READ_REQUEST_FPDU (MPA_LENGTH_LENGTH + DDP_UNTAGGED_LENGTH + 28 + MPA_CRC_LENGTH)
/* Most outstanding requests examined: real limits (ORD) are far lower. */
#define DDP_MOST_REQUESTS 256

/* One direction's segments. The messages that it points to are being reassembled. */
struct ddp_half {
	struct message *untagged[DDP_QUEUES]; /* by queue number */
	struct message *write;    /* or a Read Response whose Request was not seen */
	struct message *read;     /* READ of the other side that is being answered */
	uint64_t next_offset;     /* tagged offset after the last segment of `write` */
	uint64_t lost;            /* stream bytes without an FPDU since the last FPDU */
	uint64_t losses;          /* how often stream bytes had no FPDU */
	uint64_t end;             /* stream offset after the last FPDU */
	bool has_writes;          /* a Write was seen */
	bool lost_send;           /* `lost` has bytes of a Send: its last segment, or an FPDU that was truncated after its opcode */
	bool unfinished;          /* the last segment of a tagged message is outstanding, and no byte is missing since */
	uint32_t largest;         /* largest payload of a Read Response segment */
	struct ddp_reads reads;   /* READs that it requested */
	bool is_acknowledged;     /* its acknowledgements are captured */
	struct message_list unacknowledged; /* settled, waiting for an acknowledgement, in the order of ack_at */
	struct message *recovering; /* with the first byte retransmitted in the current recovery of TCP; NULL: none, or unknown */
	uint64_t retransmitted;     /* stream offset of that byte */
};

struct ddp {
	struct ddp_half halves[2]; /* from b; from a */
};

/* `ddp` is all zero: no messages. */
void ddp_half_init(struct ddp *ddp);

/* The side that sent the message's last byte. */
static inline bool ddp_half_side_of(const struct message *message)
{
	return message->shown.from_a != message_is_answered_by_data(message);
}

/* A message of the upper layer, carried by a Send that is complete with the current FPDU, waits for the same acknowledgement. */
void ddp_half_hold(const struct rtap_tracker *tracker, struct message *message);

/*
 * A message was settled. Sends, Writes and others without an answer in RDMAP are confirmed by TCP's acknowledgement
 * (RFC 9293, 3.4). Until then they are unanswered; if messages or operations are reported, they wait for it. So do READs that were
 * answered: TCP may have to retransmit the responses.
 */
void ddp_half_await_ack(const struct rtap_tracker *tracker, struct message *message);

/*
 * Frame `frame` acknowledges one side's stream up to `offset`; it was already acknowledged up to `before`. A Terminate
 * directly after it can still refuse these messages.
 */
void ddp_half_acknowledged(const struct rtap_tracker *tracker, struct connection *connection, bool from_a, uint64_t before,
			      uint64_t offset, uint64_t frame);

/* A message no longer waits for its acknowledgement. */
void ddp_half_end_wait(struct message *message);

/* No more acknowledgements are expected. */
void ddp_half_end_waits(struct connection *connection);

#endif
