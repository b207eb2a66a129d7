/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Transfers of several management datagrams put together. IBTA vol. 1, 13.6.
 *
 * A transfer is known by its ends, class and transaction id. Its data are what stands behind each segment's class header: 200 bytes of
 * subnet administration, 216 of a vendor's class. It is whole when every segment up to the one flagged Last is there; the length
 * that this one tells ends it, because senders fill the first one's in differently. A transfer that no segment comes for in 60 s is
 * forgotten, one that is whole is remembered as long, so that repeats are known. Segments that the capture cut leave a hole.
 *
 * What was asked for again, with the same transaction id, after it was whole begins anew with its first segment.
 *
 * All segments are one message, which waits for them: until the receiver has acknowledged the last one, or 2 s after the transfer is whole,
 * or until it is stopped or forgotten. What comes after that is a message of its own.
 */
#ifndef REASSEMBLY_MANAGEMENT_RMPP_H
#define REASSEMBLY_MANAGEMENT_RMPP_H

#include <rdmatap/message.h>
#include <rdmatap/packet.h>

#include "reassembly/store/budget.h"
#include "reassembly/store/map.h"

/* Segments that a transfer may have: a length that does not fit is none. */
#define RMPP_MAX_SEGMENTS 65536

struct message;
struct rmpp_transfer;

/* All zero but `budget`, which is borrowed until the end, is empty. */
struct rmpp {
	struct budget *budget;
	struct map map;
	struct rmpp_transfer *first, *last; /* in the order of their last segments */
	struct rmpp_transfer *first_whole, *last_whole; /* those that are whole, in the order in which they became it */
	struct rmpp_transfer *first_held;   /* the first of these whose message waits; none before it does */
	uint64_t completed, abandoned;      /* transfers: whole; stopped, forgotten or evicted before */
};

/* What a segment did for its transfer. */
struct rmpp_progress {
	struct rmpp_transfer *transfer; /* that it is of; NULL: none, or it is no more */
	bool begins;              /* it is the first one seen */
	bool is_new;              /* it is no repeat */
	uint64_t position;        /* of its data in the transfer's */
	uint32_t length;          /* bytes that it has for them, captured or not */
	bool whole;               /* it was the last one missing */
	struct rtap_span records; /* then: all data; borrowed until the next call and not evicted before */
	uint64_t first_frame;     /* of the transfer */
	uint32_t segments;        /* of it, whole */
};

/*
 * Takes a packet with an RMPP header into account. Says in packet->flow if segments before it are missing, or if
 * it repeats one. Single segments are no transfer.
 */
void rmpp_packet(struct rmpp *rmpp, struct rtap_packet *packet, const struct rtap_end *source, const struct rtap_end *destination,
		 struct rmpp_progress *progress);

/* Takes a request into account: it may be answered by another transfer of the same name. */
void rmpp_asked(struct rmpp *rmpp, const struct rtap_mad_facts *mad, const struct rtap_end *source, const struct rtap_end *destination);

/* `message`, which is borrowed until rmpp_forget(), waits for the transfer's segments. */
void rmpp_hold(struct rmpp_transfer *transfer, struct message *message);

/* The message that waits for the transfer's segments; NULL: none does any more. */
struct message *rmpp_held(const struct rmpp_transfer *transfer);

bool rmpp_is_whole(const struct rmpp_transfer *transfer);

/* Forgets a message that goes. */
void rmpp_forget(struct message *message);

/* Time has come to `now_ns`: lets messages go that waited long enough, and forgets old transfers. */
void rmpp_advance(struct rmpp *rmpp, int64_t now_ns);

void rmpp_fini(struct rmpp *rmpp);

#endif
