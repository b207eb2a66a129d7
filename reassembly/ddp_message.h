/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From FPDUs to messages: RFC 5041 (DDP), RFC 5040 and RFC 7306 (RDMAP). FPDUs come in the order of their stream, and
 * those of one direction behind what of the other their sender had received; so a message is over as soon as its last
 * segment was there, or another message took its place. In the connection's streams messages stand at the stream offset of
 * their first FPDU instead of a PSN; READs in the requester's stream.
 */
#ifndef REASSEMBLY_DDP_MESSAGE_H
#define REASSEMBLY_DDP_MESSAGE_H

#include "reassembly/ddp_reads.h"
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
 * Takes the next FPDU of a direction, whose CRC is not wrong; `frames` brought it. `shown` is its number in the packet
 * view, or IWARP_NOT_SHOWN: a Send that it ends, a chunk that it completes get their context there.
 */
void ddp_message_fpdu(struct rtap_tracker *tracker, struct connection *connection, bool from_a, const struct rtap_fpdu *fpdu,
		      uint32_t frames, uint32_t shown);

/* An FPDU ahead of a gap, or one that waits, is shown; messages get it when its turn comes. The view gets what its dissection needs. */
void ddp_message_ahead(struct rtap_tracker *tracker, struct connection *connection, bool from_a, const struct rtap_fpdu *fpdu,
		       uint32_t shown);

/* `length` bytes of a direction's stream held FPDUs that nobody will see. */
void ddp_message_lost(struct connection *connection, bool from_a, uint64_t length);

/* Settles all that is under way. */
void ddp_message_end(struct rtap_tracker *tracker, struct connection *connection);

/*
 * A message was settled. Of Sends, Writes and what else nothing in RDMAP answers, TCP's acknowledgement tells that they
 * arrived (RFC 9293, 3.4): until then they are unanswered, and wait to be told if anybody is told of messages.
 */
void ddp_message_settled(const struct rtap_tracker *tracker, struct message *message);

/*
 * One side's stream is acknowledged up to an offset, by `frame`; up to `before` it was already. A Terminate right behind it can
 * still refuse what that acknowledges.
 */
void ddp_message_acknowledged(const struct rtap_tracker *tracker, struct connection *connection, bool from_a, uint64_t before,
			      uint64_t offset, uint64_t frame);

/* A message waits for its acknowledgement no longer. */
void ddp_message_let_go(struct message *message);

/* No more acknowledgements come. */
void ddp_message_let_go_all(struct connection *connection);

/* Whether nothing more can be expected for a message that is under way, awaits its acknowledgement or had it lately. */
bool ddp_message_is_final(const struct rtap_tracker *tracker, const struct message *message);

/* The frame is done: messages that its FPDUs touched are wanted if `wanted`. */
void ddp_message_frame_done(struct rtap_tracker *tracker, bool wanted);

#endif
