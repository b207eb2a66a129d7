/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reassembly of transfers of several management datagrams. IBTA vol. 1, 13.6.
 *
 * A transfer is identified by its ends, class and transaction id. Its data follows each segment's class header: 200 bytes
 * per segment of subnet administration, 216 of a vendor class. It is complete when every segment up to the one flagged Last
 * is present. The length in the last segment ends the data, because senders fill in the first segment's length differently.
 * An incomplete transfer is discarded 60 s after its last segment; a complete one is kept as long, to recognise repeats.
 * Truncated segments leave a hole.
 *
 * If a complete transfer is requested again with the same transaction id, it starts again with its first segment.
 *
 * All segments are one message, which waits for them until the receiver has acknowledged the last one, until 2 s after the
 * transfer is complete, or until the transfer is stopped or discarded. Later segments are messages of their own.
 */
#ifndef REASSEMBLY_MANAGEMENT_RMPP_H
#define REASSEMBLY_MANAGEMENT_RMPP_H

#include <sys/queue.h>

#include <rdmatap/message.h>

#include "base/map.h"
#include "dissect/engine/packet.h"
#include "reassembly/store/budget.h"

/* Most segments of a transfer: larger lengths are invalid. */
#define RMPP_MAX_SEGMENTS 65536

struct message;
struct rmpp_transfer;

TAILQ_HEAD(rmpp_transfers, rmpp_transfer);

struct rmpp {
	struct budget *budget;
	struct map map;
	struct rmpp_transfers partial;  /* in the order of their last segments */
	struct rmpp_transfers complete; /* in the order of completion */
	struct rmpp_transfer *first_held; /* first of the complete ones whose message waits; NULL: none */
	uint64_t completed, abandoned;  /* transfers: complete; stopped, discarded or evicted before */
};

/* The effect of a segment on its transfer. */
struct rmpp_progress {
	struct rmpp_transfer *transfer; /* NULL: none, or already freed */
	bool begins;              /* first segment seen */
	bool is_new;              /* not a repeat */
	uint64_t position;        /* of the segment's data in the transfer's data */
	uint32_t length;          /* of the segment's data in bytes, captured or not */
	bool whole;               /* the segment completed the transfer */
	struct rtap_span records; /* all data if `whole`; borrowed until the next call and not evicted before */
	uint64_t first_frame;     /* of the transfer */
	uint32_t segments;        /* of the complete transfer */
};

/* The budget is borrowed until the end. */
void rmpp_init(struct rmpp *rmpp, struct budget *budget);

/*
 * Processes a packet with an RMPP header. Sets packet->flow if earlier segments are missing or the segment is a repeat. A
 * single segment is not a transfer.
 */
void rmpp_packet(struct rmpp *rmpp, struct rtap_packet *packet, const struct rtap_end *source, const struct rtap_end *destination,
		 struct rmpp_progress *progress);

/* Processes a request, which may be answered by another transfer with the same identification. */
void rmpp_asked(struct rmpp *rmpp, const struct rtap_mad_facts *mad, const struct rtap_end *source, const struct rtap_end *destination);

/* `message` waits for the transfer's segments. It is borrowed until rmpp_discard(). */
void rmpp_hold(struct rmpp_transfer *transfer, struct message *message);

/* The message that waits for the transfer's segments; NULL: none. */
struct message *rmpp_held(const struct rmpp_transfer *transfer);

bool rmpp_is_whole(const struct rmpp_transfer *transfer);

/* Forgets a message that is destroyed. */
void rmpp_discard(struct message *message);

/* Advances to `now_ns`: releases messages that waited long enough, and discards old transfers. */
void rmpp_advance(struct rmpp *rmpp, int64_t now_ns);

void rmpp_fini(struct rmpp *rmpp);

#endif
