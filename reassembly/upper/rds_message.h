/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A message of RDS, or a congestion map: the positions of its fragments, and its operation. Fragments have no number: all except the last have
 * the same size, and follow each other in the PSN sequence.
 */
#ifndef REASSEMBLY_UPPER_RDS_MESSAGE_H
#define REASSEMBLY_UPPER_RDS_MESSAGE_H

#include "reassembly/upper.h"
#include "reassembly/upper/request.h"

#define RDS_TRANSFERS 64       /* READs and WRITEs of a side kept until a message names their key */

/* A READ or WRITE that no message has named yet. */
struct rds_transfer {
	bool is_read, is_named;
	uint32_t key;
	uint64_t psn;              /* unwrapped; iWARP: stream offset */
	uint64_t length, frame;
	int64_t time_ns;
};

/* A SEND that acknowledges. */
struct rds_ack {
	uint64_t sequence;         /* all up to it */
	uint64_t frame;
	int64_t time_ns;
};

/* The messages of one end. */
struct rds_side {
	TAILQ_HEAD(rds_messages, rds_message) messages; /* waiting messages, by sequence */
	uint32_t count;
	bool is_whole;             /* the layer was known before it sent anything */
	bool has_sequence;
	uint64_t highest;          /* sequence number seen */
	uint64_t asked;            /* the highest sequence number that had to be acknowledged at once; 0: none */
	struct rds_ack acks[2];    /* of its messages: the highest, and the one before */
	uint64_t next;             /* place after its last SEND; 0: none */
	uint64_t lost;             /* PSNs of the stream that had been given up then; iWARP: how often it had lost bytes */
	uint64_t message_next, message_lost; /* the same after its last SEND of a message; message_next 0: a later SEND is unknown */
	uint64_t others;           /* SENDs without a message since */
	uint64_t next_sequence;    /* after the message that ended there; 0: unknown whether it ended */
	uint32_t fragment;         /* bytes of its fragments except the last; 0: unknown */
	uint64_t step;             /* between the places of two fragments; 0: unknown */
	uint32_t transfer_count;   /* ever; the next one is at transfers[transfer_count % RDS_TRANSFERS] */
	bool has_forgotten;        /* one that no message had named, since the last message that named some */
	struct rds_transfer transfers[RDS_TRANSFERS];
};

struct rds_state {
	struct rds_side sides[2];  /* what b sends; what a sends */
};

/* A fragment in a SEND. */
struct rds_fragment {
	const uint8_t *header;     /* whole */
	const uint8_t *bytes;
	uint32_t captured, wire;
};

struct rds_message {
	struct request request;
	TAILQ_ENTRY(rds_message) link; /* in its side */
	bool is_map;
	uint8_t flags;
	uint16_t source_port, destination_port;
	uint32_t length;
	uint64_t sequence;
	uint64_t lost_before;      /* sequence numbers before it, after the message before it, that were not seen */
	uint64_t gap_begin, gap_end; /* with lost_before: places between the message before it and its first SEND; gap_begin 0: some were lost */
	uint64_t gap_lost;         /* `lost` of the side after the message before it */
	uint32_t fragments, credits;
	uint32_t rdma_key, destination_key;
	bool has_rdma_key, has_destination_key, was_read, was_written;
	bool lacks_rdma;           /* READs or WRITEs with its key may have been lost */
	uint64_t rdma_bytes, first_rdma_frame, last_rdma_frame;
	uint64_t rdma_begin, rdma_end; /* PSNs of the READs and WRITEs: up to its SEND; not for iWARP */
	uint64_t rdma_lost;        /* PSNs of the stream that had been given up before */
	int64_t first_rdma_ns, last_rdma_ns;
	uint64_t anchor;           /* place of the SEND whose fragment is at position RDS_ANCHOR */
	uint64_t origin;           /* position of its first byte; 0: unknown */
	bool is_estimated;         /* the origin: by PSNs that were not seen, which another SEND can have had too */
	struct coverage data, cut; /* its bytes; those that the capture truncated */
	uint64_t memory;           /* of the coverages, charged */
	bool is_acked, is_asked;   /* is_asked: it, or a later message, had to be acknowledged at once */
	struct rds_ack ack;        /* with is_acked; frame 0: not seen */
	uint64_t first_data_frame, last_data_frame;
	int64_t first_data_ns, last_data_ns;
	struct request_lost lost;  /* of its SENDs but the first */
};

/* Where a SEND is among the SENDs of its side. In PSNs; iWARP: in MSNs, which count SENDs, above 2^31. */
struct rds_place {
	uint64_t begin, end;
};

struct rds_place rds_place_of(const struct rds_side *side, const struct message *send);

#define RDS_ANCHOR (UINT64_C(1) << 40)

/* Adds the fragment in the SEND of `work`. False: it is not a part of this message. */
bool rds_message_add(struct upper_work *work, struct rds_side *side, struct rds_message *message, const struct rds_fragment *fragment);

/* Whether all its bytes were captured. */
bool rds_message_is_whole(const struct rds_message *message);

/* Adds its operation to its SEND, if operations are wanted. */
void rds_message_operation(struct rtap_tracker *tracker, struct rds_message *message, struct message *send);

/* Fills the operation with what is known. */
void rds_message_conclude(struct rtap_tracker *tracker, struct rds_message *message);

#endif
